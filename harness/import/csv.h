/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comma-separated values (RFC 4180), a line a row.
 *
 * A quoted field that goes on in the next line is taken for a row that was torn: so whatever is
 * wrong with a row ends with its line, and the next one is read as if nothing had been.
 */
#ifndef KI_IMPORT_CSV_H
#define KI_IMPORT_CSV_H

#include <stddef.h>

#define KI_CSV_FIELDS_MAX 64

struct ki_csv {
	char *at; /* what is left of the text */
	char *end;
	size_t line; /* of the last row, from 1 */
};

struct ki_csv_row {
	size_t line;
	size_t count;
	const char
		*fields[KI_CSV_FIELDS_MAX]; /* UTF-8 without quotes, NUL-terminated, in the text */
};

enum ki_csv_status { KI_CSV_ROW, KI_CSV_TORN, KI_CSV_END };

/* text is changed by reading it, must outlive all rows, and text[size] must be writable. */
void ki_csv_init(struct ki_csv *csv, char *text, size_t size);

/* The next row that is not an empty line.  Of a torn one only line is set, and *why. */
enum ki_csv_status ki_csv_next(struct ki_csv *csv, struct ki_csv_row *row, const char **why);

#endif
