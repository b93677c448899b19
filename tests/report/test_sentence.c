/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "report/suite.h"

static const struct ki_comparison_rule rule = {.level = 0.95, .minimum_effect = 0.01};

static struct ki_comparison comparison(double effect, double half, double p)
{
	return (struct ki_comparison){.n_base = 6,
				      .n_head = 6,
				      .has_effect = true,
				      .effect = effect,
				      .has_interval = true,
				      .low = effect - half,
				      .high = effect + half,
				      .p = p,
				      .floor = 0.008,
				      .base_ns = 20000};
}

static void says(const struct ki_comparison *c, const char *expected)
{
	char text[KI_SENTENCE_MAX];
	enum ki_doubt doubt;
	enum ki_outcome outcome = ki_comparison_outcome(c, c->p, &rule, &doubt);

	ki_sentence_comparison(text, c, outcome, doubt, &rule);
	cr_assert_str_eq(text, expected, "%s", text);
}

Test(sentence, slower_and_faster_have_their_intervals_in_their_own_direction)
{
	struct ki_comparison slow = comparison(0.031, 0.008, 0.0001);
	struct ki_comparison fast = comparison(-0.031, 0.008, 0.0001);

	fast.high += 0.001;
	says(&slow, "slower by 3.1 % [2.3, 3.9], floor 0.8 %, 6 pairs");
	says(&fast, "faster by 3.1 % [2.2, 3.9], floor 0.8 %, 6 pairs");
}

Test(sentence, without_a_verdict_it_says_why_and_what_would_help)
{
	struct ki_comparison wide = comparison(0.004, 0.03, 0.7), few = comparison(0.2, 0, 1);
	struct ki_comparison same = comparison(-0.00004, 0.003, 0.9), none = {0};

	few.has_interval = false;
	few.n_base = few.n_head = 1;
	says(&wide, "inconclusive: +0.4 % [-2.6, 3.4], floor 0.8 %, 6 pairs; the interval holds "
		    "0; more replicates narrow it");
	says(&few, "inconclusive: +20.0 %, 1 pair; 1 and 1 replicates have no interval, 6 each "
		   "have one");
	says(&same, "equivalent: 0.00 % [-0.3, 0.3], floor 0.8 %, 6 pairs");
	says(&none, "inconclusive: one of the two has no numbers");
}

Test(suite, ten_cases_with_one_chance_find_in_them_are_not_slower)
{
	struct ki_table_row rows[11] = {{.has_outcome = true, .is_baseline = true}};
	char sentences[11][KI_SENTENCE_MAX];
	enum ki_outcome suite;
	struct ki_error e = {0};

	for (int i = 1; i <= 10; i++) {
		rows[i].has_outcome = true;
		rows[i].comparison = comparison(0, 0.005, 0.9);
	}
	rows[3].comparison = comparison(0.03, 0.025, 0.03);
	cr_assert_eq(ki_suite_settle(&suite, rows, 11, &rule, sentences, &e), KI_SUCCESS);
	cr_assert_eq(suite, KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(rows[3].outcome, KI_OUTCOME_INCONCLUSIVE);
	cr_assert(strstr(sentences[3], "expected by chance") != NULL, "%s", sentences[3]);
	cr_assert_str_eq(sentences[0], "");
	/* Alone, it would be. */
	cr_assert_eq(ki_suite_settle(&suite, rows + 3, 1, &rule, sentences, &e), KI_SUCCESS);
	cr_assert_eq(suite, KI_OUTCOME_SLOWER);
	/* And a clear one is, among any number. */
	rows[3].comparison = comparison(0.03, 0.005, 0.0001);
	cr_assert_eq(ki_suite_settle(&suite, rows, 11, &rule, sentences, &e), KI_SUCCESS);
	cr_assert_eq(suite, KI_OUTCOME_SLOWER);
	cr_assert_eq(rows[1].outcome, KI_OUTCOME_EQUIVALENT);
}

Test(suite, without_a_comparison_there_is_no_verdict)
{
	struct ki_table_row row = {.has_outcome = true, .is_baseline = true};
	char sentences[1][KI_SENTENCE_MAX];
	enum ki_outcome suite = KI_OUTCOME_FASTER;
	struct ki_error e = {0};

	cr_assert_eq(ki_suite_settle(&suite, &row, 1, &rule, sentences, &e), KI_SUCCESS);
	cr_assert_eq(suite, KI_OUTCOME_INCONCLUSIVE);
}
