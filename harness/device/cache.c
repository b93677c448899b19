/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "device/cache.h"

#define CACHE_INDEX_MAX 16
#define CACHE_TEXT_MAX 256
#define CACHE_GROUPS_MAX 1024

/* One level of one CPU. */
struct cache_level {
	unsigned long level;
	uint64_t bytes;
	char shared[CACHE_TEXT_MAX]; /* shared_cpu_list, which names the cache */
};

static int cache_text(char *out, size_t size, const char *root, int cpu, int index,
		      const char *name)
{
	char path[512];
	char *text = NULL;
	size_t n;

	snprintf(path, sizeof path, "%s/cpu%d/cache/index%d/%s", root, cpu, index, name);
	if (ki_file_read(&text, &n, path, size - 1, NULL) != KI_SUCCESS)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	snprintf(out, size, "%s", text);
	free(text);
	return 0;
}

/* "48K", "1280K", "2M": kibi- and mebibytes. */
static uint64_t cache_size(const char *text)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno != 0 || end == text)
		return 0;
	if (*end == 'K')
		return v << 10;
	if (*end == 'M')
		return v << 20;
	if (*end == 'G')
		return v << 30;
	return v;
}

static int cache_level_read(struct cache_level *out, const char *root, int cpu, int index)
{
	char type[CACHE_TEXT_MAX], level[CACHE_TEXT_MAX], size[CACHE_TEXT_MAX];

	if (cache_text(type, sizeof type, root, cpu, index, "type") != 0 ||
	    cache_text(level, sizeof level, root, cpu, index, "level") != 0 ||
	    cache_text(size, sizeof size, root, cpu, index, "size") != 0)
		return -1;
	if (cache_text(out->shared, sizeof out->shared, root, cpu, index, "shared_cpu_list") != 0)
		snprintf(out->shared, sizeof out->shared, "cpu%d", cpu);
	out->level = strtoul(level, NULL, 10);
	out->bytes = strcmp(type, "Instruction") == 0 ? 0 : cache_size(size);
	return 0;
}

/* The last level of a CPU, and the largest level below it. */
static void cache_cpu(struct cache_level *last, uint64_t *below, const char *root, int cpu)
{
	struct cache_level level;
	int index;

	memset(last, 0, sizeof *last);
	*below = 0;
	for (index = 0; index < CACHE_INDEX_MAX; index++) {
		if (cache_level_read(&level, root, cpu, index) != 0 || level.bytes == 0)
			continue;
		if (level.level > last->level) {
			if (last->bytes > *below)
				*below = last->bytes;
			*last = level;
		} else if (level.level < last->level && level.bytes > *below) {
			*below = level.bytes;
		}
	}
}

void ki_cache_read(struct ki_cache *out, const char *root, const cpu_set_t *cpus)
{
	static const struct ki_cache nothing;
	char(*seen)[CACHE_TEXT_MAX] = calloc(CACHE_GROUPS_MAX, sizeof *seen);
	size_t n_seen = 0, i;
	int cpu;

	*out = nothing;
	for (cpu = 0; seen != NULL && cpu < CPU_SETSIZE; cpu++) {
		struct cache_level last;
		uint64_t below;

		if (!CPU_ISSET(cpu, cpus))
			continue;
		cache_cpu(&last, &below, root, cpu);
		if (below > out->private_bytes)
			out->private_bytes = below;
		for (i = 0; i < n_seen && strcmp(seen[i], last.shared) != 0; i++)
			;
		if (last.bytes == 0 || i < n_seen || n_seen == CACHE_GROUPS_MAX)
			continue;
		snprintf(seen[n_seen++], CACHE_TEXT_MAX, "%s", last.shared);
		out->llc_bytes += last.bytes;
	}
	free(seen);
	out->llc_reported = out->llc_bytes > 0;
	if (!out->llc_reported)
		out->llc_bytes = KI_CACHE_LLC_FALLBACK_BYTES;
}
