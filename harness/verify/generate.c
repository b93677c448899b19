/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/parallel.h"
#include "verify/generate.h"

/*
 * Contracting a * b + c to one rounding, or reassociating, changes the bits of every input.  GCC
 * does not know the pragma: there the build passes -ffp-contract=off for this file.
 */
#ifdef __FAST_MATH__
#error "inputs must be the same on every machine: compile without -ffast-math"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Elements made at a time: even, so that a chunk is whole Philox blocks, and small, for L1. */
#define CHUNK ((size_t)256)

/* Elements a thread takes at a time. */
#define GRAIN 65536

static const char *const generator_names[KI_GENERATOR_COUNT] = {
	[KI_GENERATOR_CONSTANT] = "constant",
	[KI_GENERATOR_UNIFORM] = "uniform",
	[KI_GENERATOR_NORMAL] = "normal",
	[KI_GENERATOR_KAIMING_UNIFORM] = "kaiming_uniform",
};

int ki_generator_from_name(const char *name)
{
	for (int k = 0; k < KI_GENERATOR_COUNT; k++) {
		if (strcmp(generator_names[k], name) == 0)
			return k;
	}
	return -1;
}

const char *ki_generator_name(enum ki_generator_kind k)
{
	return generator_names[k];
}

static double kaiming_bound(const struct ki_generator *g)
{
	return sqrt(6.0 / ((1.0 + g->a * g->a) * (double)g->fan_in));
}

int ki_generator_check(const struct ki_generator *g, struct ki_error *e)
{
	bool a_finite = isfinite(g->a);
	bool b_finite = isfinite(g->b);

	switch (g->kind) {
	case KI_GENERATOR_CONSTANT:
		if (!a_finite)
			return ki_error_set(e, KI_FAIL_INPUT, "constant: the value is not finite");
		return KI_SUCCESS;
	case KI_GENERATOR_UNIFORM:
		if (!a_finite || !b_finite || !(g->a <= g->b) || !isfinite(g->b - g->a))
			return ki_error_set(e, KI_FAIL_INPUT,
					    "uniform: %g to %g is not a finite range", g->a, g->b);
		return KI_SUCCESS;
	case KI_GENERATOR_NORMAL:
		if (!a_finite || !b_finite || !(g->b >= 0))
			return ki_error_set(e, KI_FAIL_INPUT,
					    "normal: mean %g, deviation %g: both must be finite "
					    "and the deviation not negative",
					    g->a, g->b);
		return KI_SUCCESS;
	case KI_GENERATOR_KAIMING_UNIFORM:
		if (!a_finite || g->fan_in == 0)
			return ki_error_set(e, KI_FAIL_INPUT,
					    "kaiming_uniform: the slope must be finite and the "
					    "fan-in positive");
		return KI_SUCCESS;
	case KI_GENERATOR_COUNT:
		break;
	}
	return ki_error_set(e, KI_FAIL_INPUT, "no generator has number %d", (int)g->kind);
}

void ki_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
	uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
	uint32_t k0 = key[0], k1 = key[1];

	/* The multipliers and the key's increments are those of the paper's section 3.4. */
	for (int round = 0; round < 10; round++) {
		uint64_t p0 = UINT64_C(0xd2511f53) * c0;
		uint64_t p1 = UINT64_C(0xcd9e8d57) * c2;

		c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)p1;
		c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)p0;
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* k (see the header) of elements 2 * block .. 2 * block + CHUNK - 1. */
static void chunk_bits(uint64_t k[CHUNK], uint64_t seed, uint64_t stream, uint64_t block)
{
	const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};

	for (unsigned i = 0; i < CHUNK; i += 2) {
		uint64_t b = block + i / 2;
		const uint32_t counter[4] = {(uint32_t)b, (uint32_t)(b >> 32), (uint32_t)stream,
					     (uint32_t)(stream >> 32)};
		uint32_t w[4];

		ki_philox4x32(w, counter, key);
		k[i] = ((uint64_t)w[1] << 32 | w[0]) >> 11;
		k[i + 1] = ((uint64_t)w[3] << 32 | w[2]) >> 11;
	}
}

static double next_below(double x)
{
	int64_t bits;

	if (x == 0)
		return -0x1p-1074;
	memcpy(&bits, &x, sizeof bits);
	bits += x > 0 ? -1 : 1;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static void chunk_uniform(double dst[CHUNK], const uint64_t k[CHUNK], double low, double high)
{
	const double width = high - low;
	const double last = low < high ? next_below(high) : low;

	for (unsigned i = 0; i < CHUNK; i++) {
		double x = low + (double)(int64_t)k[i] * 0x1p-53 * width;

		dst[i] = x < last ? x : last;
	}
}

/*
 * The natural logarithm of a normal x in (0, 1).  x = 2^n * m with m in [sqrt(1/2), sqrt(2)), and
 * log m = 2 artanh(s) with s = (m - 1) / (m + 1), by its Taylor series; the first term left out,
 * s^22 / 23, is below 2^-60.  log 2 is split so that n times its high part is exact.
 */
static double natural_log(double x)
{
	const double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;
	uint64_t bits;
	double m, n, s, t, sum;

	memcpy(&bits, &x, sizeof bits);
	/* Adding 1 - sqrt(1/2) to the fraction moves the carry into the exponent to sqrt(2). */
	bits += UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd);
	n = (double)((int64_t)(bits >> 52) - 1023);
	bits = (bits & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd);
	memcpy(&m, &bits, sizeof m);
	s = (m - 1.0) / (m + 1.0);
	t = s * s;
	sum = 1.0 / 21.0;
	sum = sum * t + 1.0 / 19.0;
	sum = sum * t + 1.0 / 17.0;
	sum = sum * t + 1.0 / 15.0;
	sum = sum * t + 1.0 / 13.0;
	sum = sum * t + 1.0 / 11.0;
	sum = sum * t + 1.0 / 9.0;
	sum = sum * t + 1.0 / 7.0;
	sum = sum * t + 1.0 / 5.0;
	sum = sum * t + 1.0 / 3.0;
	return n * log2_high + (2.0 * s + (2.0 * s * t * sum + n * log2_low));
}

/* PPND16 has three regions; in each, z is a ratio of polynomials of degree 7 in some r. */
struct ppnd16 {
	double numerator[8];
	double denominator[8];
};

static const struct ppnd16 ppnd16_central = {
	{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
	 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
	 3.3430575583588128105e4, 2.5090809287301226727e3},
	{1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
	 2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
	 5.2264952788528545610e3}};

static const struct ppnd16 ppnd16_outer = {
	{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
	 3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
	 2.27238449892691845833e-2, 7.74545014278341407640e-4},
	{1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
	 1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
	 1.05075007164441684324e-9}};

static const struct ppnd16 ppnd16_far = {
	{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
	 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
	 2.71155556874348757815e-5, 2.01033439929228813265e-7},
	{1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
	 7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
	 2.04426310338993978564e-15}};

static inline double horner7(const double c[8], double r)
{
	double y = c[7];

	y = y * r + c[6];
	y = y * r + c[5];
	y = y * r + c[4];
	y = y * r + c[3];
	y = y * r + c[2];
	y = y * r + c[1];
	return y * r + c[0];
}

/* z where |q| > 0.425. */
static double normal_tail(double q)
{
	/* 1/2 - |q| is exact: q is an odd multiple of 2^-54. */
	double r = sqrt(-natural_log(q < 0 ? 0.5 + q : 0.5 - q));
	const struct ppnd16 *p = r <= 5.0 ? &ppnd16_outer : &ppnd16_far;
	double z;

	r -= r <= 5.0 ? 1.6 : 5.0;
	z = horner7(p->numerator, r) / horner7(p->denominator, r);
	return q < 0 ? -z : z;
}

static void chunk_normal(double dst[CHUNK], const uint64_t k[CHUNK], double mean, double deviation)
{
	double q[CHUNK];

	/* q = (k + 1/2) * 2^-53 - 1/2, exactly: never -1/2 or 1/2, where z would be infinite. */
	for (unsigned i = 0; i < CHUNK; i++)
		q[i] = (double)(2 * (int64_t)k[i] + 1 - (INT64_C(1) << 53)) * 0x1p-54;
	/* All as if central first, so that the loop has no branch; 15 in 100 are done again. */
	for (unsigned i = 0; i < CHUNK; i++) {
		double r = 0.180625 - q[i] * q[i];

		dst[i] = q[i] * horner7(ppnd16_central.numerator, r) /
			 horner7(ppnd16_central.denominator, r);
	}
	for (unsigned i = 0; i < CHUNK; i++) {
		if (!(q[i] >= -0.425 && q[i] <= 0.425))
			dst[i] = normal_tail(q[i]);
	}
	for (unsigned i = 0; i < CHUNK; i++)
		dst[i] = mean + deviation * dst[i];
}

static void chunk_generate(double dst[CHUNK], const struct ki_generator *g, uint64_t stream,
			   uint64_t block)
{
	uint64_t k[CHUNK];
	double bound;

	if (g->kind != KI_GENERATOR_CONSTANT)
		chunk_bits(k, g->seed, stream, block);
	switch (g->kind) {
	case KI_GENERATOR_UNIFORM:
		chunk_uniform(dst, k, g->a, g->b);
		break;
	case KI_GENERATOR_NORMAL:
		chunk_normal(dst, k, g->a, g->b);
		break;
	case KI_GENERATOR_KAIMING_UNIFORM:
		bound = kaiming_bound(g);
		chunk_uniform(dst, k, -bound, bound);
		break;
	case KI_GENERATOR_CONSTANT:
	case KI_GENERATOR_COUNT:
		for (unsigned i = 0; i < CHUNK; i++)
			dst[i] = g->a;
		break;
	}
}

void ki_generate_doubles(double *dst, const struct ki_generator *g, uint64_t stream, uint64_t first,
			 uint64_t n)
{
	double chunk[CHUNK];

	while (n > 0) {
		uint64_t skip = first % 2;
		uint64_t count = n < CHUNK - skip ? n : CHUNK - skip;

		chunk_generate(chunk, g, stream, first / 2);
		memcpy(dst, chunk + skip, count * sizeof *dst);
		dst += count;
		first += count;
		n -= count;
	}
}

struct generate_loop {
	unsigned char *dst;
	enum ki_dtype t;
	const struct ki_generator *g;
	uint64_t stream;
};

static void generate_piece(void *ctx, uint64_t first, uint64_t count)
{
	const struct generate_loop *l = ctx;
	const size_t bytes = ki_dtype_bytes(l->t);
	double values[4 * CHUNK];

	while (count > 0) {
		uint64_t n = count < 4 * CHUNK ? count : 4 * CHUNK;

		ki_generate_doubles(values, l->g, l->stream, first, n);
		ki_dtype_from_double(l->dst + first * bytes, values, l->t, n);
		first += n;
		count -= n;
	}
}

int ki_generate(void *dst, enum ki_dtype t, const struct ki_generator *g, uint64_t stream,
		uint64_t n, unsigned threads, struct ki_error *e)
{
	struct generate_loop l = {.dst = dst, .t = t, .g = g, .stream = stream};
	int status = ki_generator_check(g, e);

	if (status != KI_SUCCESS)
		return status;
	return ki_parallel_for(n, GRAIN, threads, generate_piece, &l, e);
}
