/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "verify/generate.h"

#define MANY 1000000

static const struct ki_generator standard_normal = {.kind = KI_GENERATOR_NORMAL, .seed = 1, .b = 1};

/* FNV-1a, 64 bits. */
static uint64_t fnv(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t digest(const struct ki_generator *g, uint64_t stream, uint64_t first, uint64_t n,
		       enum ki_dtype t)
{
	double values[4096], stored[4096];

	ki_generate_doubles(values, g, stream, first, n);
	ki_dtype_from_double(stored, values, t, n);
	return fnv(stored, n * ki_dtype_bytes(t));
}

/* k of the header, written again. */
static uint64_t element_bits(uint64_t seed, uint64_t stream, uint64_t i)
{
	const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	const uint32_t counter[4] = {(uint32_t)(i / 2), (uint32_t)(i / 2 >> 32), (uint32_t)stream,
				     (uint32_t)(stream >> 32)};
	uint32_t w[4];

	ki_philox4x32(w, counter, key);
	return ((uint64_t)w[i % 2 * 2 + 1] << 32 | w[i % 2 * 2]) >> 11;
}

Test(generate, a_name_that_is_none_is_refused)
{
	static const char *const names[] = {"", "gaussian", "Normal", "normal ", "kaiming"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		cr_assert_eq(ki_generator_from_name(names[i]), -1, "%s", names[i]);
}

Test(generate, every_name_leads_back_to_its_kind)
{
	for (int k = 0; k < KI_GENERATOR_COUNT; k++)
		cr_assert_eq(ki_generator_from_name(ki_generator_name((enum ki_generator_kind)k)),
			     k);
}

Test(generate, numbers_that_make_no_sense_are_refused)
{
	static const struct ki_generator bad[] = {
		{.kind = KI_GENERATOR_CONSTANT, .a = NAN},
		{.kind = KI_GENERATOR_CONSTANT, .a = INFINITY},
		{.kind = KI_GENERATOR_UNIFORM, .a = 1, .b = 0.5},
		{.kind = KI_GENERATOR_UNIFORM, .a = NAN, .b = 1},
		{.kind = KI_GENERATOR_UNIFORM, .a = 0, .b = INFINITY},
		{.kind = KI_GENERATOR_UNIFORM, .a = -1.7e308, .b = 1.7e308},
		{.kind = KI_GENERATOR_NORMAL, .a = 0, .b = -1},
		{.kind = KI_GENERATOR_NORMAL, .a = 0, .b = NAN},
		{.kind = KI_GENERATOR_NORMAL, .a = INFINITY, .b = 1},
		{.kind = KI_GENERATOR_KAIMING_UNIFORM, .a = 1, .fan_in = 0},
		{.kind = KI_GENERATOR_KAIMING_UNIFORM, .a = NAN, .fan_in = 1},
		{.kind = KI_GENERATOR_COUNT},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ki_error e = {0};
		double x = 42;

		cr_assert_eq(ki_generate(&x, KI_DTYPE_FP64, &bad[i], 0, 1, 1, &e), KI_FAIL_INPUT,
			     "generator %zu was accepted", i);
		cr_assert_eq(x, 42);
		cr_assert_neq(e.text[0], '\0');
	}
}

Test(generate, philox_gives_the_published_answers)
{
	static const struct {
		uint32_t counter[4], key[2], out[4];
	} vectors[] = {
		{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
		 {0xffffffff, 0xffffffff},
		 {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
		 {0xa4093822, 0x299f31d0},
		 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};

	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		uint32_t out[4];

		ki_philox4x32(out, vectors[i].counter, vectors[i].key);
		cr_assert(memcmp(out, vectors[i].out, sizeof out) == 0, "vector %zu", i);
	}
}

/* The digests were computed by an independent program in another language. */
Test(generate, the_bits_have_not_changed)
{
	const struct ki_generator uniform = {.kind = KI_GENERATOR_UNIFORM,
					     .seed = UINT64_C(0x123456789abcdef0),
					     .a = -1.5,
					     .b = 2.5};
	const struct ki_generator kaiming = {.kind = KI_GENERATOR_KAIMING_UNIFORM,
					     .seed = 2,
					     .a = 2.23606797749979,
					     .fan_in = 36};

	cr_assert_eq(digest(&standard_normal, 0, 1001, 4096, KI_DTYPE_BF16),
		     UINT64_C(0x6fd07d7903490aef));
	cr_assert_eq(digest(&standard_normal, 0, 1001, 4096, KI_DTYPE_FP32),
		     UINT64_C(0x7dad33a93db53786));
	cr_assert_eq(digest(&standard_normal, 0, 1001, 4096, KI_DTYPE_FP64),
		     UINT64_C(0x6d0870e234835ab0),
		     "the last bits differ: was generate.c compiled with -ffp-contract=off?");
	cr_assert_eq(digest(&uniform, UINT64_C(0xfedcba9876543210), 1001, 4096, KI_DTYPE_FP64),
		     UINT64_C(0xc2e5bcd57b65e8ef));
	cr_assert_eq(digest(&kaiming, 7, 0, 144, KI_DTYPE_FP64), UINT64_C(0x6b7f2e9a0e0da13d));
}

Test(generate, an_element_depends_on_its_index_alone)
{
	static const uint64_t starts[] = {0,
					  1,
					  255,
					  256,
					  257,
					  UINT64_C(0xffffffff),
					  UINT64_C(0x1fffffffe),
					  UINT64_C(0x123456789abcdef)};
	const struct ki_generator g = {
		.kind = KI_GENERATOR_UNIFORM, .seed = UINT64_C(0xdeadbeef00000005), .b = 1};
	double x[600];

	for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
		ki_generate_doubles(x, &g, 9, starts[s], 600);
		for (uint64_t i = 0; i < 600; i++)
			cr_assert_eq(x[i], (double)element_bits(g.seed, 9, starts[s] + i) * 0x1p-53,
				     "element %llu", (unsigned long long)(starts[s] + i));
	}
}

Test(generate, seeds_and_streams_give_different_contents)
{
	struct ki_generator other = standard_normal;
	double a[64], b[64];

	other.seed = UINT64_C(1) << 32 | 1;
	ki_generate_doubles(a, &standard_normal, 0, 0, 64);
	ki_generate_doubles(b, &other, 0, 0, 64);
	for (unsigned i = 0; i < 64; i++)
		cr_assert_neq(a[i], b[i]);
	ki_generate_doubles(b, &standard_normal, UINT64_C(1) << 32, 0, 64);
	for (unsigned i = 0; i < 64; i++)
		cr_assert_neq(a[i], b[i]);
}

Test(generate, the_number_of_threads_does_not_change_a_bit)
{
	enum { N = 200001 };
	uint16_t *one = malloc(N * sizeof *one);
	uint16_t *many = malloc(N * sizeof *many);
	double *whole = malloc(N * sizeof *whole);
	struct ki_error e = {0};

	cr_assert(one != NULL && many != NULL && whole != NULL);
	ki_generate_doubles(whole, &standard_normal, 3, 0, N);
	ki_dtype_from_double(one, whole, KI_DTYPE_BF16, N);
	for (unsigned threads = 0; threads <= 5; threads++) {
		memset(many, 0xa5, N * sizeof *many);
		cr_assert_eq(ki_generate(many, KI_DTYPE_BF16, &standard_normal, 3, N, threads, &e),
			     KI_SUCCESS, "%s", e.text);
		cr_assert(memcmp(one, many, N * sizeof *one) == 0, "%u threads", threads);
	}
	free(one);
	free(many);
	free(whole);
}

Test(generate, a_normal_is_the_inverse_of_the_distribution_at_its_uniform)
{
	double z[20000];

	ki_generate_doubles(z, &standard_normal, 0, 0, 20000);
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t odd = 2 * element_bits(1, 0, i) + 1;
		bool below = odd < UINT64_C(1) << 53;
		/* The smaller tail, so that nothing cancels. */
		double p = (double)(below ? odd : (UINT64_C(1) << 54) - odd) * 0x1p-54;
		double tail = 0.5 * erfc(fabs(z[i]) * M_SQRT1_2);

		cr_assert_eq(z[i] < 0, below, "element %llu", (unsigned long long)i);
		cr_assert_float_eq(tail / p, 1.0, 2e-14, "element %llu: z = %.17g",
				   (unsigned long long)i, z[i]);
	}
}

Test(generate, normals_have_the_mean_variance_and_tails_of_a_normal)
{
	const struct ki_generator g = {.kind = KI_GENERATOR_NORMAL, .seed = 77, .a = 3, .b = 0.5};
	double *x = malloc(MANY * sizeof *x);
	double sum = 0, squares = 0, cubes = 0;
	unsigned beyond_1 = 0, beyond_3 = 0, beyond_5 = 0;

	cr_assert(x != NULL);
	ki_generate_doubles(x, &g, 0, 0, MANY);
	for (unsigned i = 0; i < MANY; i++) {
		double z = (x[i] - 3) / 0.5;

		sum += z;
		squares += z * z;
		cubes += z * z * z;
		beyond_1 += fabs(z) > 1;
		beyond_3 += fabs(z) > 3;
		beyond_5 += fabs(z) > 5;
	}
	free(x);
	/* Five standard errors each. */
	cr_assert_lt(fabs(sum / MANY), 5e-3);
	cr_assert_lt(fabs(squares / MANY - 1), 5e-3 * M_SQRT2);
	cr_assert_lt(fabs(cubes / MANY), 5e-3 * 3.873);
	cr_assert_lt(fabs(beyond_1 - 317310.5), 5 * 465.4);
	cr_assert_lt(fabs(beyond_3 - 2699.8), 5 * 51.9);
	cr_assert_leq(beyond_5, 6);
	cr_assert_gt(beyond_3, 0);
}

Test(generate, a_uniform_stays_in_its_range_and_fills_it)
{
	const struct ki_generator g = {.kind = KI_GENERATOR_UNIFORM, .seed = 5, .a = -2, .b = 6};
	unsigned bins[8] = {0};
	double x[8000];

	ki_generate_doubles(x, &g, 0, 0, 8000);
	for (unsigned i = 0; i < 8000; i++) {
		cr_assert(x[i] >= -2 && x[i] < 6);
		bins[(unsigned)(x[i] + 2)]++;
	}
	for (unsigned b = 0; b < 8; b++)
		cr_assert(bins[b] > 850 && bins[b] < 1150, "bin %u holds %u", b, bins[b]);
}

Test(generate, a_uniform_never_rounds_up_to_its_high_end)
{
	static const struct {
		double low, high;
	} ranges[] = {{1, 0x1.0000000000001p0},
		      {-1, -0x1.fffffffffffffp-1},
		      {-0x1p-1074, 0},
		      {0, 0x1p-1074}};
	double x[2000];

	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
		const struct ki_generator g = {
			.kind = KI_GENERATOR_UNIFORM, .a = ranges[r].low, .b = ranges[r].high};

		ki_generate_doubles(x, &g, 0, 0, 2000);
		for (unsigned i = 0; i < 2000; i++)
			cr_assert_eq(x[i], ranges[r].low, "range %zu", r);
	}
}

Test(generate, constants_and_empty_ranges_are_exact)
{
	const struct ki_generator constant = {.kind = KI_GENERATOR_CONSTANT, .a = 0.1};
	const struct ki_generator point = {.kind = KI_GENERATOR_UNIFORM, .a = -0.3, .b = -0.3};
	const struct ki_generator mean = {.kind = KI_GENERATOR_NORMAL, .a = 7, .b = 0};
	double x[3];

	ki_generate_doubles(x, &constant, 0, 5, 3);
	cr_assert(x[0] == 0.1 && x[1] == 0.1 && x[2] == 0.1);
	ki_generate_doubles(x, &point, 0, 5, 3);
	cr_assert(x[0] == -0.3 && x[1] == -0.3 && x[2] == -0.3);
	ki_generate_doubles(x, &mean, 0, 5, 3);
	cr_assert(x[0] == 7 && x[1] == 7 && x[2] == 7);
}

Test(generate, kaiming_uniform_has_torchs_bound)
{
	/* a = sqrt(5), fan-in 36: a bound of 1 / sqrt(36). */
	const struct ki_generator g = {.kind = KI_GENERATOR_KAIMING_UNIFORM,
				       .seed = 2,
				       .a = 2.23606797749979,
				       .fan_in = 36};
	double x[20000], largest = 0, least = 0;

	ki_generate_doubles(x, &g, 0, 0, 20000);
	for (unsigned i = 0; i < 20000; i++) {
		largest = fmax(largest, x[i]);
		least = fmin(least, x[i]);
	}
	cr_assert(largest <= 1.0 / 6.0 && largest > 0.999 / 6.0, "%g", largest);
	cr_assert(least >= -1.0 / 6.0 && least < -0.999 / 6.0, "%g", least);
}
