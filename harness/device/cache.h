/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caches of the CPUs in use, as sysfs reports them.  sysconf() is not asked: it can report a
 * whole socket's worth (384 MiB where the cores in use see 32).
 */
#ifndef KI_DEVICE_CACHE_H
#define KI_DEVICE_CACHE_H

#include <sched.h>
#include <stdint.h>

/* When nothing is reported: larger than any last-level cache slice that we know of. */
#define KI_CACHE_LLC_FALLBACK_BYTES ((uint64_t)64 << 20)

struct ki_cache {
	uint64_t llc_bytes;     /* of all last-level caches that the CPUs share, together */
	uint64_t private_bytes; /* of the largest cache of one CPU that the others do not share */
	int llc_reported;       /* 0: sysfs says nothing and llc_bytes is the fallback */
};

/* root is "/sys/devices/system/cpu" but in tests. */
void ki_cache_read(struct ki_cache *out, const char *root, const cpu_set_t *cpus);

#endif
