/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device memory that launches run on: one slab in which operands and scratch are placed anew
 * for every segment, inputs copied in, outputs poisoned, guards filled; and the checks that go
 * with that.
 */
#ifndef KI_WORKER_ARENA_H
#define KI_WORKER_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "device/device.h"
#include "measure/placement.h"
#include "worker/workload.h"

struct ki_arena {
	const struct ki_device_ops *ops;
	struct ki_device_handle *device;
	struct ki_workload_copy *workload;
	unsigned char *slab;
	uint64_t slab_bytes;
	uint64_t least_bytes;
	bool has_scratch;
	uint64_t poison_key;
	uint64_t guard_key;
	size_t n_buffers; /* operands, then scratch */
	struct ki_placement_buffer buffers[KI_WORKLOAD_OPERANDS_MAX + 1];
	struct ki_operand operands[KI_WORKLOAD_OPERANDS_MAX]; /* for launches: data filled in */
	DLTensor tensors[KI_WORKLOAD_OPERANDS_MAX];
	void *scratch;
};

/* What a launch may not do to memory, found after it. */
struct ki_arena_damage {
	char guard[64]; /* operand (or "scratch") whose guard was written over; "" if none */
	char input[64]; /* input that was changed; "" if none */
};

/* slack_bytes of room beyond the least. */
int ki_arena_init(struct ki_arena *out, const struct ki_device_ops *ops,
		  struct ki_device_handle *device, struct ki_workload_copy *workload,
		  uint64_t scratch_bytes, uint64_t scratch_align, uint64_t slack_bytes,
		  struct ki_error *e) KI_MUST_CHECK;
void ki_arena_fini(struct ki_arena *a);

/* inputs[i] is host memory with operand i's bytes; NULL for an output. */
int ki_arena_place(struct ki_arena *a, uint64_t placement_seed, uint64_t poison_key,
		   const void *const *inputs, struct ki_error *e) KI_MUST_CHECK;

int ki_arena_inspect(struct ki_arena_damage *out, struct ki_arena *a, const void *const *inputs,
		     struct ki_error *e) KI_MUST_CHECK;

/* outputs[i] is host memory for operand i's bytes; NULL for an input. */
int ki_arena_copy_out(struct ki_arena *a, void *const *outputs, struct ki_error *e) KI_MUST_CHECK;

/* The key that operand i's output is filled with when the case's key is poison_key. */
uint64_t ki_arena_poison_key(uint64_t poison_key, uint32_t operand);

#endif
