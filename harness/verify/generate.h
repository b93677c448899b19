/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input data by counter: element i of a tensor is a function of (seed, stream, i) alone, so the
 * bits are the same on every machine and for every number of threads.
 *
 * Random words come from Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers:
 * as easy as 1, 2, 3", SC 2011).  Everything behind them is IEEE double arithmetic with +, -, *, /
 * and square root alone, compiled without contraction; the C library's functions differ between
 * machines in the last bit and are not used.
 *
 * Element i takes half of one block w[0..3]:
 *
 *   key     = { low 32 bits of seed, high 32 bits of seed }
 *   counter = { low 32 bits of i / 2, high 32 bits of i / 2, low of stream, high of stream }
 *   k       = (w[1] * 2^32 + w[0]) >> 11 when i is even, (w[3] * 2^32 + w[2]) >> 11 when odd
 *
 * k has 53 bits.  A uniform is u = k * 2^-53, and low + u * (high - low); where that rounds up to
 * high, the largest double below high.  A normal is mean + deviation * z, where z is the inverse
 * of the normal distribution at (k + 1/2) * 2^-53 by Wichura's PPND16 (algorithm AS 241, Applied
 * Statistics 37 (1988) 477-484), so |z| <= 8.3.  These bits are pinned by the tests: a change of
 * any of them changes what every stored record was measured on.
 */
#ifndef KI_VERIFY_GENERATE_H
#define KI_VERIFY_GENERATE_H

#include <stdint.h>

#include "base/error.h"
#include "verify/dtype.h"

enum ki_generator_kind {
	KI_GENERATOR_CONSTANT,        /* a = value */
	KI_GENERATOR_UNIFORM,         /* a = low, b = high; low <= x < high before rounding */
	KI_GENERATOR_NORMAL,          /* a = mean, b = standard deviation */
	KI_GENERATOR_KAIMING_UNIFORM, /* a = negative slope; fan_in from the shape */
	KI_GENERATOR_COUNT
};

struct ki_generator {
	enum ki_generator_kind kind;
	uint64_t seed;
	double a;
	double b;
	/*
	 * Kaiming-uniform only: uniform in +-sqrt(6 / ((1 + a^2) * fan_in)) (He, Zhang, Ren and
	 * Sun, "Delving deep into rectifiers", ICCV 2015, as torch.nn.init.kaiming_uniform_
	 * computes it).
	 */
	uint64_t fan_in;
};

/* "constant", "uniform", "normal", "kaiming_uniform"; -1 when name is none of them. */
int ki_generator_from_name(const char *name);
const char *ki_generator_name(enum ki_generator_kind k);

/*
 * KI_FAIL_INPUT when g's numbers make no sense: not finite, high below low, a range that
 * overflows, a negative deviation, a fan_in of 0.  high may equal low: then all elements are low.
 */
int ki_generator_check(const struct ki_generator *g, struct ki_error *e) KI_MUST_CHECK;

/* One Philox4x32-10 block. */
void ki_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/*
 * Elements first .. first + n - 1 of the tensor with this generator, as doubles.  stream tells
 * contents of one seed apart (0 is the plan's own).  g is one that ki_generator_check() passes.
 */
void ki_generate_doubles(double *dst, const struct ki_generator *g, uint64_t stream, uint64_t first,
			 uint64_t n);

/*
 * All n elements, rounded to t, by at most threads threads (the bits do not depend on it).
 * Checks g first.
 */
int ki_generate(void *dst, enum ki_dtype t, const struct ki_generator *g, uint64_t stream,
		uint64_t n, unsigned threads, struct ki_error *e) KI_MUST_CHECK;

#endif
