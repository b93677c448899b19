/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "import/csv.h"

void ki_csv_init(struct ki_csv *csv, char *text, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf";

	*csv = (struct ki_csv){.at = text, .end = text + size};
	if (size >= 3 && memcmp(text, mark, 3) == 0)
		csv->at += 3;
}

/* A line without its end; both may be replaced by a NUL. */
static char *csv_line(struct ki_csv *csv, size_t *size)
{
	char *line = csv->at, *end = memchr(line, '\n', (size_t)(csv->end - line));

	csv->at = end != NULL ? end + 1 : csv->end;
	csv->line++;
	if (end == NULL)
		end = csv->end;
	if (end > line && end[-1] == '\r')
		end--;
	*end = '\0';
	*size = (size_t)(end - line);
	return line;
}

/*
 * Takes a quoted field from its opening quote on, moving it over its quotes; returns what is behind
 * the closing one, or NULL when there is none.
 */
static char *csv_quoted(char **field, char *at)
{
	char *to = at;

	*field = at++;
	for (;; at++) {
		if (*at == '\0')
			return NULL;
		if (*at == '"' && *++at != '"')
			break;
		*to++ = *at;
	}
	/* The closing quote is at least one behind. */
	*to = '\0';
	return at;
}

/* Splits a line; NULL, or why it cannot be. */
static const char *csv_split(struct ki_csv_row *row, char *at)
{
	for (row->count = 0; row->count < KI_CSV_FIELDS_MAX;) {
		char *field = at, *behind, more;

		behind = *at == '"' ? csv_quoted(&field, at) : at + strcspn(at, ",\"");
		if (behind == NULL)
			return "a quoted field is not closed on its line";
		more = *behind;
		if (more != ',' && more != '\0')
			return field == at && *at != '"' && behind != at && more == '"'
				       ? "a quote stands inside of a field that has none around it"
				       : "something stands behind a closing quote";
		*behind = '\0';
		row->fields[row->count++] = field;
		if (more == '\0')
			return NULL;
		at = behind + 1;
	}
	return "it has too many fields";
}

static bool csv_is_text(const char *line, size_t size)
{
	uint32_t c;
	size_t i, n;

	for (i = 0; i < size; i += n) {
		n = ki_utf8_decode(&c, line + i, size - i);
		if (n == 0 || c == 0)
			return false;
	}
	return true;
}

enum ki_csv_status ki_csv_next(struct ki_csv *csv, struct ki_csv_row *row, const char **why)
{
	size_t size = 0;
	char *line;

	do {
		if (csv->at == csv->end)
			return KI_CSV_END;
		line = csv_line(csv, &size);
	} while (size == 0);
	row->line = csv->line;
	*why = csv_is_text(line, size) ? csv_split(row, line) : "it is not UTF-8 text";
	return *why == NULL ? KI_CSV_ROW : KI_CSV_TORN;
}
