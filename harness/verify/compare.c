/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "base/size.h"
#include "verify/compare.h"

#ifdef __FAST_MATH__
#error "NaN must stay NaN: compile without -ffast-math"
#endif

/* Elements converted at a time: small enough for L1. */
#define BLOCK 512

/*
 * Sums run in this many accumulators, element i of a row in accumulator i % LANES, so that they
 * vectorise without the compiler's leave to reorder.
 */
#define LANES 8

#define POISON_WORD_BYTES 8
#define POISON_TAIL_LEAST_BYTES 4

/* Sums of one row. */
struct sums {
	double squared_error[LANES];
	double max_absolute[LANES];
	double max_relative[LANES];
};

/* What is known of the eager reference or of one candidate. */
struct side {
	double *squared_error; /* one a row; owned */
	uint64_t next_row;
	bool out_of_order;
	uint64_t class_mismatches;
	uint64_t nonzero_in_zero_rows;
	double max_absolute;
	double max_relative;
	uint64_t poison_words;
	/* The start of a word whose end is in the next tile. */
	unsigned char carry[POISON_WORD_BYTES];
	unsigned carry_bytes;
};

struct ki_compare {
	enum ki_dtype t;
	uint64_t rows;
	uint64_t row_length;
	uint64_t elements;
	double *squared_reference; /* one a row; owned */
	unsigned n_sides;
	struct side *sides; /* the eager reference, then the candidates; owned */
};

int ki_compare_new(struct ki_compare **out, enum ki_dtype t, uint64_t rows, uint64_t row_length,
		   unsigned n_candidates, struct ki_error *e)
{
	struct ki_compare *c;
	uint64_t bytes;

	if (rows == 0 || row_length == 0)
		return ki_error_set(e, KI_FAIL_INPUT,
				    "an output without elements (%" PRIu64 " rows of %" PRIu64
				    ") cannot be compared",
				    rows, row_length);
	c = calloc(1, sizeof *c);
	if (c == NULL)
		goto out;
	*c = (struct ki_compare){.t = t, .rows = rows, .row_length = row_length};
	if (!ki_size_mul(&c->elements, rows, row_length) ||
	    !ki_size_mul(&bytes, c->elements, sizeof(double)) ||
	    !ki_size_mul(&bytes, rows, sizeof(double)) || bytes > SIZE_MAX)
		goto out;
	c->squared_reference = malloc((size_t)bytes);
	c->sides = calloc((size_t)n_candidates + 1, sizeof *c->sides);
	if (c->squared_reference == NULL || c->sides == NULL)
		goto out;
	c->n_sides = n_candidates + 1;
	for (unsigned i = 0; i < c->n_sides; i++) {
		c->sides[i].squared_error = malloc((size_t)bytes);
		if (c->sides[i].squared_error == NULL)
			goto out;
	}
	*out = c;
	return KI_SUCCESS;
out:
	ki_compare_free(c);
	return ki_error_set(e, KI_FAIL_MEMORY,
			    "no memory to compare %" PRIu64 " rows of %" PRIu64 " elements", rows,
			    row_length);
}

void ki_compare_free(struct ki_compare *c)
{
	if (c == NULL)
		return;
	for (unsigned i = 0; i < c->n_sides; i++)
		free(c->sides[i].squared_error);
	free(c->sides);
	free(c->squared_reference);
	free(c);
}

/* Pairs, not left to right: the same order whatever the compiler makes of it, and less rounding. */
static double lanes_sum(const double v[LANES])
{
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

static double lanes_max(const double v[LANES])
{
	double m = v[0];

	for (unsigned k = 1; k < LANES; k++)
		m = v[k] > m ? v[k] : m;
	return m;
}

static double row_squared_reference(const double *ref, uint64_t n)
{
	double sum[LANES] = {0};
	uint64_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		for (unsigned k = 0; k < LANES; k++)
			sum[k] += ref[i + k] * ref[i + k];
	}
	for (; i < n; i++)
		sum[i % LANES] += ref[i] * ref[i];
	if (isfinite(lanes_sum(sum)))
		return lanes_sum(sum);
	memset(sum, 0, sizeof sum);
	for (i = 0; i < n; i++) {
		if (isfinite(ref[i]))
			sum[i % LANES] += ref[i] * ref[i];
	}
	return lanes_sum(sum);
}

static inline void sums_add(struct sums *s, unsigned lane, double x, double ref)
{
	double d = x - ref;
	double size = fabs(d), scale = fabs(ref);
	double relative = size / (scale > 0 ? scale : INFINITY);

	s->squared_error[lane] += d * d;
	s->max_absolute[lane] = size > s->max_absolute[lane] ? size : s->max_absolute[lane];
	s->max_relative[lane] = relative > s->max_relative[lane] ? relative : s->max_relative[lane];
}

/* Element by element, with each one's class. */
static void block_add_classified(struct side *side, struct sums *s, const double *x,
				 const double *ref, unsigned n, bool zero_row)
{
	for (unsigned i = 0; i < n; i++) {
		if (isinf(ref[i]) && x[i] == ref[i])
			continue;
		if (!isfinite(ref[i]) || !isfinite(x[i])) {
			side->class_mismatches++;
			continue;
		}
		sums_add(s, i % LANES, x[i], ref[i]);
		if (zero_row && x[i] != 0)
			side->nonzero_in_zero_rows++;
	}
}

/*
 * As block_add_classified() outside a zero row, guessing that all is finite.  A NaN or infinity on
 * either side makes the sum NaN or infinite, and then *s is left alone and the answer is false.
 */
static bool block_add_finite(struct sums *s, const double *x, const double *ref, unsigned n)
{
	struct sums guess = *s;
	unsigned i = 0;

	for (; i + LANES <= n; i += LANES) {
		for (unsigned k = 0; k < LANES; k++)
			sums_add(&guess, k, x[i + k], ref[i + k]);
	}
	for (; i < n; i++)
		sums_add(&guess, i % LANES, x[i], ref[i]);
	if (!isfinite(lanes_sum(guess.squared_error)))
		return false;
	*s = guess;
	return true;
}

static void row_add(struct side *side, const struct ki_compare *c, uint64_t row,
		    const unsigned char *data, const double *ref)
{
	const size_t bytes = ki_dtype_bytes(c->t);
	const bool zero_row = c->squared_reference[row] == 0;
	struct sums s = {0};
	double x[BLOCK];
	double size;

	for (uint64_t at = 0; at < c->row_length; at += BLOCK) {
		uint64_t left = c->row_length - at;
		unsigned n = left < BLOCK ? (unsigned)left : BLOCK;

		ki_dtype_to_double(x, data + at * bytes, c->t, n);
		if (zero_row || !block_add_finite(&s, x, ref + at, n))
			block_add_classified(side, &s, x, ref + at, n, zero_row);
	}
	side->squared_error[row] = lanes_sum(s.squared_error);
	size = lanes_max(s.max_absolute);
	side->max_absolute = size > side->max_absolute ? size : side->max_absolute;
	size = lanes_max(s.max_relative);
	side->max_relative = size > side->max_relative ? size : side->max_relative;
}

/* Counts the words of the poison in size bytes that begin at byte offset of an output of whole. */
static void poison_count(struct side *side, const unsigned char *data, uint64_t offset,
			 uint64_t size, uint64_t whole, uint64_t key)
{
	uint64_t index = offset / POISON_WORD_BYTES;
	uint64_t word, expected;

	while (size > 0 && (side->carry_bytes > 0 || size < POISON_WORD_BYTES)) {
		side->carry[side->carry_bytes++] = *data++;
		size--;
		if (side->carry_bytes < POISON_WORD_BYTES)
			continue;
		memcpy(&word, side->carry, sizeof word);
		side->poison_words += word == ki_seed_poison_word(key, index++);
		side->carry_bytes = 0;
	}
	for (; size >= POISON_WORD_BYTES; size -= POISON_WORD_BYTES) {
		memcpy(&word, data, sizeof word);
		side->poison_words += word == ki_seed_poison_word(key, index++);
		data += POISON_WORD_BYTES;
	}
	if (size > 0) {
		memcpy(side->carry, data, size);
		side->carry_bytes = (unsigned)size;
	}
	if (index == whole / POISON_WORD_BYTES && side->carry_bytes >= POISON_TAIL_LEAST_BYTES &&
	    side->carry_bytes == whole % POISON_WORD_BYTES) {
		expected = ki_seed_poison_word(key, index);
		side->poison_words += memcmp(side->carry, &expected, side->carry_bytes) == 0;
	}
}

/* Whether rows first .. first + n - 1 are the next that this side needs. */
static bool side_advance(struct side *side, const struct ki_compare *c, uint64_t first, uint64_t n)
{
	if (first != side->next_row || n > c->rows - side->next_row)
		side->out_of_order = true;
	if (side->out_of_order)
		return false;
	side->next_row += n;
	return true;
}

static void side_add(struct side *side, const struct ki_compare *c, uint64_t first_row,
		     uint64_t n_rows, const double *ref, const unsigned char *data)
{
	const uint64_t row_bytes = c->row_length * ki_dtype_bytes(c->t);

	for (uint64_t r = 0; r < n_rows; r++)
		row_add(side, c, first_row + r, data + r * row_bytes, ref + r * c->row_length);
}

void ki_compare_add(struct ki_compare *c, uint64_t first_row, uint64_t n_rows, const double *ref,
		    const void *eager, const void *const *candidates, const uint64_t *poison_keys)
{
	const uint64_t row_bytes = c->row_length * ki_dtype_bytes(c->t);

	if (!side_advance(&c->sides[0], c, first_row, n_rows))
		return;
	for (uint64_t r = 0; r < n_rows; r++)
		c->squared_reference[first_row + r] =
			row_squared_reference(ref + r * c->row_length, c->row_length);
	side_add(&c->sides[0], c, first_row, n_rows, ref, eager);
	for (unsigned i = 1; i < c->n_sides; i++) {
		struct side *side = &c->sides[i];
		const void *data = candidates[i - 1];

		if (data == NULL || !side_advance(side, c, first_row, n_rows))
			continue;
		side_add(side, c, first_row, n_rows, ref, data);
		if (poison_keys != NULL)
			poison_count(side, data, first_row * row_bytes, n_rows * row_bytes,
				     c->rows * row_bytes, poison_keys[i - 1]);
	}
}

static double finite_or_max(double x)
{
	return isfinite(x) ? x : DBL_MAX;
}

/* error / noise; an error that no noise excuses, or a noise that is no number, counts as DBL_MAX.
 */
static double ratio_of(double error, double noise)
{
	if (error == 0 && noise == 0)
		return 0;
	if (!(noise > 0) || !isfinite(noise))
		return DBL_MAX;
	return finite_or_max(error / noise);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Sums of squares over all rows. */
struct totals {
	double reference;
	double eager;
	double candidate;
};

static struct totals compare_totals(const struct ki_compare *c, const struct side *side)
{
	struct totals t = {0};

	for (uint64_t r = 0; r < c->rows; r++) {
		t.reference += c->squared_reference[r];
		t.eager += c->sides[0].squared_error[r];
		t.candidate += side->squared_error[r];
	}
	return t;
}

/*
 * The rule of the header.  Each rms() there is over the same number of elements as the one it is
 * divided by, so roots of sums do.
 */
static void result_ratios(struct ki_compare_result *out, const struct ki_compare *c,
			  const struct side *side, double row_limit)
{
	const struct totals t = compare_totals(c, side);
	const double unit = ki_dtype_unit(c->t) / sqrt(3.0);
	const double reference = sqrt(t.reference), eager = sqrt(t.eager);
	const double relative = t.reference > 0 ? larger(unit, eager / reference) : unit;

	for (uint64_t r = 0; r < c->rows; r++) {
		double noise, ratio;

		if (c->squared_reference[r] == 0)
			continue;
		noise = larger(sqrt(c->sides[0].squared_error[r]),
			       relative * sqrt(c->squared_reference[r]));
		ratio = ratio_of(sqrt(side->squared_error[r]), noise);
		if (!(ratio <= row_limit))
			out->failing_rows++;
		if (ratio > out->row_ratio_max) {
			out->row_ratio_max = ratio;
			out->row_ratio_argmax = r;
		}
	}
	out->pool_ratio = ratio_of(sqrt(t.candidate), larger(eager, unit * reference));
	out->reference_rms = finite_or_max(sqrt(t.reference / (double)c->elements));
}

/* The first rule that failed; poison first, since it explains what the values look like. */
static void result_judge(struct ki_compare_result *out, const struct ki_compare_limits *limits)
{
	if (out->poison_words > 0)
		snprintf(out->why, sizeof out->why,
			 "never written: the poison is still there in %" PRIu64
			 " word%s of 8 bytes",
			 out->poison_words, out->poison_words == 1 ? "" : "s");
	else if (out->class_mismatches > 0)
		snprintf(out->why, sizeof out->why,
			 "%" PRIu64 " of %" PRIu64 " elements are NaN, or infinite where the "
			 "reference is not, or the reverse",
			 out->class_mismatches, out->elements);
	else if (out->nonzero_in_zero_rows > 0)
		snprintf(out->why, sizeof out->why,
			 "%" PRIu64 " elements are not zero in rows that must be zero",
			 out->nonzero_in_zero_rows);
	else if (!(out->row_ratio_max <= limits->row))
		snprintf(out->why, sizeof out->why,
			 "row %" PRIu64
			 " is off by %.3g times the rounding noise, limit %.3g; rows "
			 "beyond it: %" PRIu64,
			 out->row_ratio_argmax, out->row_ratio_max, limits->row, out->failing_rows);
	else if (!(out->pool_ratio <= limits->pool))
		snprintf(out->why, sizeof out->why,
			 "the whole output is off by %.3g times the rounding noise, limit %.3g",
			 out->pool_ratio, limits->pool);
	else
		out->passed = true;
}

static void side_result(struct ki_compare_result *out, const struct ki_compare *c,
			const struct side *side, const struct ki_compare_limits *limits)
{
	*out = (struct ki_compare_result){
		.elements = c->elements,
		.class_mismatches = side->class_mismatches,
		.poison_words = side->poison_words,
		.nonzero_in_zero_rows = side->nonzero_in_zero_rows,
		.max_absolute_error = finite_or_max(side->max_absolute),
		.max_relative_error = finite_or_max(side->max_relative),
	};
	/* Sums of rows that were not added hold nothing. */
	if (side->out_of_order || side->next_row < c->rows || c->sides[0].out_of_order ||
	    c->sides[0].next_row < c->rows) {
		snprintf(out->why, sizeof out->why,
			 "only %" PRIu64 " of %" PRIu64 " rows were compared, in order",
			 side->next_row, c->rows);
		return;
	}
	result_ratios(out, c, side, limits->row);
	result_judge(out, limits);
}

void ki_compare_result(struct ki_compare_result *out, const struct ki_compare *c, unsigned i,
		       const struct ki_compare_limits *limits)
{
	side_result(out, c, &c->sides[i + 1], limits);
}

void ki_compare_reference_result(struct ki_compare_result *out, const struct ki_compare *c,
				 const struct ki_compare_limits *limits)
{
	side_result(out, c, &c->sides[0], limits);
}
