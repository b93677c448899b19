/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>

#include "report/suite.h"
#include "stats/holm.h"

static bool suite_compared(const struct ki_table_row *row)
{
	return row->has_outcome && !row->is_baseline;
}

int ki_suite_settle(enum ki_outcome *suite, struct ki_table_row *rows, size_t n,
		    const struct ki_comparison_rule *rule, char (*sentences)[KI_SENTENCE_MAX],
		    struct ki_error *e)
{
	enum ki_outcome *outcomes = calloc(n + 1, sizeof *outcomes);
	double *p = calloc(n + 1, sizeof *p);
	size_t n_tests = 0, n_compared = 0, i, test = 0;
	int rc = KI_SUCCESS;

	if (outcomes == NULL || p == NULL) {
		rc = ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
		goto out;
	}
	for (i = 0; i < n; i++)
		if (suite_compared(&rows[i]) && rows[i].comparison.has_interval)
			p[n_tests++] = rows[i].comparison.p;
	rc = ki_holm_adjust(p, p, n_tests, e);
	for (i = 0; rc == KI_SUCCESS && i < n; i++) {
		const struct ki_comparison *c = &rows[i].comparison;
		enum ki_doubt doubt;

		sentences[i][0] = '\0';
		if (!suite_compared(&rows[i]))
			continue;
		rows[i].outcome =
			ki_comparison_outcome(c, c->has_interval ? p[test++] : 1, rule, &doubt);
		ki_sentence_comparison(sentences[i], c, rows[i].outcome, doubt, rule);
		outcomes[n_compared++] = rows[i].outcome;
	}
	*suite = n_compared > 0 ? ki_outcome_of_suite(outcomes, n_compared)
				: KI_OUTCOME_INCONCLUSIVE;
out:
	free(outcomes);
	free(p);
	return rc;
}
