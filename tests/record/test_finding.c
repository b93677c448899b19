/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "record/finding.h"

/* What each finding calls for, written down once more: a change of either side must be meant. */
static const struct {
	enum ki_finding_code code;
	const char *name;
	enum ki_verdict verdict;
} findings[] = {
	{KI_FINDING_UNSUPPORTED, "unsupported", KI_VERDICT_UNSUPPORTED},
	{KI_FINDING_BUILD_FAILED, "build_failed", KI_VERDICT_COMPILE_ERROR},
	{KI_FINDING_REFERENCE_FAILED, "reference_failed", KI_VERDICT_INVALID_REFERENCE},
	{KI_FINDING_SELF_TEST_BLIND, "self_test_blind", KI_VERDICT_INVALID_REFERENCE},
	{KI_FINDING_DEADLINE, "deadline", KI_VERDICT_TIMEOUT},
	{KI_FINDING_OUT_OF_MEMORY, "out_of_memory", KI_VERDICT_RESOURCE_EXCEEDED},
	{KI_FINDING_CRASH, "crash", KI_VERDICT_RUNTIME_ERROR},
	{KI_FINDING_EARLY_EXIT, "early_exit", KI_VERDICT_RUNTIME_ERROR},
	{KI_FINDING_PROTOCOL_BROKEN, "protocol_broken", KI_VERDICT_RUNTIME_ERROR},
	{KI_FINDING_KERNEL_ERROR, "kernel_error", KI_VERDICT_RUNTIME_ERROR},
	{KI_FINDING_CONTRACT_BROKEN, "contract_broken", KI_VERDICT_RUNTIME_ERROR},
	{KI_FINDING_UNCLEAN_END, "unclean_end", KI_VERDICT_RUNTIME_ERROR},
	{KI_FINDING_GUARD_WRITTEN, "guard_written", KI_VERDICT_POLICY_VIOLATION},
	{KI_FINDING_INPUT_MUTATED, "input_mutated", KI_VERDICT_POLICY_VIOLATION},
	{KI_FINDING_POISON_SURVIVED, "poison_survived", KI_VERDICT_INCORRECT_NUMERICAL},
	{KI_FINDING_CLASS_MISMATCH, "class_mismatch", KI_VERDICT_INCORRECT_NUMERICAL},
	{KI_FINDING_NOISE_RATIO, "noise_ratio", KI_VERDICT_INCORRECT_NUMERICAL},
	{KI_FINDING_HARNESS_FAILED, "harness_failed", KI_VERDICT_INCOMPLETE_EVIDENCE},
};

/* Kernel Index's order of precedence, with our own status in front. */
static const char *const verdicts[] = {
	"unsupported",     "compile_error",     "invalid_reference",   "suspected_reward_hack",
	"timeout",         "resource_exceeded", "runtime_error",       "policy_violation",
	"incorrect_shape", "incorrect_dtype",   "incorrect_numerical", "incomplete_evidence",
	"passed",
};

_Static_assert(sizeof findings / sizeof findings[0] == KI_FINDING_CODE_COUNT, "every finding");
_Static_assert(sizeof verdicts / sizeof verdicts[0] == KI_VERDICT_COUNT, "every verdict");

Test(finding, every_finding_has_its_name_and_its_verdict)
{
	size_t i;

	for (i = 0; i < KI_FINDING_CODE_COUNT; i++) {
		struct ki_findings f = {0};

		ki_findings_add(&f, findings[i].code, "launch", "number %d", 7);
		cr_expect_str_eq(ki_finding_name(findings[i].code), findings[i].name);
		cr_expect_eq(ki_findings_verdict(&f), findings[i].verdict, "%s", findings[i].name);
		cr_expect_str_eq(ki_findings_cause(&f)->text, "number 7");
		cr_expect(ki_findings_has(&f, findings[i].code));
	}
}

Test(finding, verdicts_have_the_names_of_kernel_index_in_its_order)
{
	int v;

	for (v = 0; v < KI_VERDICT_COUNT; v++)
		cr_expect_str_eq(ki_verdict_name((enum ki_verdict)v), verdicts[v]);
}

Test(finding, nothing_found_is_a_pass)
{
	const struct ki_findings f = {0};

	cr_expect_eq(ki_findings_verdict(&f), KI_VERDICT_PASSED);
	cr_expect_null(ki_findings_cause(&f));
	cr_expect_not(ki_findings_has(&f, KI_FINDING_UNSUPPORTED));
}

/* In whatever order they were found. */
Test(finding, of_any_two_findings_the_one_that_precedes_decides)
{
	size_t i, k;

	for (i = 0; i < KI_FINDING_CODE_COUNT; i++)
		for (k = 0; k < KI_FINDING_CODE_COUNT; k++) {
			size_t first = findings[k].verdict < findings[i].verdict ? k : i;
			struct ki_findings f = {0};

			ki_findings_add(&f, findings[i].code, "a", "found first");
			ki_findings_add(&f, findings[k].code, "b", "found second");
			cr_expect_eq(ki_findings_verdict(&f), findings[first].verdict,
				     "%s, then %s", findings[i].name, findings[k].name);
			cr_expect_str_eq(ki_findings_cause(&f)->text,
					 first == i ? "found first" : "found second");
		}
}

Test(finding, of_equals_the_first_is_the_cause)
{
	struct ki_findings f = {0};

	ki_findings_add(&f, KI_FINDING_NOISE_RATIO, "before timing", "late in precedence");
	ki_findings_add(&f, KI_FINDING_CRASH, "launch", "one");
	ki_findings_add(&f, KI_FINDING_EARLY_EXIT, "finish", "two");
	cr_expect_str_eq(ki_findings_cause(&f)->text, "one");
	cr_expect_str_eq(ki_findings_cause(&f)->phase, "launch");
}

Test(finding, what_there_is_no_room_for_is_counted)
{
	struct ki_findings f = {0};
	json_t *json;
	size_t i;

	for (i = 0; i < KI_FINDINGS_MAX + 5; i++)
		ki_findings_add(&f, KI_FINDING_NOISE_RATIO, "timed", "number %zu", i);
	cr_expect_eq(f.count, KI_FINDINGS_MAX);
	cr_expect_eq(f.dropped, 5);
	cr_expect_str_eq(f.items[KI_FINDINGS_MAX - 1].text, "number 31");
	cr_expect_eq(ki_findings_verdict(&f), KI_VERDICT_INCORRECT_NUMERICAL);
	json = ki_findings_json(&f);
	cr_expect_eq(json_array_size(json), KI_FINDINGS_MAX + 1);
	cr_expect_eq(
		json_integer_value(json_object_get(json_array_get(json, KI_FINDINGS_MAX), "count")),
		5);
	json_decref(json);
}

Test(finding, a_long_text_is_cut_and_ends)
{
	struct ki_findings f = {0};
	char text[2 * KI_FINDING_TEXT_MAX];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	ki_findings_add(&f, KI_FINDING_CRASH, "launch", "%s", text);
	cr_expect_eq(strlen(f.items[0].text), KI_FINDING_TEXT_MAX - 1);
}

Test(finding, as_evidence_each_is_code_phase_and_text)
{
	struct ki_findings f = {0};
	json_t *json, *want;

	ki_findings_add(&f, KI_FINDING_INPUT_MUTATED, "timed", "input \"x\" changed");
	ki_findings_add(&f, KI_FINDING_DEADLINE, "prepare", "no answer within %d ms", 50);
	json = ki_findings_json(&f);
	want = json_pack("[{s:s, s:s, s:s}, {s:s, s:s, s:s}]", "code", "input_mutated", "phase",
			 "timed", "text", "input \"x\" changed", "code", "deadline", "phase",
			 "prepare", "text", "no answer within 50 ms");
	cr_expect(json_equal(json, want));
	json_decref(json);
	json_decref(want);
}

Test(finding, one_that_changes_the_verdict_is_kept_when_the_list_is_full)
{
	struct ki_findings f = {0};
	int i;

	for (i = 0; i < KI_FINDINGS_MAX; i++)
		ki_findings_add(&f, KI_FINDING_NOISE_RATIO, "timed", "number %d", i);
	ki_findings_add(&f, KI_FINDING_CRASH, "launch", "the crash");
	cr_expect_eq(f.count, KI_FINDINGS_MAX);
	cr_expect_eq(f.dropped, 1);
	cr_expect_eq(ki_findings_verdict(&f), KI_VERDICT_RUNTIME_ERROR);
	cr_expect_str_eq(ki_findings_cause(&f)->text, "the crash");
}

Test(finding, a_text_that_was_cut_inside_a_character_is_still_told)
{
	struct ki_findings f = {0};
	char text[KI_FINDING_TEXT_MAX + 8];
	json_t *json;
	size_t i;

	for (i = 0; i + 2 < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[i] = '\0';
	/* One byte before them: the cut falls between the two bytes of a character. */
	ki_findings_add(&f, KI_FINDING_CRASH, "launch", "%s%s",
			sizeof f.items[0].text % 2 ? "x" : "", text);
	json = ki_findings_json(&f);
	cr_assert_eq(json_array_size(json), 1);
	cr_expect_gt(json_string_length(json_object_get(json_array_get(json, 0), "text")), 500);
	json_decref(json);
}
