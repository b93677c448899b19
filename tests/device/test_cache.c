/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs trees made for the test: what the caches of the CPUs in use add up to. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../folder.h"
#include "device/cache.h"

static char root[PATH_MAX];

static void make_root(void)
{
	folder_make(root);
}

static void remove_root(void)
{
	folder_remove(root);
}

TestSuite(cache, .init = make_root, .fini = remove_root);

static void put(int cpu, int index, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof path, "%s/cpu%d", root, cpu);
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/cpu%d/cache", root, cpu);
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/cpu%d/cache/index%d", root, cpu, index);
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/cpu%d/cache/index%d/%s", root, cpu, index, name);
	f = fopen(path, "w");
	cr_assert_not_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void put_level(int cpu, int index, const char *level, const char *type, const char *size,
		      const char *shared)
{
	put(cpu, index, "level", level);
	put(cpu, index, "type", type);
	put(cpu, index, "size", size);
	if (shared != NULL)
		put(cpu, index, "shared_cpu_list", shared);
}

static void put_cpu(int cpu, const char *l3, const char *l3_shared)
{
	char own[8];

	snprintf(own, sizeof own, "%d", cpu);
	put_level(cpu, 0, "1", "Data", "48K", own);
	put_level(cpu, 1, "1", "Instruction", "64K", own);
	put_level(cpu, 2, "2", "Unified", "1280K", own);
	if (l3 != NULL)
		put_level(cpu, 3, "3", "Unified", l3, l3_shared);
}

static cpu_set_t set_of(int a, int b)
{
	cpu_set_t s;

	CPU_ZERO(&s);
	CPU_SET(a, &s);
	CPU_SET(b, &s);
	return s;
}

Test(cache, a_last_level_that_two_cpus_share_counts_once)
{
	cpu_set_t cpus = set_of(0, 1);
	struct ki_cache c;

	put_cpu(0, "32768K", "0-15");
	put_cpu(1, "32768K", "0-15");
	ki_cache_read(&c, root, &cpus);
	cr_expect_eq(c.llc_bytes, (uint64_t)32 << 20);
	cr_expect_eq(c.private_bytes, (uint64_t)1280 << 10);
	cr_expect(c.llc_reported);
}

Test(cache, last_levels_of_two_groups_add_up_and_unused_cpus_do_not_count)
{
	cpu_set_t cpus = set_of(0, 8);
	struct ki_cache c;

	put_cpu(0, "32M", "0-7");
	put_cpu(8, "32M", "8-15");
	put_cpu(16, "512M", "16-23");
	ki_cache_read(&c, root, &cpus);
	cr_expect_eq(c.llc_bytes, (uint64_t)64 << 20);
}

Test(cache, private_second_levels_are_the_last_level_where_there_is_no_third)
{
	cpu_set_t cpus = set_of(0, 1);
	struct ki_cache c;

	put_cpu(0, NULL, NULL);
	put_cpu(1, NULL, NULL);
	ki_cache_read(&c, root, &cpus);
	cr_expect_eq(c.llc_bytes, (uint64_t)2 * 1280 << 10);
	cr_expect_eq(c.private_bytes, (uint64_t)48 << 10);
}

Test(cache, a_system_that_says_nothing_gets_a_fallback_that_is_marked_as_such)
{
	cpu_set_t cpus = set_of(0, 1);
	struct ki_cache c;

	ki_cache_read(&c, root, &cpus);
	cr_expect_eq(c.llc_bytes, KI_CACHE_LLC_FALLBACK_BYTES);
	cr_expect_not(c.llc_reported);
}
