/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/seed.h"
#include "measure/method.h"
#include "measure/schedule.h"
#include "run/judge.h"
#include "run/trial.h"

/* Parts of a trial, for the progress line; the rest is timing. */
#define TRIAL_DONE_INPUTS 0.1
#define TRIAL_DONE_CHECKS 0.35
#define TRIAL_DONE_TIMING 0.95

enum { TRIAL_SEED_CHECK = 1, TRIAL_SEED_WARM, TRIAL_SEED_SCHEDULE, TRIAL_SEED_REPLICATE };

struct trial {
	const struct ki_run_setting *setting;
	const struct ki_case *c;
	const struct ki_backend *backends;
	size_t n;
	struct ki_contender *contenders;
	size_t n_started;
	struct ki_judge judge;
	bool judge_started;
	struct ki_region inputs;
	uint64_t seed;      /* of this case */
	uint32_t replicate; /* which fresh workers these are, from 0 */
	ki_trial_report report;
	void *context;
};

static void trial_tell(const struct trial *t, double done, const char *what, const char *whom)
{
	char text[128];

	if (t->report == NULL)
		return;
	snprintf(text, sizeof text, "%s%s%s", what, whom[0] != '\0' ? " " : "", whom);
	t->report(t->context, done, text);
}

/* The stream of a content: the first is the plan's own, the others nobody knows beforehand. */
static uint64_t trial_stream(const struct trial *t, size_t content)
{
	const uint64_t *nonce = t->setting->workers.nonce;

	return content == 0 ? 0 : ki_seed_derive(nonce[0] ^ nonce[1], content);
}

static int trial_inputs(struct trial *t, struct ki_error *e)
{
	size_t n_contents = t->setting->plan->verification.contents, content, i;
	uint64_t sizes[KI_CASE_OPERANDS_MAX] = {0};
	int rc;

	for (i = 0; i < t->c->n_inputs; i++)
		sizes[i] = t->c->operands[i].bytes;
	rc = ki_region_new(&t->inputs, "ki-inputs", sizes, t->c->n_operands, n_contents, e);
	for (content = 0; rc == KI_SUCCESS && content < n_contents; content++)
		for (i = 0; rc == KI_SUCCESS && i < t->c->n_inputs; i++) {
			const struct ki_case_operand *o = &t->c->operands[i];

			rc = ki_generate(ki_region_at(&t->inputs, content, i), o->dtype,
					 &o->generator, trial_stream(t, content), o->elements,
					 t->setting->threads, e);
		}
	if (rc == KI_SUCCESS)
		(void)ki_region_seal(&t->inputs);
	return rc;
}

/*
 * Found before the kernel would: shared memory is promised first and missed later, and whoever then
 * touches it is killed.  A plugin's own memory is not in it.
 */
static int trial_fits(const struct trial *t, struct ki_error *e)
{
	uint64_t available = ki_memory_available();
	double inputs = 0, outputs = 0, need;
	size_t i;

	for (i = 0; i < t->c->n_operands; i++)
		*(i < t->c->n_inputs ? &inputs : &outputs) += (double)t->c->operands[i].bytes;
	/* Every backend and the reference: outputs here, all operands in the worker. */
	need = inputs * (double)t->setting->plan->verification.contents +
	       (outputs + inputs + outputs + (double)t->setting->slack_bytes) * (double)(t->n + 1);
	if (available == 0 || need <= (double)available)
		return KI_SUCCESS;
	return ki_error_set(e, KI_FAIL_LIMIT,
			    "case %s needs %.3g GB of memory with %zu backend%s, and %.3g GB are "
			    "available; leave it out with --case",
			    t->c->label, need * 1e-9, t->n, t->n == 1 ? "" : "s",
			    (double)available * 1e-9);
}

static bool trial_interrupted(const struct trial *t)
{
	size_t i;

	if (t->judge_started && t->judge.interrupted)
		return true;
	for (i = 0; i < t->n_started; i++)
		if (t->contenders[i].measurement->interrupted)
			return true;
	return false;
}

static int trial_start(struct trial *t, struct ki_measurement *measurements, struct ki_error *e)
{
	size_t i;
	int rc = ki_judge_start(&t->judge, t->setting, t->c, &t->inputs, e);

	if (rc != KI_SUCCESS)
		return rc;
	t->judge_started = true;
	for (i = 0; rc == KI_SUCCESS && i < t->n; i++) {
		trial_tell(t, TRIAL_DONE_INPUTS, "starting", t->backends[i].label);
		rc = ki_contender_start(&t->contenders[i], t->setting, t->c, &t->backends[i],
					KI_CONTENDER_CANDIDATE, 0, &t->inputs, &measurements[i], e);
		t->n_started += rc == KI_SUCCESS ? 1u : 0u;
	}
	return rc;
}

/* A case that cannot be judged says nothing about anyone. */
static void trial_note_unfit(struct trial *t)
{
	enum ki_finding_code code = t->judge.oracle.live && t->judge.reference.live
					    ? KI_FINDING_SELF_TEST_BLIND
					    : KI_FINDING_REFERENCE_FAILED;
	size_t i;

	if (t->judge.fit || t->judge.interrupted)
		return;
	for (i = 0; i < t->n_started; i++) {
		struct ki_findings *f = &t->contenders[i].measurement->findings;

		if (!ki_findings_has(f, code))
			ki_findings_add(f, code, "before timing", "%s", t->judge.unfit);
		t->contenders[i].live = false;
	}
}

/* Who has a finding is not measured any further. */
static void trial_retire(struct trial *t)
{
	size_t i;

	for (i = 0; i < t->n_started; i++)
		if (t->contenders[i].measurement->findings.count > 0)
			t->contenders[i].live = false;
}

static size_t trial_live(const struct trial *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->n_started; i++)
		n += t->contenders[i].live ? 1u : 0u;
	return n;
}

static int trial_checks(struct trial *t, struct ki_error *e)
{
	size_t n_contents = t->setting->plan->verification.contents, content, i;
	uint64_t seed = ki_seed_derive(t->seed, TRIAL_SEED_CHECK);
	int rc = KI_SUCCESS;

	for (content = 0; rc == KI_SUCCESS && content < n_contents; content++) {
		double done = TRIAL_DONE_INPUTS + (TRIAL_DONE_CHECKS - TRIAL_DONE_INPUTS) *
							  (double)content / (double)n_contents;

		for (i = 0; i < t->n_started; i++) {
			trial_tell(t, done, "checking", t->backends[i].label);
			ki_contender_check(&t->contenders[i], content,
					   ki_seed_derive(seed, content * t->n + i));
		}
		if (trial_interrupted(t))
			break;
		/* Only here, so that the wrong outputs are made once. */
		rc = ki_judge_compare(&t->judge, t->contenders, t->n_started, content,
				      "before timing", content == 0, e);
		trial_note_unfit(t);
		trial_retire(t);
		if (trial_live(t) == 0)
			break;
	}
	ki_judge_pause(&t->judge);
	return rc;
}

/* Numbers the contenders that are measured: order[0 .. n - 1] are their indices. */
static uint32_t trial_order(const struct trial *t, size_t *order)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < t->n_started; i++)
		if (t->contenders[i].live)
			order[n++] = i;
	return n;
}

/* Between 0 and 1: where in all of the timing a share of this replicate's is. */
static double trial_timing_done(const struct trial *t, double share)
{
	double replicates = (double)t->setting->plan->schedule.replicates;

	return TRIAL_DONE_CHECKS + (TRIAL_DONE_TIMING - TRIAL_DONE_CHECKS) *
					   ((double)t->replicate + share) / replicates;
}

/* A new seed for each replicate, so that its placements and its orders are others. */
static uint64_t trial_replicate_seed(const struct trial *t)
{
	return ki_seed_derive(ki_seed_derive(t->seed, TRIAL_SEED_REPLICATE), t->replicate);
}

static void trial_slot(struct trial *t, const struct ki_schedule_slot *slot, struct ki_contender *k)
{
	uint32_t segments = (uint32_t)t->setting->plan->schedule.segments;
	uint64_t samples = ki_schedule_samples(k->measurement->n_planned, segments, slot->segment);

	if (samples > KI_METHOD_SEGMENT_SAMPLES_MAX)
		samples = KI_METHOD_SEGMENT_SAMPLES_MAX;
	ki_contender_segment(k, slot->block % t->setting->plan->verification.contents,
			     slot->placement, slot->segment, samples);
}

static int trial_timing(struct trial *t, struct ki_error *e)
{
	uint64_t seed = trial_replicate_seed(t);
	size_t *order = calloc(t->n + 1, sizeof *order), i;
	struct ki_schedule schedule = {0};
	int rc = KI_SUCCESS;
	uint32_t n;

	if (order == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	n = trial_order(t, order);
	if (n == 0)
		goto out;
	for (i = 0; i < n; i++) {
		trial_tell(t, trial_timing_done(t, 0), "warming up", t->backends[order[i]].label);
		ki_contender_warm(&t->contenders[order[i]], 0,
				  ki_seed_derive(ki_seed_derive(seed, TRIAL_SEED_WARM), i));
	}
	rc = ki_schedule_new(&schedule, n, (uint32_t)t->setting->plan->schedule.segments,
			     ki_seed_derive(seed, TRIAL_SEED_SCHEDULE), e);
	for (i = 0; rc == KI_SUCCESS && i < schedule.n_slots && !trial_interrupted(t); i++) {
		struct ki_contender *k = &t->contenders[order[schedule.slots[i].backend]];

		trial_tell(t, trial_timing_done(t, (double)i / (double)schedule.n_slots), "timing",
			   k->backend->label);
		trial_slot(t, &schedule.slots[i], k);
	}
out:
	ki_schedule_free(&schedule);
	free(order);
	return rc;
}

/* What the very last timed launch of each left: all of one block, so of one content. */
static int trial_check_timed(struct trial *t, struct ki_error *e)
{
	size_t n_contents = t->setting->plan->verification.contents;
	size_t last = (t->setting->plan->schedule.segments / 2 - 1) % n_contents;
	int rc;

	if (trial_live(t) == 0 || trial_interrupted(t))
		return KI_SUCCESS;
	trial_tell(t, trial_timing_done(t, 1), "checking what was timed", "");
	rc = ki_judge_compare(&t->judge, t->contenders, t->n_started, last, "timed", false, e);
	trial_note_unfit(t);
	trial_retire(t);
	ki_judge_pause(&t->judge);
	return rc;
}

/* A worker that has been measured ends, and a fresh one takes its place. */
static int trial_renew(struct trial *t, struct ki_error *e)
{
	size_t i;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < t->n_started; i++) {
		struct ki_contender *k = &t->contenders[i];
		struct ki_measurement *m = k->measurement;
		bool live = k->live;

		ki_contender_finish(k);
		if (!live || m->interrupted || m->findings.count > 0)
			continue;
		trial_tell(t, trial_timing_done(t, 0), "starting", t->backends[i].label);
		rc = ki_contender_start(k, t->setting, t->c, &t->backends[i],
					KI_CONTENDER_CANDIDATE, 0, &t->inputs, m, e);
		if (rc == KI_SUCCESS)
			k->replicate = t->replicate;
	}
	return rc;
}

/*
 * The first workers were checked on every content before they are timed; of the others, what the
 * last timed launch left is.
 */
static int trial_replicates(struct trial *t, struct ki_error *e)
{
	uint32_t n = (uint32_t)t->setting->plan->schedule.replicates;
	int rc = KI_SUCCESS;

	for (t->replicate = 0; rc == KI_SUCCESS && t->replicate < n; t->replicate++) {
		if (t->replicate > 0)
			rc = trial_renew(t, e);
		if (trial_live(t) == 0 || trial_interrupted(t))
			break;
		if (rc == KI_SUCCESS)
			rc = trial_timing(t, e);
		if (rc == KI_SUCCESS)
			rc = trial_check_timed(t, e);
	}
	return rc;
}

static int trial_summaries(const struct trial *t, struct ki_error *e)
{
	size_t i;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < t->n_started; i++)
		if (t->contenders[i].measurement->n_samples > 0)
			rc = ki_measurement_summarize(t->contenders[i].measurement, e);
	return rc;
}

int ki_trial_run(struct ki_measurement *measurements, const struct ki_run_setting *setting,
		 const struct ki_case *c, const struct ki_backend *backends, size_t n_backends,
		 ki_trial_report report, void *context, struct ki_error *e)
{
	struct trial t = {.setting = setting,
			  .c = c,
			  .backends = backends,
			  .n = n_backends,
			  .inputs = {.fd = -1},
			  .report = report,
			  .context = context};
	bool interrupted;
	size_t i;
	int rc = KI_SUCCESS;

	memcpy(&t.seed, c->workload_digest.text + sizeof "sha256", sizeof t.seed);
	t.seed = ki_seed_derive(setting->seed, t.seed);
	t.contenders = calloc(n_backends, sizeof *t.contenders);
	if (t.contenders == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	trial_tell(&t, 0, "making inputs", "");
	rc = trial_fits(&t, e);
	if (rc == KI_SUCCESS)
		rc = trial_inputs(&t, e);
	if (rc == KI_SUCCESS)
		rc = trial_start(&t, measurements, e);
	if (rc == KI_SUCCESS)
		rc = trial_checks(&t, e);
	if (rc == KI_SUCCESS && !trial_interrupted(&t))
		rc = trial_replicates(&t, e);
	for (i = 0; i < t.n_started; i++)
		ki_contender_finish(&t.contenders[i]);
	interrupted = trial_interrupted(&t);
	if (t.judge_started)
		ki_judge_finish(&t.judge);
	if (rc == KI_SUCCESS && interrupted)
		rc = ki_error_set(e, KI_FAIL_INTERRUPT, "interrupted");
	if (rc == KI_SUCCESS)
		rc = trial_summaries(&t, e);
	ki_region_free(&t.inputs);
	free(t.contenders);
	return rc;
}
