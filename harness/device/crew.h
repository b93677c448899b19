/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness's own threads, one pinned to each CPU that a launch may use: they flush the private
 * caches of those CPUs, which the calling thread cannot reach.  Asleep but inside ki_crew_run().
 */
#ifndef KI_DEVICE_CREW_H
#define KI_DEVICE_CREW_H

#include <sched.h>

#include "base/error.h"

struct ki_crew;

/*
 * One thread for each CPU of cpus.  The caller takes no part: it is not pinned (what it starts, a
 * plugin's threads say, would inherit that), so it may run on any of them.
 */
int ki_crew_new(struct ki_crew **out, const cpu_set_t *cpus, struct ki_error *e) KI_MUST_CHECK;
void ki_crew_free(struct ki_crew *crew);

/* How many there are. */
unsigned ki_crew_size(const struct ki_crew *crew);

/* Runs body(context, i, n) on all n members at once and returns when all are done. */
void ki_crew_run(struct ki_crew *crew, void (*body)(void *context, unsigned i, unsigned n),
		 void *context);

#endif
