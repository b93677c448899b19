/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <ctype.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "device/cpu_facts.h"

#define FACTS_FILE_MAX ((size_t)4 << 20)

/* The value behind "key<spaces>:" or "key=" on the first line that starts with key. */
static void facts_line(char *out, size_t size, const char *text, const char *key)
{
	const char *p = text;
	size_t n;

	while (p != NULL) {
		if (strncmp(p, key, strlen(key)) == 0) {
			p += strlen(key);
			p += strspn(p, " \t:=\"");
			n = strcspn(p, "\"\n");
			while (n > 0 && isspace((unsigned char)p[n - 1]))
				n--;
			snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), p);
			return;
		}
		p = strchr(p, '\n');
		p = p != NULL ? p + 1 : NULL;
	}
}

static void facts_from(char *out, size_t size, const char *path, const char *key)
{
	char *text;
	size_t n;

	if (ki_file_read(&text, &n, path, FACTS_FILE_MAX, NULL) != KI_SUCCESS)
		return;
	facts_line(out, size, text, key);
	free(text);
}

static void facts_vendor(struct ki_cpu_facts *f)
{
	char id[64] = "";

	facts_from(id, sizeof id, "/proc/cpuinfo", "vendor_id");
	if (strcmp(id, "GenuineIntel") == 0)
		snprintf(f->vendor, sizeof f->vendor, "intel");
	else if (strcmp(id, "AuthenticAMD") == 0)
		snprintf(f->vendor, sizeof f->vendor, "amd");
	else if (strcmp(f->architecture, "aarch64") == 0)
		snprintf(f->vendor, sizeof f->vendor, "arm");
	else
		snprintf(f->vendor, sizeof f->vendor, "unknown");
}

void ki_cpu_facts_read(struct ki_cpu_facts *out)
{
	struct utsname u;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	memset(out, 0, sizeof *out);
	snprintf(out->product, sizeof out->product, "unknown CPU");
	snprintf(out->system, sizeof out->system, "Linux");
	if (uname(&u) == 0) {
		snprintf(out->architecture, sizeof out->architecture, "%.31s", u.machine);
		snprintf(out->kernel, sizeof out->kernel, "%.127s", u.release);
	}
	facts_vendor(out);
	facts_from(out->product, sizeof out->product, "/proc/cpuinfo", "model name");
	facts_from(out->system, sizeof out->system, "/etc/os-release", "PRETTY_NAME");
	facts_from(out->governor, sizeof out->governor,
		   "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
	snprintf(out->libc, sizeof out->libc, "%s", gnu_get_libc_version());
	if (pages > 0 && page > 0)
		out->memory_bytes = (uint64_t)pages * (uint64_t)page;
}

json_t *ki_cpu_facts_json(const struct ki_cpu_facts *f)
{
	return json_pack("{s:{s:s, s:s, s:s, s:i}, s:{s:s, s:s, s:{s:s}}, s:{s:I, s:s}}",
			 "hardware", "vendor", f->vendor, "product", f->product, "architecture",
			 f->architecture, "count", 1, "software", "operatingSystem", f->system,
			 "kernel", f->kernel, "libraries", "glibc", f->libc, "evidence",
			 "memoryBytes", (json_int_t)f->memory_bytes, "governor", f->governor);
}
