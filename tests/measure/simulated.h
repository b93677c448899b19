/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU whose clock is simulated, with the disturbances that real ones were measured to have, each
 * of which can be switched off.  The product's own schedule, method and statistics run on it.
 */
#ifndef KI_TESTS_MEASURE_SIMULATED_H
#define KI_TESTS_MEASURE_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/comparison.h"

/* Shares are of the kernel's time.  0 switches an effect off. */
struct simulated_effects {
	double jitter;     /* standard deviation of a sample */
	double process_ns; /* ... of the constant that a worker adds to each of its launches */
	double placement;  /* ... of a segment's */
	double drift;      /* over the whole comparison */
	double first;      /* that the first of two segments pays */
	double spike;      /* that one sample of the whole comparison takes more */
	double mode;       /* that a tenth of the samples take more */
	double throttle;   /* that all launches take more during a tenth of the comparison */
};

struct simulated_setting {
	struct simulated_effects effects;
	double kernel_ns; /* with its launch */
	double slowdown;  /* of the second backend */
	uint32_t replicates;
	uint32_t segments; /* of each worker */
};

/* As measured on an H200 for a kernel of 20 us, and of 4 us. */
extern const struct simulated_effects simulated_20_us;
extern const struct simulated_effects simulated_4_us;

/* One comparison of two backends, from `seed`. */
enum ki_outcome simulated_compare(struct ki_comparison *out, const struct simulated_setting *s,
				  uint64_t seed);

/* Of n comparisons with seeds from `seed`, how many had each outcome. */
void simulated_count(unsigned counts[KI_OUTCOME_SLOWER + 1], const struct simulated_setting *s,
		     unsigned n, uint64_t seed);

#endif
