/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "stats/holm.h"

struct holm_entry {
	double p;
	size_t index;
};

static int holm_compare(const void *a, const void *b)
{
	const struct holm_entry *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int ki_holm_adjust(double *out, const double *p, size_t n, struct ki_error *e)
{
	struct holm_entry *entries;
	double worst = 0;
	size_t i;

	if (n == 0)
		return KI_SUCCESS;
	entries = calloc(n, sizeof *entries);
	if (entries == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	for (i = 0; i < n; i++)
		entries[i] = (struct holm_entry){.p = p[i], .index = i};
	qsort(entries, n, sizeof *entries, holm_compare);
	for (i = 0; i < n; i++) {
		worst = fmax(worst, fmin(1, (double)(n - i) * entries[i].p));
		out[entries[i].index] = worst;
	}
	free(entries);
	return KI_SUCCESS;
}
