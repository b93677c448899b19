/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What triton.testing.do_bench does for one sample (triton, python/triton/testing.py): one call,
 * an estimate over five flushed calls, a warm-up without flushes, then samples with a write flush
 * before each, one pair of time marks a sample, and no wait in between.
 *
 * Three things are the schedule's and not Triton's: the samples are split into segments, every
 * segment starts with lead-in launches that are no samples, and each sample has a flushed control
 * launch beside it.
 */
#ifndef KI_MEASURE_DO_BENCH_H
#define KI_MEASURE_DO_BENCH_H

#include "measure/method.h"

extern const struct ki_method ki_method_do_bench;

/*
 * Triton's counts: as many calls as fit into the time, one at least.  An estimate of 0 (a coarse
 * clock, triton issue 6868) gives the maximum instead of dividing by it.
 */
uint64_t ki_do_bench_count(uint64_t budget_ns, uint64_t call_ns, uint64_t maximum);

#endif
