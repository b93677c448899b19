/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_BASE_CLOCK_H
#define KI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC_RAW: for measuring.  Not slewed by the system's time service. */
static inline uint64_t ki_clock_raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CLOCK_MONOTONIC: for deadlines. */
static inline uint64_t ki_clock_deadline_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Now, as "2026-12-01T09:00:00.000Z" (25 bytes with the NUL): for labels alone. */
#define KI_CLOCK_INSTANT_MAX 25
void ki_clock_instant(char out[KI_CLOCK_INSTANT_MAX]);

#endif
