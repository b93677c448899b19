/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend as the supervisor knows it: where it was found, the bytes that will be loaded and
 * their digest, and what the plugin says of itself.
 *
 * The file is copied once into sealed memory; the digest is taken of that copy and every worker
 * loads that copy, so what was hashed is what runs.
 */
#ifndef KI_RUN_BACKEND_H
#define KI_RUN_BACKEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "document/digest.h"
#include "worker/process.h"

#define KI_BACKEND_LABEL_MAX 64
#define KI_BACKEND_BYTES_MAX ((uint64_t)1 << 30)

struct ki_backend {
	char label[KI_BACKEND_LABEL_MAX];
	char *path; /* absolute */
	char *file_name;
	bool elsewhere; /* found by its name, not at the path that was given */
	int image;      /* descriptor of the sealed copy */
	uint64_t bytes;
	struct ki_digest digest;
	char *kernel_asked; /* of FILE#KERNEL; NULL: the first that fits */
	json_t *plugin;     /* what it says of itself (worker/wire.h, LOAD) */
	const char *kernel; /* id, in plugin */
	const json_t *kernel_facts;
};

/*
 * text is [LABEL=]FILE[#KERNEL].  Finds, preflights, copies and hashes the file; runs none of it.
 * An error is one sentence that names the file and what is wrong with it.
 */
int ki_backend_open(struct ki_backend *out, const char *text, struct ki_error *e) KI_MUST_CHECK;

/*
 * Loads it in a worker of its own to read its description, and chooses the kernel: the one asked
 * for, else the first for operation op ("gemm/1").
 */
int ki_backend_describe(struct ki_backend *b, const char *op, const struct ki_worker_run *run,
			uint64_t load_ns, struct ki_error *e) KI_MUST_CHECK;

void ki_backend_close(struct ki_backend *b);

#endif
