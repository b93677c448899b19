/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins of multi-token attention against their oracle, and the oracle against the definition. */
#include "config.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mta_case.h"
#include "verify/compare.h"

enum { SCORES, WEIGHT, BIAS, Y };

static const struct mta_shape shapes[] = {
	{1, 1, 1, 1, 1, 1},
	{1, 1, 1, 1, 2, 3},
	{2, 4, 4, 1, 3, 3},
	{1, 2, 3, 1, 7, 5},
	{1, 4, 4, 1, 31, 3},
	{2, 4, 4, 2, 32, 3},
	{1, 3, 5, 1, 33, 3},
	{1, 4, 8, 4, 64, 1},
	{1, 2, 6, 1, 65, 7},
	{2, 4, 4, 1, 100, 3},
	{1, 4, 2, 2, 129, 5},
	{1, 1, 9, 1, 40, 31},
	{1, 2, 2, 1, 20, 65},
	{1, 5, 7, 1, 48, 3},
	/* A y that fused writes around the caches, in rows that are not aligned. */
	{1, 2, 4, 1, 365, 3},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static const enum ki_dtype dtypes[] = {KI_DTYPE_BF16, KI_DTYPE_FP16, KI_DTYPE_FP32};

/* The instruction sets to try; those that this CPU lacks are skipped. */
static const char *const isas[] = {"scalar", "avx2", "avx512"};

/* y as float64 by the oracle, of the inputs of c.  The caller's to free. */
static double *oracle(const struct mta_case *c, unsigned threads)
{
	struct mta_case o;
	double *y;
	int i;

	mta_case_init(&o, c->shape, c->dtype, KI_DTYPE_FP64, NULL);
	for (i = SCORES; i <= BIAS; i++)
		memcpy(o.tensors[i].data, c->tensors[i].data,
		       c->elements[i] * ki_dtype_bytes(c->dtype));
	mta_case_run(mta_case_kernel("mta-oracle.so"), &o, threads);
	y = malloc(o.elements[Y] * sizeof *y);
	cr_assert_not_null(y);
	memcpy(y, o.tensors[Y].data, o.elements[Y] * sizeof *y);
	mta_case_fini(&o);
	return y;
}

/* The definition, term by term. */
static double definition(const struct mta_case *c, uint64_t b, uint64_t o, int64_t i, int64_t j)
{
	const struct mta_shape *s = &c->shape;
	int64_t n = s->length, half = s->k / 2, ins = s->heads_in / s->groups;
	int64_t group = (int64_t)o / (s->heads_out / s->groups), in, ky, kx, t;
	double y = mta_case_get(c, BIAS, o);

	if (j > i)
		return 0;
	for (in = 0; in < ins; in++)
		for (ky = 0; ky < s->k; ky++)
			for (kx = 0; kx < s->k; kx++) {
				int64_t row = i + ky - half, column = j + kx - half;
				uint64_t base;
				double sum = 0;

				if (row < 0 || row >= n || column < 0 || column > row)
					continue;
				base = (((uint64_t)b * (uint64_t)s->heads_in +
					 (uint64_t)(group * ins + in)) *
						(uint64_t)n +
					(uint64_t)row) *
				       (uint64_t)n;
				for (t = 0; t <= row; t++)
					sum += exp(
						mta_case_get(c, SCORES, base + (uint64_t)t) -
						mta_case_get(c, SCORES, base + (uint64_t)column));
				y += mta_case_get(c, WEIGHT,
						  (((uint64_t)o * (uint64_t)ins + (uint64_t)in) *
							   (uint64_t)s->k +
						   (uint64_t)ky) * (uint64_t)s->k +
							  (uint64_t)kx) /
				     sum;
			}
	return y;
}

Test(mta_oracle, is_what_the_definition_says)
{
	static const struct mta_shape small[] = {
		{1, 1, 1, 1, 1, 1}, {2, 2, 3, 1, 5, 3}, {1, 4, 4, 2, 9, 3}, {1, 2, 2, 2, 6, 7}};
	size_t count = sizeof small / sizeof small[0], run;

	for (run = 0; run < 3 * count; run++) {
		size_t k = run % count;
		enum ki_dtype dtype = dtypes[run / count];
		uint64_t n = (uint64_t)small[k].length, at = 0, b, o, i, j;
		struct mta_case c;
		double *y;

		mta_case_init(&c, small[k], dtype, dtype, NULL);
		mta_case_fill(&c, 11 + k, 3);
		y = oracle(&c, 2);
		for (b = 0; b < (uint64_t)small[k].batch; b++)
			for (o = 0; o < (uint64_t)small[k].heads_out; o++)
				for (i = 0; i < n; i++)
					for (j = 0; j < n; j++, at++) {
						double want = definition(&c, b, o, (int64_t)i,
									 (int64_t)j);

						cr_assert(
							fabs(y[at] - want) < 1e-13,
							"shape %zu, element %llu: %.17g, not %.17g",
							k, (unsigned long long)at, y[at], want);
					}
		free(y);
		mta_case_fini(&c);
	}
}

Test(mta_oracle, any_span_of_rows_is_what_the_whole_holds)
{
	const struct ki_kernel *k = mta_case_kernel("mta-oracle.so");
	const struct ki_kernel_rows *rows = k->extension(KI_EXT_ROWS);
	const struct mta_shape shape = {2, 4, 6, 2, 70, 5};
	const uint64_t total = 2 * 6 * 70, spans[] = {1, 7, 69, 70, 71, 333, total};
	struct mta_case c;
	struct ki_launch l;
	ki_instance *i;
	double *whole, *part;
	size_t s;

	mta_case_init(&c, shape, KI_DTYPE_BF16, KI_DTYPE_FP64, NULL);
	mta_case_fill(&c, 5, 0);
	whole = oracle(&c, 2);
	part = calloc(total * 70, sizeof *part);
	cr_assert_not_null(part);
	c.tensors[Y].data = part;
	l = (struct ki_launch){.struct_size = sizeof l, .n_operands = 4, .operands = c.operands};
	i = mta_case_create(k, &c, 2);
	for (s = 0; s < sizeof spans / sizeof spans[0]; s++) {
		uint64_t first, n;

		for (first = 0; first < total; first += n) {
			n = total - first < spans[s] ? total - first : spans[s];
			memset(part, 0xff, total * 70 * sizeof *part);
			cr_assert_eq(rows->launch_rows(i, &l, Y, first, n), KI_OK);
			cr_assert_eq(memcmp(part, whole + first * 70, n * 70 * sizeof *part), 0,
				     "rows %llu to %llu", (unsigned long long)first,
				     (unsigned long long)(first + n));
		}
	}
	cr_assert_neq(rows->launch_rows(i, &l, Y, total, 1), KI_OK);
	cr_assert_neq(rows->launch_rows(i, &l, SCORES, 0, 1), KI_OK);
	k->destroy(i);
	free(whole);
	free(part);
	mta_case_fini(&c);
}

/*
 * In float32 a row of one element can come out near zero by cancellation, smaller than what its
 * terms round to, so the bound is of the terms: their sum is at most |bias| + the sum of |weight|.
 */
static void judge_fp32(const struct mta_case *c, const double *ref, const char *what)
{
	uint64_t plane = (uint64_t)(c->shape.length * c->shape.length), i, t;
	uint64_t taps = c->elements[WEIGHT] / (uint64_t)c->shape.heads_out;
	double terms = 0;

	for (i = 0; i < c->elements[Y]; i++) {
		uint64_t head = i / plane % (uint64_t)c->shape.heads_out;

		if (i % plane == 0) {
			terms = fabs(mta_case_get(c, BIAS, head));
			for (t = 0; t < taps; t++)
				terms += fabs(mta_case_get(c, WEIGHT, head * taps + t));
		}
		cr_assert(fabs(mta_case_get(c, Y, i) - ref[i]) <= 8 * 0x1p-24 * terms,
			  "%s, L %d, K %d, element %llu: %.9g, not %.9g", what,
			  (int)c->shape.length, (int)c->shape.k, (unsigned long long)i,
			  mta_case_get(c, Y, i), ref[i]);
	}
}

/* The comparison that the harness makes, with the limits of liger-forward.yaml. */
static void judge(const struct mta_case *c, const double *ref, const struct mta_case *eager,
		  const char *what)
{
	const struct ki_compare_limits limits = {.row = 4, .pool = 2};
	const void *candidates[1] = {c->tensors[Y].data};
	uint64_t rows = c->elements[Y] / (uint64_t)c->shape.length;
	struct ki_compare_result r;
	struct ki_compare *compare;

	if (c->dtype == KI_DTYPE_FP32) {
		judge_fp32(c, ref, what);
		return;
	}
	cr_assert_eq(ki_compare_new(&compare, c->dtype, rows, (uint64_t)c->shape.length, 1, NULL),
		     0);
	ki_compare_add(compare, 0, rows, ref, eager->tensors[Y].data, candidates, NULL);
	ki_compare_result(&r, compare, 0, &limits);
	cr_assert(r.passed, "%s, L %d, K %d, %s: %s", what, (int)c->shape.length, (int)c->shape.k,
		  ki_dtype_name(c->dtype), r.why);
	ki_compare_free(compare);
}

static void assert_zero_above_the_diagonal(const struct mta_case *c)
{
	uint64_t n = (uint64_t)c->shape.length, i;

	for (i = 0; i < c->elements[Y]; i++)
		if (i % n > i / n % n)
			cr_assert_eq(mta_case_get(c, Y, i), 0);
}

Test(mta, both_backends_are_right_on_every_shape_dtype_and_instruction_set, .timeout = 120)
{
	const struct ki_kernel *eager = mta_case_kernel("torch-reference.so");
	const struct ki_kernel *fused = mta_case_kernel("fused.so");
	size_t s, d, v, compared = 0;

	for (s = 0; s < SHAPES; s++)
		for (d = 0; d < 3; d++) {
			struct mta_case e, f;
			double *ref;
			int i;

			mta_case_init(&e, shapes[s], dtypes[d], dtypes[d], NULL);
			/* NaN where nothing may be read. */
			mta_case_fill(&e, 100 * s + d, NAN);
			mta_case_run(eager, &e, 1 + (unsigned)s % 3);
			ref = oracle(&e, 2);
			judge(&e, ref, &e, "eager");
			assert_zero_above_the_diagonal(&e);
			for (v = 0; v < 3; v++) {
				mta_case_init(&f, shapes[s], dtypes[d], dtypes[d], isas[v]);
				if (mta_case_supports(fused, &f, 1) == KI_OK) {
					for (i = SCORES; i <= BIAS; i++)
						memcpy(f.tensors[i].data, e.tensors[i].data,
						       e.elements[i] * ki_dtype_bytes(dtypes[d]));
					mta_case_run(fused, &f, 1 + (unsigned)(s + v) % 3);
					judge(&f, ref, &e, isas[v]);
					assert_zero_above_the_diagonal(&f);
					compared++;
				}
				mta_case_fini(&f);
			}
			free(ref);
			mta_case_fini(&e);
		}
	cr_assert_geq(compared, SHAPES * 3);
}

/* A score, or all of a row, set to something special. */
struct special {
	double value;
	uint64_t row;
	bool whole_row;
	enum ki_dtype dtype;
	bool is_nan; /* the row of p that comes of it */
};

#define SPECIAL_LENGTH 24

static void assert_near(const struct mta_case *c, const double *ref, const char *what)
{
	uint64_t at;

	for (at = 0; at < c->elements[Y]; at++) {
		double y = mta_case_get(c, Y, at);

		cr_assert_eq(isnan(ref[at]), isnan(y), "%s, element %d", what, (int)at);
		cr_assert(isnan(y) || fabs(y - ref[at]) < 0.01, "%s, element %d: %g, not %g", what,
			  (int)at, y, ref[at]);
	}
}

/* NaN is where the row reaches and nowhere else, in the oracle's y, eager's and fused's. */
static void assert_same_class(struct special s)
{
	const struct mta_shape shape = {1, 1, 1, 1, SPECIAL_LENGTH, 3};
	struct mta_case c;
	double *ref;
	uint64_t at;
	size_t v;

	for (v = 0; v < 4; v++) {
		const char *isa = v < 3 ? isas[v] : NULL;
		const struct ki_kernel *k =
			mta_case_kernel(isa != NULL ? "fused.so" : "torch-reference.so");

		mta_case_init(&c, shape, s.dtype, s.dtype, isa);
		mta_case_fill(&c, 3, 0);
		for (at = 0; at <= s.row; at++)
			if (s.whole_row || at == s.row / 2)
				mta_case_set(&c, SCORES, s.row * SPECIAL_LENGTH + at, s.value);
		ref = oracle(&c, 1);
		for (at = 0; at < c.elements[Y]; at++) {
			uint64_t i = at / SPECIAL_LENGTH, j = at % SPECIAL_LENGTH;
			bool touched = j <= i && i + 1 >= s.row && i <= s.row + 1;

			cr_assert_eq(isnan(ref[at]), s.is_nan && touched, "element %d", (int)at);
		}
		if (mta_case_supports(k, &c, 1) == KI_OK) {
			mta_case_run(k, &c, 1);
			assert_near(&c, ref, isa != NULL ? isa : "eager");
		}
		free(ref);
		mta_case_fini(&c);
	}
}

Test(mta, a_nan_reaches_the_rows_that_its_row_reaches_and_no_other)
{
	assert_same_class((struct special){NAN, 5, false, KI_DTYPE_BF16, true});
	assert_same_class((struct special){NAN, 0, true, KI_DTYPE_BF16, true});
	assert_same_class((struct special){NAN, 20, true, KI_DTYPE_FP32, true});
	/* The last bit of a float: arithmetic on the bits of a NaN may not lose it. */
	assert_same_class((struct special){nan("0x20000000"), 5, false, KI_DTYPE_FP32, true});
}

Test(mta, an_infinite_score_makes_its_row_nan)
{
	assert_same_class((struct special){INFINITY, 5, false, KI_DTYPE_BF16, true});
	assert_same_class((struct special){INFINITY, 23, false, KI_DTYPE_FP16, true});
	assert_same_class((struct special){INFINITY, 17, true, KI_DTYPE_FP32, true});
}

Test(mta, a_score_of_minus_infinity_counts_nothing)
{
	assert_same_class((struct special){-INFINITY, 5, false, KI_DTYPE_BF16, false});
	assert_same_class((struct special){-INFINITY, 23, false, KI_DTYPE_FP16, false});
}

Test(mta, a_row_as_small_as_what_is_masked_shares_with_it)
{
	assert_same_class((struct special){-INFINITY, 5, true, KI_DTYPE_BF16, false});
	assert_same_class((struct special){-1e9, 5, true, KI_DTYPE_BF16, false});
	assert_same_class((struct special){-9e8, 5, true, KI_DTYPE_FP32, false});
}

/* Nothing of the last row is masked, and -1e9 is -inf itself in fp16. */
Test(mta, a_row_of_minus_infinity_with_nothing_to_share_is_nan)
{
	assert_same_class((struct special){-INFINITY, 23, true, KI_DTYPE_BF16, true});
	assert_same_class((struct special){-INFINITY, 23, true, KI_DTYPE_FP32, true});
	assert_same_class((struct special){-INFINITY, 5, true, KI_DTYPE_FP16, true});
}

Test(mta, another_content_gives_another_output)
{
	static const char *const plugins[] = {"torch-reference.so", "fused.so"};
	const struct mta_shape shape = {1, 4, 4, 1, 50, 3};
	size_t p;

	for (p = 0; p < 2; p++) {
		const struct ki_kernel *k = mta_case_kernel(plugins[p]);
		struct mta_case c;
		ki_instance *i;
		uint16_t *first;
		size_t bytes;

		mta_case_init(&c, shape, KI_DTYPE_BF16, KI_DTYPE_BF16, NULL);
		bytes = c.elements[Y] * 2;
		first = malloc(bytes);
		cr_assert_not_null(first);
		i = mta_case_create(k, &c, 2);
		mta_case_fill(&c, 1, 0);
		mta_case_launch(k, i, &c);
		memcpy(first, c.tensors[Y].data, bytes);
		mta_case_fill(&c, 2, 0);
		mta_case_launch(k, i, &c);
		cr_assert_neq(memcmp(first, c.tensors[Y].data, bytes), 0);
		mta_case_fill(&c, 1, 0);
		mta_case_launch(k, i, &c);
		cr_assert_eq(memcmp(first, c.tensors[Y].data, bytes), 0, "%s", plugins[p]);
		k->destroy(i);
		free(first);
		mta_case_fini(&c);
	}
}

Test(mta, the_number_of_threads_changes_no_bit)
{
	static const char *const plugins[] = {"torch-reference.so", "fused.so"};
	const struct mta_shape shape = {2, 4, 4, 1, 150, 3};
	size_t p;

	for (p = 0; p < 2; p++) {
		const struct ki_kernel *k = mta_case_kernel(plugins[p]);
		struct mta_case c;
		uint16_t *first;
		unsigned threads;
		size_t bytes;

		mta_case_init(&c, shape, KI_DTYPE_BF16, KI_DTYPE_BF16, NULL);
		mta_case_fill(&c, 1, 0);
		bytes = c.elements[Y] * 2;
		first = malloc(bytes);
		cr_assert_not_null(first);
		mta_case_run(k, &c, 1);
		memcpy(first, c.tensors[Y].data, bytes);
		for (threads = 2; threads <= 5; threads++) {
			mta_case_run(k, &c, threads);
			cr_assert_eq(memcmp(first, c.tensors[Y].data, bytes), 0, "%s, %u threads",
				     plugins[p], threads);
		}
		free(first);
		mta_case_fini(&c);
	}
}

static int thread_count(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	cr_assert_not_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

Test(mta, no_thread_is_left_behind)
{
	static const char *const plugins[] = {"torch-reference.so", "fused.so", "mta-oracle.so"};
	const struct mta_shape shape = {1, 4, 4, 1, 200, 3};
	int before = thread_count(), i;
	size_t p;

	for (p = 0; p < 3; p++)
		for (i = 0; i < 30; i++) {
			const struct ki_kernel *k = mta_case_kernel(plugins[p]);
			struct mta_case c;

			mta_case_init(&c, shape, KI_DTYPE_BF16,
				      p == 2 ? KI_DTYPE_FP64 : KI_DTYPE_BF16, NULL);
			k->destroy(mta_case_create(k, &c, 4));
			mta_case_fini(&c);
		}
	cr_assert_eq(thread_count(), before);
}

/* ---------------------------------------------------------------- what is refused */

Test(mta, what_is_not_this_operation_is_refused_with_a_reason)
{
	static const char *const plugins[] = {"torch-reference.so", "fused.so", "mta-oracle.so"};
	const struct mta_shape shape = {1, 4, 4, 1, 8, 3};
	size_t p;
	int d;

	for (p = 0; p < 3; p++)
		for (d = 0; d < DAMAGES; d++) {
			const struct ki_kernel *k = mta_case_kernel(plugins[p]);
			struct mta_case c;

			mta_case_init(&c, shape, KI_DTYPE_BF16,
				      p == 2 ? KI_DTYPE_FP64 : KI_DTYPE_BF16, NULL);
			cr_assert_eq(mta_case_supports(k, &c, 1), KI_OK);
			mta_case_damage(&c, (enum mta_damage)d);
			cr_assert_eq(mta_case_supports(k, &c, 1), KI_E_UNSUPPORTED, "%s, damage %d",
				     plugins[p], d);
			cr_assert_str_not_empty(mta_case_reason());
			mta_case_fini(&c);
		}
}

Test(mta, y_in_another_dtype_is_refused)
{
	const struct mta_shape shape = {1, 4, 4, 1, 8, 3};
	struct mta_case c;

	mta_case_init(&c, shape, KI_DTYPE_BF16, KI_DTYPE_FP64, NULL);
	cr_assert_eq(mta_case_supports(mta_case_kernel("fused.so"), &c, 1), KI_E_UNSUPPORTED);
	cr_assert_eq(mta_case_supports(mta_case_kernel("torch-reference.so"), &c, 1),
		     KI_E_UNSUPPORTED);
	mta_case_fini(&c);
	mta_case_init(&c, shape, KI_DTYPE_BF16, KI_DTYPE_BF16, NULL);
	cr_assert_eq(mta_case_supports(mta_case_kernel("mta-oracle.so"), &c, 1), KI_E_UNSUPPORTED);
	mta_case_fini(&c);
	mta_case_init(&c, shape, KI_DTYPE_BF16, KI_DTYPE_BF16, "sse9");
	cr_assert_eq(mta_case_supports(mta_case_kernel("fused.so"), &c, 1), KI_E_UNSUPPORTED);
	mta_case_fini(&c);
}

Test(mta, without_the_attribute_there_is_one_group)
{
	static const char *const plugins[] = {"torch-reference.so", "fused.so"};
	const struct mta_shape shape = {1, 4, 4, 1, 12, 3};
	size_t p;

	for (p = 0; p < 2; p++) {
		const struct ki_kernel *k = mta_case_kernel(plugins[p]);
		struct mta_case c;
		uint16_t with[4 * 12 * 12];

		mta_case_init(&c, shape, KI_DTYPE_BF16, KI_DTYPE_BF16, NULL);
		mta_case_fill(&c, 1, 0);
		mta_case_run(k, &c, 1);
		memcpy(with, c.tensors[Y].data, sizeof with);
		c.workload.n_attrs = 1;
		mta_case_run(k, &c, 1);
		cr_assert_eq(memcmp(with, c.tensors[Y].data, sizeof with), 0, "%s", plugins[p]);
		mta_case_fini(&c);
	}
}
