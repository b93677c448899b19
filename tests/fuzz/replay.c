/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target, without the fuzzer, on each of the files named. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

#define REPLAY_BYTES_MAX ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int main(int argc, char **argv)
{
	struct ki_error e = {0};
	size_t size;
	char *data;
	int i;

	for (i = 1; i < argc; i++) {
		if (ki_file_read(&data, &size, argv[i], REPLAY_BYTES_MAX, &e) != KI_SUCCESS) {
			fprintf(stderr, "%s\n", e.text);
			return EXIT_FAILURE;
		}
		/* Should it abort, the last line says on which. */
		fprintf(stderr, "%s\n", argv[i]);
		LLVMFuzzerTestOneInput((const unsigned char *)data, size);
		free(data);
	}
	return EXIT_SUCCESS;
}
