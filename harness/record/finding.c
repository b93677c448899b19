/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "record/finding.h"
#include "record/manifest.h"

static const char *const verdict_names[KI_VERDICT_COUNT] = {
	[KI_VERDICT_UNSUPPORTED] = "unsupported",
	[KI_VERDICT_COMPILE_ERROR] = "compile_error",
	[KI_VERDICT_INVALID_REFERENCE] = "invalid_reference",
	[KI_VERDICT_SUSPECTED_REWARD_HACK] = "suspected_reward_hack",
	[KI_VERDICT_TIMEOUT] = "timeout",
	[KI_VERDICT_RESOURCE_EXCEEDED] = "resource_exceeded",
	[KI_VERDICT_RUNTIME_ERROR] = "runtime_error",
	[KI_VERDICT_POLICY_VIOLATION] = "policy_violation",
	[KI_VERDICT_INCORRECT_SHAPE] = "incorrect_shape",
	[KI_VERDICT_INCORRECT_DTYPE] = "incorrect_dtype",
	[KI_VERDICT_INCORRECT_NUMERICAL] = "incorrect_numerical",
	[KI_VERDICT_INCOMPLETE_EVIDENCE] = "incomplete_evidence",
	[KI_VERDICT_PASSED] = "passed",
};

static const struct {
	const char *name;
	enum ki_verdict verdict;
} finding_table[KI_FINDING_CODE_COUNT] = {
	[KI_FINDING_UNSUPPORTED] = {"unsupported", KI_VERDICT_UNSUPPORTED},
	[KI_FINDING_BUILD_FAILED] = {"build_failed", KI_VERDICT_COMPILE_ERROR},
	[KI_FINDING_REFERENCE_FAILED] = {"reference_failed", KI_VERDICT_INVALID_REFERENCE},
	[KI_FINDING_SELF_TEST_BLIND] = {"self_test_blind", KI_VERDICT_INVALID_REFERENCE},
	[KI_FINDING_DEADLINE] = {"deadline", KI_VERDICT_TIMEOUT},
	[KI_FINDING_OUT_OF_MEMORY] = {"out_of_memory", KI_VERDICT_RESOURCE_EXCEEDED},
	[KI_FINDING_CRASH] = {"crash", KI_VERDICT_RUNTIME_ERROR},
	[KI_FINDING_EARLY_EXIT] = {"early_exit", KI_VERDICT_RUNTIME_ERROR},
	[KI_FINDING_PROTOCOL_BROKEN] = {"protocol_broken", KI_VERDICT_RUNTIME_ERROR},
	[KI_FINDING_KERNEL_ERROR] = {"kernel_error", KI_VERDICT_RUNTIME_ERROR},
	[KI_FINDING_CONTRACT_BROKEN] = {"contract_broken", KI_VERDICT_RUNTIME_ERROR},
	[KI_FINDING_UNCLEAN_END] = {"unclean_end", KI_VERDICT_RUNTIME_ERROR},
	[KI_FINDING_GUARD_WRITTEN] = {"guard_written", KI_VERDICT_POLICY_VIOLATION},
	[KI_FINDING_INPUT_MUTATED] = {"input_mutated", KI_VERDICT_POLICY_VIOLATION},
	[KI_FINDING_POISON_SURVIVED] = {"poison_survived", KI_VERDICT_INCORRECT_NUMERICAL},
	[KI_FINDING_CLASS_MISMATCH] = {"class_mismatch", KI_VERDICT_INCORRECT_NUMERICAL},
	[KI_FINDING_NOISE_RATIO] = {"noise_ratio", KI_VERDICT_INCORRECT_NUMERICAL},
	[KI_FINDING_HARNESS_FAILED] = {"harness_failed", KI_VERDICT_INCOMPLETE_EVIDENCE},
};

const char *ki_verdict_name(enum ki_verdict v)
{
	return verdict_names[v];
}

const char *ki_finding_name(enum ki_finding_code c)
{
	return finding_table[c].name;
}

const struct ki_finding *ki_findings_cause(const struct ki_findings *f)
{
	const struct ki_finding *cause = NULL;
	size_t i;

	for (i = 0; i < f->count; i++)
		if (cause == NULL ||
		    finding_table[f->items[i].code].verdict < finding_table[cause->code].verdict)
			cause = &f->items[i];
	return cause;
}

void ki_findings_add(struct ki_findings *f, enum ki_finding_code code, const char *phase,
		     const char *fmt, ...)
{
	const struct ki_finding *cause = ki_findings_cause(f);
	struct ki_finding *item;
	va_list ap;

	if (f->count == KI_FINDINGS_MAX) {
		f->dropped++;
		if (finding_table[code].verdict >= finding_table[cause->code].verdict)
			return;
		f->count--;
	}
	item = &f->items[f->count++];
	item->code = code;
	item->phase = phase;
	va_start(ap, fmt);
	vsnprintf(item->text, sizeof item->text, fmt, ap);
	va_end(ap);
}

bool ki_findings_has(const struct ki_findings *f, enum ki_finding_code code)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (f->items[i].code == code)
			return true;
	return false;
}

enum ki_verdict ki_findings_verdict(const struct ki_findings *f)
{
	const struct ki_finding *cause = ki_findings_cause(f);

	return cause != NULL ? finding_table[cause->code].verdict : KI_VERDICT_PASSED;
}

json_t *ki_findings_json(const struct ki_findings *f)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < f->count; i++)
		json_array_append_new(
			a, json_pack("{s:s, s:s, s:o}", "code", ki_finding_name(f->items[i].code),
				     "phase", f->items[i].phase, "text",
				     ki_manifest_string(f->items[i].text, KI_FINDING_TEXT_MAX)));
	if (f->dropped > 0)
		json_array_append_new(a, json_pack("{s:s, s:I}", "code", "dropped", "count",
						   (json_int_t)f->dropped));
	return a;
}
