/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "base/buffer.h"
#include "report/sentence.h"

/* A share in percent, with as many decimals as the size asks for; -0 has no sign. */
static void sentence_percent(struct ki_buffer *b, double share, const char *sign)
{
	double v = 100 * share;
	int decimals = fabs(v) < 0.1 ? 2 : fabs(v) < 100 ? 1 : 0;
	double unit = decimals == 2 ? 0.005 : 0.05;

	if (fabs(v) < unit && decimals == 2)
		v = 0;
	ki_buffer_printf(b, "%s%.*f", v > 0 ? sign : "", decimals, v);
}

static void sentence_interval(struct ki_buffer *b, double low, double high)
{
	ki_buffer_puts(b, " [");
	sentence_percent(b, low, "");
	ki_buffer_puts(b, ", ");
	sentence_percent(b, high, "");
	ki_buffer_puts(b, "]");
}

void ki_sentence_effect(char *out, size_t size, const struct ki_comparison *c)
{
	struct ki_buffer b;

	ki_buffer_init(&b, KI_SENTENCE_MAX);
	if (c->has_effect) {
		sentence_percent(&b, c->effect, "+");
		ki_buffer_puts(&b, " %");
	}
	if (c->has_interval)
		sentence_interval(&b, c->low, c->high);
	snprintf(out, size, "%s", b.data != NULL ? b.data : "");
	ki_buffer_fini(&b);
}

static void sentence_doubt(struct ki_buffer *b, const struct ki_comparison *c, enum ki_doubt doubt,
			   const struct ki_comparison_rule *rule)
{
	static const char *const sources[] = {
		[KI_FLOOR_TIMER] = "two steps of the timer",
		[KI_FLOOR_RUN] = "what this run's segments differ by from themselves",
		[KI_FLOOR_MACHINE] = "what --aa measured on this machine",
	};

	switch (doubt) {
	case KI_DOUBT_MISSING:
		ki_buffer_puts(b, "one of the two has no numbers");
		break;
	case KI_DOUBT_REPLICATES:
		ki_buffer_printf(b, "%zu and %zu replicates have no interval, %d each have one",
				 c->n_base, c->n_head, KI_COMPARISON_REPLICATES_MIN);
		break;
	case KI_DOUBT_RESOLUTION:
		ki_buffer_puts(b, "below what the timer resolves");
		break;
	case KI_DOUBT_ZERO:
		ki_buffer_puts(b, "the interval holds 0; more replicates narrow it");
		break;
	case KI_DOUBT_SUITE:
		ki_buffer_puts(b, "with this many cases, one like it is to be expected by chance");
		break;
	case KI_DOUBT_SMALL:
		ki_buffer_puts(b, "smaller than the minimum effect of ");
		sentence_percent(b, rule->minimum_effect, "");
		ki_buffer_puts(b, " %");
		break;
	case KI_DOUBT_FLOOR:
		ki_buffer_printf(b, "below the noise floor: %s", sources[c->floor_source]);
		break;
	case KI_DOUBT_VETO:
		ki_buffer_puts(b, "the machine was not quiet");
		break;
	case KI_DOUBT_NONE:
		break;
	}
}

void ki_sentence_comparison(char out[KI_SENTENCE_MAX], const struct ki_comparison *c,
			    enum ki_outcome outcome, enum ki_doubt doubt,
			    const struct ki_comparison_rule *rule)
{
	bool decided = outcome == KI_OUTCOME_FASTER || outcome == KI_OUTCOME_SLOWER;
	struct ki_buffer b;

	ki_buffer_init(&b, KI_SENTENCE_MAX - 1);
	ki_buffer_puts(&b, ki_outcome_name(outcome));
	if (c->has_effect) {
		/* "faster by" carries the sign itself, and its interval with it. */
		double sign = outcome == KI_OUTCOME_FASTER ? -1 : 1;

		ki_buffer_puts(&b, decided ? " by " : ": ");
		sentence_percent(&b, sign * c->effect, decided ? "" : "+");
		ki_buffer_puts(&b, " %");
		if (c->has_interval)
			sentence_interval(&b, sign > 0 ? c->low : -c->high,
					  sign > 0 ? c->high : -c->low);
		if (c->has_interval) {
			ki_buffer_puts(&b, ", floor ");
			sentence_percent(&b, c->floor, "");
			ki_buffer_puts(&b, " %");
		}
		if (c->n_base == c->n_head)
			ki_buffer_printf(&b, ", %zu pair%s", c->n_base, c->n_base == 1 ? "" : "s");
		else
			ki_buffer_printf(&b, ", %zu and %zu runs", c->n_base, c->n_head);
	}
	if (outcome == KI_OUTCOME_INCONCLUSIVE) {
		ki_buffer_puts(&b, c->has_effect ? "; " : ": ");
		sentence_doubt(&b, c, doubt, rule);
	}
	snprintf(out, KI_SENTENCE_MAX, "%s", b.data != NULL ? b.data : "");
	ki_buffer_fini(&b);
}
