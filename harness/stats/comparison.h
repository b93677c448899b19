/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether one backend is faster or slower than another, from replicates: fresh pairs of workers in
 * a live run, whole runs in stored records.  Never from the samples of one worker: identical code
 * in two processes differs from itself, repeatably within the pair.
 *
 * A difference counts only if its interval excludes zero (and still does when the suite's other
 * cases are accounted for), and its size is above both the smallest effect that matters and the
 * noise floor (Kernel Index, docs/ENGINEERING_DESIGN.md 11.5, rule 5).
 */
#ifndef KI_STATS_COMPARISON_H
#define KI_STATS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "stats/effect.h"
#include "stats/interval.h"

/* Replicates without which there is no interval, and so no verdict. */
#define KI_COMPARISON_REPLICATES_MIN KI_INTERVAL_VALUES_MIN

/* Of comparisons of a backend with itself, the share that stays below the noise floor. */
#define KI_COMPARISON_FLOOR_LEVEL 0.99

/* Steps of the timer that a difference has to be above, whatever else the floor is. */
#define KI_COMPARISON_FLOOR_TICKS 2

enum ki_outcome {
	KI_OUTCOME_INCONCLUSIVE,
	KI_OUTCOME_EQUIVALENT, /* the interval lies within the smallest effect that matters */
	KI_OUTCOME_FASTER,     /* head is */
	KI_OUTCOME_SLOWER,
};

/* Why there is no verdict. */
enum ki_doubt {
	KI_DOUBT_NONE,
	KI_DOUBT_MISSING,    /* one of the two has no numbers */
	KI_DOUBT_REPLICATES, /* too few */
	KI_DOUBT_RESOLUTION, /* base takes no measurable time */
	KI_DOUBT_ZERO,       /* the interval holds zero, and is wider than what matters */
	KI_DOUBT_SUITE,      /* it would not, were this the only case */
	KI_DOUBT_SMALL,      /* below the smallest effect that matters, but not surely so */
	KI_DOUBT_FLOOR,      /* below the noise floor */
	KI_DOUBT_VETO,       /* the machine was not fit: the caller's to say */
};

enum ki_floor_source {
	KI_FLOOR_TIMER,   /* the timer's step */
	KI_FLOOR_RUN,     /* the run's own segments, compared with themselves */
	KI_FLOOR_MACHINE, /* comparisons of a backend with itself, made earlier (--aa) */
};

struct ki_comparison_rule {
	double level;          /* of the interval, and 1 - level of the test: 0.95 */
	double minimum_effect; /* 0.01 */
	double machine_floor;  /* 0: unknown */
	double tick_ns;        /* 0: unknown */
};

struct ki_comparison {
	size_t n_base; /* replicates; of pairs both are the same */
	size_t n_head;
	bool has_effect; /* what follows is set */
	double base_ns;  /* mean latency of base */
	double effect;   /* > 0: head is slower, as a share of base's latency */
	bool has_interval;
	double low; /* Student's interval of the effect */
	double high;
	double p; /* of Student's test that the effect is 0, two-sided */
	bool has_order;
	struct ki_interval_ranks ranks; /* order statistics of the pairs' effects, beside it */
	double order_low;
	double order_high;
	double floor;
	enum ki_floor_source floor_source;
};

/* From n fresh pairs; Student's interval over them with n - 1 degrees of freedom. */
int ki_comparison_pairs(struct ki_comparison *out, const struct ki_effect *pairs, size_t n,
			const struct ki_comparison_rule *rule, struct ki_error *e) KI_MUST_CHECK;

/*
 * From separate runs, each one number (its latency less its control's where that is known, in
 * nanoseconds), and scale_ns, what an effect is a share of.  Welch's interval ("The generalization
 * of 'Student's' problem when several different population variances are involved", Biometrika 34
 * (1947) 28-35), with Satterthwaite's degrees of freedom.
 */
void ki_comparison_runs(struct ki_comparison *out, const double *base, size_t n_base,
			const double *head, size_t n_head, double scale_ns,
			const struct ki_comparison_rule *rule);

/* adjusted_p: p after Holm's adjustment over the suite; p itself for a case alone.  why may be
 * NULL. */
enum ki_outcome ki_comparison_outcome(const struct ki_comparison *c, double adjusted_p,
				      const struct ki_comparison_rule *rule, enum ki_doubt *why);

/* "faster", "slower", "equivalent", "inconclusive". */
const char *ki_outcome_name(enum ki_outcome o);

/* The whole suite's, of n > 0 cases: slower if any is, else inconclusive if any is, else faster if
 * any is, else equivalent. */
enum ki_outcome ki_outcome_of_suite(const enum ki_outcome *outcomes, size_t n);

#endif
