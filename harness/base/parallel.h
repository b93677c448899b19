/* SPDX-License-Identifier: Apache-2.0 */
/* A loop over independent items, shared among threads that live as long as the call. */
#ifndef KI_BASE_PARALLEL_H
#define KI_BASE_PARALLEL_H

#include <stdint.h>

#include "base/error.h"

/* More threads than this are never started. */
#define KI_PARALLEL_THREADS_MAX 256

/*
 * Calls body(ctx, first, count) until items 0 .. n - 1 are covered once each, from the calling
 * thread and at most threads - 1 others.  Every piece but the last is grain items (a grain of 0
 * counts as 1), starting at a multiple of grain, so the pieces do not depend on the number of
 * threads; which thread takes which piece, and in what order, does.  When the system refuses a
 * thread, those that run do the work.  The other threads block all signals.
 */
int ki_parallel_for(uint64_t n, uint64_t grain, unsigned threads,
		    void (*body)(void *ctx, uint64_t first, uint64_t count), void *ctx,
		    struct ki_error *e) KI_MUST_CHECK;

/* CPUs that this thread may run on (its affinity mask); at least 1. */
unsigned ki_parallel_cpus(void);

#endif
