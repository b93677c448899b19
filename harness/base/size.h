/* SPDX-License-Identifier: Apache-2.0 */
/* Size arithmetic on outside input: true on success, false on overflow (*out then untouched). */
#ifndef KI_BASE_SIZE_H
#define KI_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

static inline bool ki_size_add(uint64_t *out, uint64_t a, uint64_t b)
{
	uint64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return false;
	*out = r;
	return true;
}

static inline bool ki_size_mul(uint64_t *out, uint64_t a, uint64_t b)
{
	uint64_t r;

	if (__builtin_mul_overflow(a, b, &r))
		return false;
	*out = r;
	return true;
}

/* a rounded up to a multiple of align, a power of two. */
static inline bool ki_size_round_up(uint64_t *out, uint64_t a, uint64_t align)
{
	uint64_t r;

	if (!ki_size_add(&r, a, align - 1))
		return false;
	*out = r & ~(align - 1);
	return true;
}

#endif
