/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Liger-Kernel's benchmark results (benchmark/data/all_benchmark_data.csv) as Kernel Index records:
 * byte for byte what Kernel Index's own importer makes of the rows that it and we know.
 */
#ifndef KI_IMPORT_LIGER_H
#define KI_IMPORT_LIGER_H

#include <jansson.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "import/csv.h"
#include "record/document.h"

struct ki_liger;

/* header is the first row of the file; columns are found by their names, in any order. */
int ki_liger_new(struct ki_liger **out, const struct ki_csv_row *header,
		 struct ki_error *e) KI_MUST_CHECK;
void ki_liger_free(struct ki_liger *liger);

enum ki_liger_outcome {
	KI_LIGER_RECORD,
	KI_LIGER_LEFT_OUT, /* nothing is wrong with it, but it is not known here */
	KI_LIGER_FAULT     /* torn, shifted or damaged */
};

#define KI_LIGER_REASON_MAX 512

struct ki_liger_row {
	enum ki_liger_outcome outcome;
	/* Of a row left out: what is not known, the same for all like it.  Of a fault: what is
	 * wrong. */
	char reason[KI_LIGER_REASON_MAX];
	/* Of a record, valid until the next row: */
	struct ki_digest run;
	const char *record; /* canonical text: run, protocol, environment, ... project */
	size_t record_size;
	const char *provider;    /* "torch" */
	const char *workload;    /* the name of its document */
	const char *observed_at; /* of the run, and the digests that it states */
	const struct ki_digest *protocol_digest;
	const struct ki_digest *workload_digest;
};

/* An error is only what is not the row's own (memory). */
int ki_liger_read(struct ki_liger_row *out, struct ki_liger *liger, const struct ki_csv_row *row,
		  struct ki_error *e) KI_MUST_CHECK;

#endif
