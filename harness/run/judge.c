/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "run/judge.h"
#include "verify/compare.h"
#include "verify/selftest.h"

/* Bytes of float64 oracle output that exist at a time. */
#define JUDGE_TILE_BYTES ((uint64_t)64 << 20)
#define JUDGE_SEED_SALT 0x6a75646765ull /* "judge" */

/* The wrong outputs of the self-test stand behind the contenders. */
enum { SELF_TEST_ZEROS, SELF_TEST_SHIFTED, SELF_TESTS };

struct judge_output {
	struct ki_judge *judge;
	const struct ki_case_operand *operand;
	size_t index; /* among the case's operands */
	struct ki_compare *compare;
	size_t n_contenders;
	size_t n_candidates;     /* contenders, and the self-test's */
	const void **candidates; /* whole outputs */
	const void **tiles;      /* the rows of each that are compared at the moment */
	uint64_t *keys;
	void *wrong[SELF_TESTS];
	bool shifted;
};

/* Rows of any output that fit into a tile; at least one, and no more than the longest output has.
 */
static uint64_t judge_tile_rows(const struct ki_case *c)
{
	uint64_t widest = 1, longest = 1, rows;
	size_t i;

	for (i = c->n_inputs; i < c->n_operands; i++) {
		widest = c->operands[i].row_length > widest ? c->operands[i].row_length : widest;
		longest = c->operands[i].rows > longest ? c->operands[i].rows : longest;
	}
	rows = JUDGE_TILE_BYTES / (widest * sizeof(double));
	return rows < 1 ? 1 : rows < longest ? rows : longest;
}

/* Notes why there is no judging; the first reason stays. */
static void judge_unfit(struct ki_judge *j, const char *who, const char *label,
			const struct ki_measurement *notes)
{
	const struct ki_finding *cause = ki_findings_cause(&notes->findings);

	j->interrupted = j->interrupted || notes->interrupted;
	if (!j->fit)
		return;
	j->fit = false;
	snprintf(j->unfit, sizeof j->unfit, "the %s %s failed: %s", who, label,
		 cause != NULL ? cause->text : "interrupted");
}

int ki_judge_start(struct ki_judge *j, const struct ki_run_setting *setting,
		   const struct ki_case *c, const struct ki_region *inputs, struct ki_error *e)
{
	int rc;

	*j = (struct ki_judge){.setting = setting, .c = c, .fit = true};
	j->tile_rows = judge_tile_rows(c);
	rc = ki_measurement_init(&j->oracle_notes, e);
	if (rc == KI_SUCCESS)
		rc = ki_measurement_init(&j->reference_notes, e);
	if (rc == KI_SUCCESS)
		rc = ki_contender_start(&j->oracle, setting, c, setting->oracle,
					KI_CONTENDER_ORACLE, j->tile_rows, inputs, &j->oracle_notes,
					e);
	if (rc == KI_SUCCESS)
		rc = ki_contender_start(&j->reference, setting, c, setting->reference,
					KI_CONTENDER_CANDIDATE, 0, inputs, &j->reference_notes, e);
	if (rc != KI_SUCCESS) {
		ki_judge_finish(j);
		return rc;
	}
	if (!j->oracle.live)
		judge_unfit(j, "oracle", setting->oracle->label, &j->oracle_notes);
	if (!j->reference.live)
		judge_unfit(j, "reference", setting->reference->label, &j->reference_notes);
	return KI_SUCCESS;
}

static void output_free(struct judge_output *o)
{
	ki_compare_free(o->compare);
	free(o->candidates);
	free(o->tiles);
	free(o->keys);
	free(o->wrong[SELF_TEST_ZEROS]);
	free(o->wrong[SELF_TEST_SHIFTED]);
}

static int output_self_tests(struct judge_output *o, struct ki_error *e)
{
	const struct ki_case_operand *op = o->operand;
	int i;

	for (i = 0; i < SELF_TESTS; i++) {
		o->wrong[i] = malloc(op->bytes);
		if (o->wrong[i] == NULL)
			return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
		o->candidates[o->n_candidates++] = o->wrong[i];
	}
	ki_selftest_zeros(o->wrong[SELF_TEST_ZEROS], op->dtype, op->rows, op->row_length);
	o->shifted = ki_selftest_shifted(o->wrong[SELF_TEST_SHIFTED],
					 ki_region_at(&o->judge->reference.outputs, 0, o->index),
					 op->dtype, op->rows, op->row_length);
	return KI_SUCCESS;
}

static int output_init(struct judge_output *o, const struct ki_contender *contenders,
		       bool self_test, struct ki_error *e)
{
	size_t i, most = o->n_contenders + SELF_TESTS;

	o->candidates = calloc(most, sizeof *o->candidates);
	o->tiles = calloc(most, sizeof *o->tiles);
	o->keys = calloc(most, sizeof *o->keys);
	if (o->candidates == NULL || o->tiles == NULL || o->keys == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	for (i = 0; i < o->n_contenders; i++) {
		if (!contenders[i].live)
			continue;
		o->candidates[i] = ki_region_at(&contenders[i].outputs, 0, o->index);
		o->keys[i] = ki_contender_poison(&contenders[i], o->index);
	}
	o->n_candidates = o->n_contenders;
	if (self_test) {
		int rc = output_self_tests(o, e);

		if (rc != KI_SUCCESS)
			return rc;
	}
	return ki_compare_new(&o->compare, o->operand->dtype, o->operand->rows,
			      o->operand->row_length, (unsigned)o->n_candidates, e);
}

/* Walks over the rows; false when the oracle failed on the way. */
static bool output_add_tiles(struct judge_output *o, size_t content)
{
	const struct ki_case_operand *op = o->operand;
	struct ki_judge *j = o->judge;
	const char *eager = ki_region_at(&j->reference.outputs, 0, o->index);
	const double *ref = ki_region_at(&j->oracle.outputs, 0, o->index);
	uint64_t row_bytes = op->row_length * ki_dtype_bytes(op->dtype), first, n;
	size_t i;

	for (first = 0; first < op->rows; first += n) {
		n = op->rows - first < j->tile_rows ? op->rows - first : j->tile_rows;
		if (!ki_contender_rows(&j->oracle, content, o->index, first, n))
			return false;
		for (i = 0; i < o->n_candidates; i++)
			o->tiles[i] = o->candidates[i] != NULL
					      ? (const char *)o->candidates[i] + first * row_bytes
					      : NULL;
		ki_compare_add(o->compare, first, n, ref, eager + first * row_bytes, o->tiles,
			       o->keys);
	}
	return true;
}

/* Did the comparison tell the wrong outputs from the reference's? */
static void output_judge_self_tests(struct judge_output *o, const struct ki_compare_limits *limits)
{
	struct ki_compare_result eager, wrong[SELF_TESTS];
	char why[KI_SELFTEST_WHY_MAX];
	unsigned i;

	ki_compare_reference_result(&eager, o->compare, limits);
	for (i = 0; i < SELF_TESTS; i++)
		ki_compare_result(&wrong[i], o->compare, (unsigned)o->n_contenders + i, limits);
	if (ki_selftest_judge(why, &eager, &wrong[SELF_TEST_ZEROS],
			      o->shifted ? &wrong[SELF_TEST_SHIFTED] : NULL) ||
	    !o->judge->fit)
		return;
	o->judge->fit = false;
	snprintf(o->judge->unfit, sizeof o->judge->unfit, "output %s: %s", o->operand->name, why);
}

static int judge_output(struct ki_judge *j, size_t index, struct ki_contender *contenders, size_t n,
			size_t content, const char *phase, bool self_test, struct ki_error *e)
{
	const struct ki_compare_limits limits = {.row = j->setting->plan->verification.row_limit,
						 .pool = j->setting->plan->verification.pool_limit};
	struct judge_output o = {
		.judge = j, .operand = &j->c->operands[index], .index = index, .n_contenders = n};
	struct ki_compare_result result;
	size_t i;
	int rc = output_init(&o, contenders, self_test, e);

	if (rc != KI_SUCCESS)
		goto out;
	if (!output_add_tiles(&o, content)) {
		judge_unfit(j, "oracle", j->setting->oracle->label, &j->oracle_notes);
		goto out;
	}
	if (self_test)
		output_judge_self_tests(&o, &limits);
	for (i = 0; j->fit && i < n; i++) {
		if (!contenders[i].live)
			continue;
		ki_compare_result(&result, o.compare, (unsigned)i, &limits);
		ki_measurement_note(contenders[i].measurement, &result, o.operand->name, phase,
				    content, o.operand->rows);
	}
out:
	output_free(&o);
	return rc;
}

int ki_judge_compare(struct ki_judge *j, struct ki_contender *contenders, size_t n, size_t content,
		     const char *phase, bool self_test, struct ki_error *e)
{
	size_t i;
	int rc = KI_SUCCESS;

	if (!j->fit)
		return KI_SUCCESS;
	ki_contender_check(&j->reference, content,
			   ki_seed_derive(j->setting->seed, JUDGE_SEED_SALT + content));
	if (!j->reference.live) {
		judge_unfit(j, "reference", j->setting->reference->label, &j->reference_notes);
		return KI_SUCCESS;
	}
	for (i = j->c->n_inputs; rc == KI_SUCCESS && j->fit && i < j->c->n_operands; i++)
		rc = judge_output(j, i, contenders, n, content, phase, self_test, e);
	return rc;
}

void ki_judge_pause(struct ki_judge *j)
{
	ki_contender_pause(&j->oracle);
	ki_contender_pause(&j->reference);
}

void ki_judge_finish(struct ki_judge *j)
{
	ki_contender_finish(&j->oracle);
	ki_contender_finish(&j->reference);
	ki_measurement_fini(&j->oracle_notes);
	ki_measurement_fini(&j->reference_notes);
}
