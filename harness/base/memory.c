/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

#define MEMORY_FILE_MAX ((size_t)1 << 20)

uint64_t ki_memory_available(void)
{
	static const char key[] = "\nMemAvailable:";
	char *text;
	const char *at;
	size_t size;
	uint64_t bytes = 0;

	if (ki_file_read(&text, &size, "/proc/meminfo", MEMORY_FILE_MAX, NULL) != KI_SUCCESS)
		return 0;
	at = strstr(text, key);
	if (at != NULL)
		bytes = strtoull(at + sizeof key - 1, NULL, 10) << 10;
	free(text);
	return bytes;
}
