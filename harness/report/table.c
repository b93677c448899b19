/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/duration.h"
#include "report/sentence.h"
#include "report/table.h"

#define TABLE_CELL_MAX 224
#define TABLE_GAP 2

enum table_column {
	TABLE_CASE,
	TABLE_BACKEND,
	TABLE_STATUS,
	TABLE_MEDIAN,
	TABLE_SPREAD,
	TABLE_CONTROL,
	TABLE_BANDWIDTH,
	TABLE_OF_COPY,
	TABLE_RATIO,
	TABLE_EFFECT,
	TABLE_OUTCOME,
	TABLE_COLUMNS
};

struct table_line {
	char cells[TABLE_COLUMNS][TABLE_CELL_MAX];
};

/* Characters that a terminal shows: every byte that does not continue a UTF-8 sequence. */
static int table_width(const char *text)
{
	int n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80 ? 1 : 0;
	return n;
}

/*
 * Labels and reasons hold what plugins and users wrote: a control character could move the cursor,
 * and what the terminal's character set lacks would not line up.
 */
static void table_text(char *out, size_t size, const char *text, bool utf8)
{
	size_t n = 0;

	for (; *text != '\0' && n + 1 < size; text++) {
		unsigned char c = (unsigned char)*text;
		bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && (text[1] & 0xe0) == 0x80);

		if (c >= 0x80 && !utf8 && (c & 0xc0) == 0x80)
			continue;
		out[n++] = control || (c >= 0x80 && !utf8) ? '?' : (char)c;
		if (control && c == 0xc2)
			text++;
	}
	/* A sequence that was cut off in the middle is no text. */
	while (*text != '\0' && n > 0 && ((unsigned char)*text & 0xc0) == 0x80) {
		unsigned char last = (unsigned char)out[--n];

		if (last >= 0xc0)
			break;
	}
	out[n] = '\0';
}

/* "700.1-730 us": the unit once, unless the two ends need different ones. */
static void table_spread(char *out, size_t size, const struct ki_summary *s, bool utf8)
{
	char low[KI_DURATION_TEXT_MAX], high[KI_DURATION_TEXT_MAX];
	char *low_unit, *high_unit;

	ki_duration_text(low, s->p20);
	ki_duration_text(high, s->p80);
	low_unit = strchr(low, ' ');
	high_unit = strchr(high, ' ');
	if (low_unit != NULL && high_unit != NULL && strcmp(low_unit, high_unit) == 0)
		*low_unit = '\0';
	snprintf(out, size, "%s%s%s", low, utf8 ? "\u2013" : "-", high);
}

/* Three significant digits, down to a thousandth. */
static void table_number(char *out, size_t size, double v, const char *unit)
{
	int decimals = v < 0.1 ? 4 : v < 1 ? 3 : v < 10 ? 2 : v < 100 ? 1 : 0;

	snprintf(out, size, "%.*f%s", decimals, v, unit);
}

static void table_numbers(struct table_line *line, const struct ki_table_row *row, bool utf8)
{
	const struct ki_summary *s = &row->summary;
	double rate = s->median > 0 ? (double)row->work_bytes / ((double)s->median * 1e-9) : 0;

	ki_duration_text(line->cells[TABLE_MEDIAN], s->median);
	table_spread(line->cells[TABLE_SPREAD], TABLE_CELL_MAX, s, utf8);
	ki_duration_text(line->cells[TABLE_CONTROL], s->control_median);
	if (rate > 0)
		table_number(line->cells[TABLE_BANDWIDTH], TABLE_CELL_MAX, rate * 1e-9, "");
	if (rate > 0 && row->copy_rate > 0)
		table_number(line->cells[TABLE_OF_COPY], TABLE_CELL_MAX,
			     100 * rate / row->copy_rate, " %");
	if (row->is_baseline)
		snprintf(line->cells[TABLE_RATIO], TABLE_CELL_MAX, "baseline");
	else if (row->ratio > 0)
		table_number(line->cells[TABLE_RATIO], TABLE_CELL_MAX, row->ratio, "x");
	if (row->has_outcome && !row->is_baseline) {
		ki_sentence_effect(line->cells[TABLE_EFFECT], TABLE_CELL_MAX, &row->comparison);
		snprintf(line->cells[TABLE_OUTCOME], TABLE_CELL_MAX, "%s",
			 ki_outcome_name(row->outcome));
	}
}

static bool table_same_case(const struct ki_table_row *rows, size_t i)
{
	return i > 0 && strcmp(rows[i].case_label, rows[i - 1].case_label) == 0;
}

static void table_line(struct table_line *line, const struct ki_table_row *rows, size_t i,
		       bool utf8)
{
	const struct ki_table_row *row = &rows[i];

	if (!table_same_case(rows, i))
		table_text(line->cells[TABLE_CASE], TABLE_CELL_MAX, row->case_label, utf8);
	table_text(line->cells[TABLE_BACKEND], TABLE_CELL_MAX, row->backend, utf8);
	snprintf(line->cells[TABLE_STATUS], TABLE_CELL_MAX, "%s",
		 row->interrupted ? "interrupted" : ki_verdict_name(row->verdict));
	if (row->has_latency)
		table_numbers(line, row, utf8);
}

/* The ratio's column names whom it is to; nothing to compare, no column. */
static void table_head(struct table_line *head, const struct ki_table_row *rows, size_t n,
		       bool utf8)
{
	static const char *const titles[TABLE_COLUMNS] = {
		"case", "backend", "status",      "median",     "p20-p80", "control",
		"GB/s", "of copy", "vs baseline", "difference", "verdict",
	};
	char name[64];
	size_t i;

	for (i = 0; i < TABLE_COLUMNS; i++)
		snprintf(head->cells[i], TABLE_CELL_MAX, "%s", titles[i]);
	if (utf8)
		snprintf(head->cells[TABLE_SPREAD], TABLE_CELL_MAX, "p20\u2013p80");
	for (i = 0; i < n; i++)
		if (rows[i].is_baseline) {
			table_text(name, sizeof name, rows[i].backend, utf8);
			snprintf(head->cells[TABLE_RATIO], TABLE_CELL_MAX, "vs %s", name);
			return;
		}
}

/* Widths of the columns; 0: nothing below the title, so the column is left out. */
static void table_widths(int widths[TABLE_COLUMNS], const struct table_line *lines, size_t n)
{
	size_t i;
	int c;

	for (c = 0; c < TABLE_COLUMNS; c++) {
		bool ratios = false;

		widths[c] = 0;
		for (i = 1; i <= n; i++) {
			int w = table_width(lines[i].cells[c]);

			widths[c] = w > widths[c] ? w : widths[c];
			ratios = ratios || (w > 0 && strcmp(lines[i].cells[c], "baseline") != 0);
		}
		if (c == TABLE_RATIO && !ratios)
			widths[c] = 0;
		if (widths[c] > 0 && table_width(lines[0].cells[c]) > widths[c])
			widths[c] = table_width(lines[0].cells[c]);
	}
}

static void table_print_line(FILE *out, const struct table_line *line,
			     const int widths[TABLE_COLUMNS])
{
	int owed = 0, c; /* blanks that are printed only if something follows */

	for (c = 0; c < TABLE_COLUMNS; c++) {
		const char *text = line->cells[c];
		int room = widths[c] - table_width(text);

		if (widths[c] == 0)
			continue;
		if (text[0] == '\0') {
			owed += widths[c] + TABLE_GAP;
			continue;
		}
		fprintf(out, "%*s%s", c < TABLE_MEDIAN ? owed : owed + room, "", text);
		owed = TABLE_GAP + (c < TABLE_MEDIAN ? room : 0);
	}
	fputc('\n', out);
}

static void table_print_reasons(FILE *out, const struct ki_table_row *rows, size_t n, bool utf8)
{
	char text[1024], backend[TABLE_CELL_MAX], label[TABLE_CELL_MAX];
	bool first = true;
	size_t i;

	for (i = 0; i < n; i++) {
		if (rows[i].reason == NULL)
			continue;
		table_text(label, sizeof label, rows[i].case_label, utf8);
		table_text(backend, sizeof backend, rows[i].backend, utf8);
		table_text(text, sizeof text, rows[i].reason, utf8);
		fprintf(out, "%s%s, %s: %s: %s\n", first ? "\n" : "", label, backend,
			ki_verdict_name(rows[i].verdict), text);
		first = false;
	}
}

void ki_table_print(FILE *out, const struct ki_table_row *rows, size_t n, bool utf8)
{
	struct table_line *lines = calloc(n + 1, sizeof *lines);
	int widths[TABLE_COLUMNS];
	size_t i;

	if (lines == NULL) {
		fprintf(out, "ki-harness: no memory for the table\n");
		return;
	}
	table_head(&lines[0], rows, n, utf8);
	for (i = 0; i < n; i++)
		table_line(&lines[i + 1], rows, i, utf8);
	table_widths(widths, lines, n);
	for (i = 0; i <= n; i++)
		table_print_line(out, &lines[i], widths);
	table_print_reasons(out, rows, n, utf8);
	free(lines);
}
