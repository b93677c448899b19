/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "base/size.h"
#include "worker/arena.h"

#define ARENA_CHUNK_BYTES ((uint64_t)1 << 20)
#define ARENA_GUARD_SALT 0x6775617264ull /* "guard" */

uint64_t ki_arena_poison_key(uint64_t poison_key, uint32_t operand)
{
	return ki_seed_derive(poison_key, operand);
}

int ki_arena_init(struct ki_arena *out, const struct ki_device_ops *ops,
		  struct ki_device_handle *device, struct ki_workload_copy *workload,
		  uint64_t scratch_bytes, uint64_t scratch_align, uint64_t slack_bytes,
		  struct ki_error *e)
{
	struct ki_arena a = {.ops = ops,
			     .device = device,
			     .workload = workload,
			     .has_scratch = scratch_bytes > 0};
	void *slab;
	uint32_t i;
	int rc;

	for (i = 0; i < workload->abi.n_operands; i++)
		a.buffers[a.n_buffers++] = (struct ki_placement_buffer){
			.bytes = workload->info[i].bytes, .align = KI_PLACEMENT_ALIGN};
	if (a.has_scratch)
		a.buffers[a.n_buffers++] = (struct ki_placement_buffer){
			.bytes = scratch_bytes,
			.align = scratch_align > KI_PLACEMENT_ALIGN ? scratch_align
								    : KI_PLACEMENT_ALIGN};
	rc = ki_placement_least(&a.least_bytes, a.buffers, a.n_buffers, e);
	if (rc != KI_SUCCESS)
		return rc;
	if (!ki_size_add(&a.slab_bytes, a.least_bytes, slack_bytes))
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory for the operands");
	rc = ops->allocate(device, &slab, a.slab_bytes, e);
	if (rc != KI_SUCCESS)
		return rc;
	a.slab = slab;
	*out = a;
	return KI_SUCCESS;
}

void ki_arena_fini(struct ki_arena *a)
{
	if (a->slab != NULL)
		a->ops->release(a->device, a->slab, a->slab_bytes);
	memset(a, 0, sizeof *a);
}

static uint64_t arena_guard_key(const struct ki_arena *a, size_t buffer, int side)
{
	return ki_seed_derive(a->guard_key, 2 * buffer + (uint64_t)side);
}

static uint64_t arena_whole_words(uint64_t bytes)
{
	return (bytes + 7) & ~(uint64_t)7;
}

/*
 * Guards start at the first 8-byte boundary behind a buffer, since fill() writes whole words; the
 * bytes up to there are part of the buffer's own pattern.
 */
static unsigned char *arena_guard(const struct ki_arena *a, size_t i, int side)
{
	const struct ki_placement_buffer *b = &a->buffers[i];
	unsigned char *start = a->slab + b->offset;

	return side == 0 ? start - KI_PLACEMENT_GUARD_BYTES : start + arena_whole_words(b->bytes);
}

static int arena_fill(struct ki_arena *a, size_t i, uint64_t poison_key, struct ki_error *e)
{
	int side, rc = KI_SUCCESS;

	for (side = 0; rc == KI_SUCCESS && side < 2; side++)
		rc = a->ops->fill(a->device, arena_guard(a, i, side), KI_PLACEMENT_GUARD_BYTES,
				  arena_guard_key(a, i, side), e);
	if (rc == KI_SUCCESS)
		rc = a->ops->fill(a->device, a->slab + a->buffers[i].offset,
				  arena_whole_words(a->buffers[i].bytes),
				  ki_arena_poison_key(poison_key, (uint32_t)i), e);
	return rc;
}

int ki_arena_place(struct ki_arena *a, uint64_t placement_seed, uint64_t poison_key,
		   const void *const *inputs, struct ki_error *e)
{
	uint32_t n = a->workload->abi.n_operands, i;
	int rc = ki_placement_draw(a->buffers, a->n_buffers, a->slab_bytes, placement_seed, e);
	size_t k;

	a->poison_key = poison_key;
	a->guard_key = ki_seed_derive(poison_key, ARENA_GUARD_SALT);
	for (k = 0; rc == KI_SUCCESS && k < a->n_buffers; k++)
		rc = arena_fill(a, k, poison_key, e);
	for (i = 0; rc == KI_SUCCESS && i < n; i++) {
		void *data = a->slab + a->buffers[i].offset;

		a->tensors[i] = a->workload->info[i].tensor;
		a->tensors[i].data = data;
		a->operands[i] = a->workload->operands[i];
		a->operands[i].tensor = &a->tensors[i];
		if (inputs[i] != NULL)
			rc = a->ops->copy_in(a->device, data, inputs[i], a->buffers[i].bytes, e);
	}
	a->scratch = a->has_scratch ? a->slab + a->buffers[n].offset : NULL;
	return rc;
}

static int arena_guard_whole(bool *out, struct ki_arena *a, size_t i, int side, struct ki_error *e)
{
	uint64_t found[KI_PLACEMENT_GUARD_BYTES / sizeof(uint64_t)];
	uint64_t key = arena_guard_key(a, i, side);
	size_t k;
	int rc = a->ops->copy_out(a->device, found, arena_guard(a, i, side), sizeof found, e);

	if (rc != KI_SUCCESS)
		return rc;
	*out = true;
	for (k = 0; k < sizeof found / sizeof found[0]; k++)
		if (found[k] != ki_seed_poison_word(key, k))
			*out = false;
	return KI_SUCCESS;
}

/* The bytes between a buffer's end and its guard, when its size is no multiple of 8. */
static int arena_pad_whole(bool *out, struct ki_arena *a, size_t i, struct ki_error *e)
{
	uint64_t bytes = a->buffers[i].bytes, word = bytes / 8, used = bytes % 8, found, want;
	int rc;

	*out = true;
	if (used == 0)
		return KI_SUCCESS;
	rc = a->ops->copy_out(a->device, &found, a->slab + a->buffers[i].offset + word * 8,
			      sizeof found, e);
	want = ki_seed_poison_word(ki_arena_poison_key(a->poison_key, (uint32_t)i), word);
	if (rc == KI_SUCCESS)
		*out = memcmp((char *)&found + used, (char *)&want + used, 8 - used) == 0;
	return rc;
}

static int arena_buffer_guarded(bool *out, struct ki_arena *a, size_t i, struct ki_error *e)
{
	bool front = true, pad = true, back = true;
	int rc = arena_guard_whole(&front, a, i, 0, e);

	if (rc == KI_SUCCESS)
		rc = arena_pad_whole(&pad, a, i, e);
	if (rc == KI_SUCCESS)
		rc = arena_guard_whole(&back, a, i, 1, e);
	*out = front && pad && back;
	return rc;
}

static int arena_same(bool *out, struct ki_arena *a, size_t i, const void *host, void *chunk,
		      struct ki_error *e)
{
	const unsigned char *want = host, *device = a->slab + a->buffers[i].offset;
	uint64_t left = a->buffers[i].bytes;
	int rc = KI_SUCCESS;

	*out = true;
	while (rc == KI_SUCCESS && left > 0 && *out) {
		uint64_t n = left < ARENA_CHUNK_BYTES ? left : ARENA_CHUNK_BYTES;

		rc = a->ops->copy_out(a->device, chunk, device, n, e);
		if (rc == KI_SUCCESS)
			*out = memcmp(chunk, want, n) == 0;
		device += n;
		want += n;
		left -= n;
	}
	return rc;
}

int ki_arena_inspect(struct ki_arena_damage *out, struct ki_arena *a, const void *const *inputs,
		     struct ki_error *e)
{
	uint32_t n = a->workload->abi.n_operands;
	void *chunk = malloc(ARENA_CHUNK_BYTES);
	int rc = KI_SUCCESS;
	size_t i;

	*out = (struct ki_arena_damage){0};
	if (chunk == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	for (i = 0; rc == KI_SUCCESS && i < a->n_buffers; i++) {
		const char *name = i < n ? a->operands[i].name : "scratch";
		bool whole = true;

		rc = arena_buffer_guarded(&whole, a, i, e);
		if (rc == KI_SUCCESS && !whole)
			snprintf(out->guard, sizeof out->guard, "%s", name);
		if (rc == KI_SUCCESS && i < n && inputs[i] != NULL) {
			rc = arena_same(&whole, a, i, inputs[i], chunk, e);
			if (rc == KI_SUCCESS && !whole)
				snprintf(out->input, sizeof out->input, "%s", name);
		}
	}
	free(chunk);
	return rc;
}

int ki_arena_copy_out(struct ki_arena *a, void *const *outputs, struct ki_error *e)
{
	uint32_t i;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < a->workload->abi.n_operands; i++)
		if (outputs[i] != NULL)
			rc = a->ops->copy_out(a->device, outputs[i], a->slab + a->buffers[i].offset,
					      a->buffers[i].bytes, e);
	return rc;
}
