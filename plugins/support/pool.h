/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share out the tasks of one call at a time and sleep between calls. */
#ifndef KI_PLUGIN_POOL_H
#define KI_PLUGIN_POOL_H

#include <stddef.h>

struct pool;

/* threads counts the caller's: with 1 there are no others.  NULL without memory or threads. */
struct pool *pool_new(unsigned threads);
void pool_free(struct pool *p);

/* Threads that may be inside body at once. */
unsigned pool_threads(const struct pool *p);

/*
 * Calls body(context, task, thread) for each task from 0 to tasks - 1, in that order as threads
 * become free; thread, below pool_threads(), is the same for all tasks of one thread.  Returns when
 * all are done.
 */
void pool_run(struct pool *p, size_t tasks,
	      void (*body)(void *context, size_t task, unsigned thread), void *context);

#endif
