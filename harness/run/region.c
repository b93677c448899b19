/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/size.h"
#include "run/region.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

#define REGION_ALIGN 4096

static int region_layout(struct ki_region *r, const uint64_t *sizes, struct ki_error *e)
{
	uint64_t at = 0, size;
	size_t c, i;

	for (c = 0; c < r->n_contents; c++)
		for (i = 0; i < r->n_operands; i++) {
			r->offsets[c][i] = at;
			if (!ki_size_round_up(&size, sizes[i], REGION_ALIGN) ||
			    !ki_size_add(&at, at, size) || at > INT64_MAX)
				return ki_error_set(e, KI_FAIL_LIMIT, "operands too large");
		}
	r->bytes = at > 0 ? at : REGION_ALIGN;
	return KI_SUCCESS;
}

int ki_region_new(struct ki_region *out, const char *name, const uint64_t *sizes, size_t n_operands,
		  size_t n_contents, struct ki_error *e)
{
	struct ki_region r = {.fd = -1, .n_contents = n_contents, .n_operands = n_operands};
	void *p;
	int rc = region_layout(&r, sizes, e);

	if (rc != KI_SUCCESS)
		return rc;
	r.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (r.fd < 0 || ftruncate(r.fd, (off_t)r.bytes) != 0 ||
	    fcntl(r.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
		rc = ki_error_errno(e, errno, "cannot make %llu bytes of shared memory",
				    (unsigned long long)r.bytes);
		goto out;
	}
	p = mmap(NULL, r.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	if (p == MAP_FAILED) {
		rc = ki_error_errno(e, errno, "cannot map shared memory");
		goto out;
	}
	r.memory = p;
	*out = r;
out:
	if (rc != KI_SUCCESS && r.fd >= 0)
		close(r.fd);
	return rc;
}

void ki_region_free(struct ki_region *r)
{
	if (r->memory != NULL) {
		munmap(r->memory, r->bytes);
		close(r->fd);
	}
	*r = (struct ki_region){.fd = -1};
}

void *ki_region_at(const struct ki_region *r, size_t content, size_t operand)
{
	return r->memory + r->offsets[content][operand];
}

bool ki_region_seal(struct ki_region *r)
{
	return fcntl(r->fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
}

json_t *ki_region_json(const struct ki_region *r)
{
	json_t *contents = json_array();
	size_t c, i;

	for (c = 0; c < r->n_contents; c++) {
		json_t *offsets = json_array();

		for (i = 0; i < r->n_operands; i++)
			json_array_append_new(offsets, json_integer((json_int_t)r->offsets[c][i]));
		json_array_append_new(contents, offsets);
	}
	return json_pack("{s:I, s:o}", "bytes", (json_int_t)r->bytes, "offsets", contents);
}
