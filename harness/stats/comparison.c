/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "stats/comparison.h"
#include "stats/student.h"

struct moments {
	double mean;
	double variance; /* with n - 1; 0 for one value */
};

static struct moments comparison_moments(const double *v, size_t n)
{
	struct moments m = {0};
	size_t i;

	for (i = 0; i < n; i++)
		m.mean += v[i] / (double)n;
	for (i = 0; n > 1 && i < n; i++)
		m.variance += (v[i] - m.mean) * (v[i] - m.mean) / (double)(n - 1);
	return m;
}

static void comparison_interval(struct ki_comparison *c, double error, double df, double level)
{
	double half = error > 0 ? ki_student_critical(level, df) * error : 0;

	c->has_interval = true;
	c->low = c->effect - half;
	c->high = c->effect + half;
	if (error > 0)
		c->p = ki_student_two_sided(c->effect / error, df);
	else
		c->p = c->effect == 0 ? 1 : 0;
}

static void comparison_floor(struct ki_comparison *c, double run,
			     const struct ki_comparison_rule *rule)
{
	c->floor = c->base_ns > 0 ? KI_COMPARISON_FLOOR_TICKS * rule->tick_ns / c->base_ns : 0;
	c->floor_source = KI_FLOOR_TIMER;
	if (run > c->floor) {
		c->floor = run;
		c->floor_source = KI_FLOOR_RUN;
	}
	if (rule->machine_floor > c->floor) {
		c->floor = rule->machine_floor;
		c->floor_source = KI_FLOOR_MACHINE;
	}
}

static int comparison_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int ki_comparison_pairs(struct ki_comparison *out, const struct ki_effect *pairs, size_t n,
			const struct ki_comparison_rule *rule, struct ki_error *e)
{
	struct ki_comparison c = {.n_base = n, .n_head = n, .p = 1};
	struct moments effects, nulls;
	double *values, run = 0;
	size_t i;

	*out = c;
	if (n == 0)
		return KI_SUCCESS;
	values = calloc(2 * n, sizeof *values);
	if (values == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	for (i = 0; i < n; i++) {
		values[i] = pairs[i].effect;
		values[n + i] = pairs[i].null;
		c.base_ns += pairs[i].base_ns / (double)n;
	}
	effects = comparison_moments(values, n);
	nulls = comparison_moments(values + n, n);
	c.has_effect = true;
	c.effect = effects.mean;
	if (n >= KI_COMPARISON_REPLICATES_MIN) {
		double df = (double)n - 1;

		comparison_interval(&c, sqrt(effects.variance / (double)n), df, rule->level);
		run = ki_student_critical(KI_COMPARISON_FLOOR_LEVEL, df) *
		      sqrt(nulls.variance / (double)n);
		qsort(values, n, sizeof *values, comparison_double);
		c.has_order = ki_interval_median(&c.ranks, n, rule->level);
		c.order_low = c.has_order ? values[c.ranks.low - 1] : 0;
		c.order_high = c.has_order ? values[c.ranks.high - 1] : 0;
	}
	comparison_floor(&c, run, rule);
	free(values);
	*out = c;
	return KI_SUCCESS;
}

void ki_comparison_runs(struct ki_comparison *out, const double *base, size_t n_base,
			const double *head, size_t n_head, double scale_ns,
			const struct ki_comparison_rule *rule)
{
	struct ki_comparison c = {.n_base = n_base, .n_head = n_head, .p = 1, .base_ns = scale_ns};
	struct moments b = comparison_moments(base, n_base), h = comparison_moments(head, n_head);
	double vb, vh, error, df = 1;

	*out = c;
	if (n_base == 0 || n_head == 0 || !(scale_ns > 0))
		return;
	c.has_effect = true;
	c.effect = (h.mean - b.mean) / scale_ns;
	if (n_base >= KI_COMPARISON_REPLICATES_MIN && n_head >= KI_COMPARISON_REPLICATES_MIN) {
		vb = b.variance / (double)n_base;
		vh = h.variance / (double)n_head;
		error = sqrt(vb + vh);
		if (error > 0)
			df = (vb + vh) * (vb + vh) /
			     (vb * vb / (double)(n_base - 1) + vh * vh / (double)(n_head - 1));
		comparison_interval(&c, error / scale_ns, df, rule->level);
	}
	comparison_floor(&c, 0, rule);
	*out = c;
}

static enum ki_outcome comparison_doubt(enum ki_doubt *why, enum ki_doubt doubt)
{
	if (why != NULL)
		*why = doubt;
	return KI_OUTCOME_INCONCLUSIVE;
}

enum ki_outcome ki_comparison_outcome(const struct ki_comparison *c, double adjusted_p,
				      const struct ki_comparison_rule *rule, enum ki_doubt *why)
{
	double size = fabs(c->effect);

	if (why != NULL)
		*why = KI_DOUBT_NONE;
	if (c->n_base == 0 || c->n_head == 0)
		return comparison_doubt(why, KI_DOUBT_MISSING);
	if (!c->has_effect)
		return comparison_doubt(why, KI_DOUBT_RESOLUTION);
	if (!c->has_interval)
		return comparison_doubt(why, KI_DOUBT_REPLICATES);
	if (c->low > -rule->minimum_effect && c->high < rule->minimum_effect)
		return KI_OUTCOME_EQUIVALENT;
	if (c->low <= 0 && c->high >= 0)
		return comparison_doubt(why, KI_DOUBT_ZERO);
	if (size <= rule->minimum_effect)
		return comparison_doubt(why, KI_DOUBT_SMALL);
	if (size <= c->floor)
		return comparison_doubt(why, KI_DOUBT_FLOOR);
	if (adjusted_p > 1 - rule->level)
		return comparison_doubt(why, KI_DOUBT_SUITE);
	return c->effect > 0 ? KI_OUTCOME_SLOWER : KI_OUTCOME_FASTER;
}

const char *ki_outcome_name(enum ki_outcome o)
{
	static const char *const names[] = {
		[KI_OUTCOME_INCONCLUSIVE] = "inconclusive",
		[KI_OUTCOME_EQUIVALENT] = "equivalent",
		[KI_OUTCOME_FASTER] = "faster",
		[KI_OUTCOME_SLOWER] = "slower",
	};

	return names[o];
}

enum ki_outcome ki_outcome_of_suite(const enum ki_outcome *outcomes, size_t n)
{
	bool seen[KI_OUTCOME_SLOWER + 1] = {false};
	size_t i;

	for (i = 0; i < n; i++)
		seen[outcomes[i]] = true;
	if (seen[KI_OUTCOME_SLOWER])
		return KI_OUTCOME_SLOWER;
	if (seen[KI_OUTCOME_INCONCLUSIVE])
		return KI_OUTCOME_INCONCLUSIVE;
	return seen[KI_OUTCOME_FASTER] ? KI_OUTCOME_FASTER : KI_OUTCOME_EQUIVALENT;
}
