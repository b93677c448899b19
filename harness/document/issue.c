/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "document/issue.h"

#define ISSUE_TEXT_MAX 2048

void ki_issues_add(struct ki_issues *issues, const struct ki_node *at, const char *path,
		   const char *fmt, ...)
{
	char text[ISSUE_TEXT_MAX];
	struct ki_issue *list, *i;
	va_list ap;

	if (issues->count >= KI_ISSUES_MAX) {
		issues->dropped++;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	list = ki_array_grow(issues->list, &issues->capacity, issues->count, sizeof *list);
	if (list == NULL) {
		issues->no_memory = true;
		return;
	}
	issues->list = list;
	i = &issues->list[issues->count++];
	*i = (struct ki_issue){
		.line = at != NULL ? at->line : 0,
		.column = at != NULL ? at->column : 0,
		.path = strdup(path),
		.text = strdup(text),
	};
	if (i->path == NULL || i->text == NULL)
		issues->no_memory = true;
}

size_t ki_issues_total(const struct ki_issues *issues)
{
	return issues->count + issues->dropped;
}

void ki_issue_line(const struct ki_issue *issue, const char *file, char out[KI_ISSUE_LINE_MAX])
{
	char place[32] = "";

	if (issue->line > 0)
		snprintf(place, sizeof place, ":%" PRIu32 ":%" PRIu32, issue->line, issue->column);
	snprintf(out, KI_ISSUE_LINE_MAX, "%.1000s%s: %.900s: %s", file, place,
		 issue->path[0] != '\0' ? issue->path : "document", issue->text);
}

int ki_issues_fail(const struct ki_issues *issues, const char *file, struct ki_error *e)
{
	char line[KI_ISSUE_LINE_MAX], more[64] = "";
	size_t others = ki_issues_total(issues) - 1;

	ki_issue_line(&issues->list[0], file, line);
	if (others > 0)
		snprintf(more, sizeof more, " (and %zu more fault%s)", others,
			 others == 1 ? "" : "s");
	return ki_error_set(e, KI_FAIL_INPUT, "%s%s", line, more);
}

void ki_issues_free(struct ki_issues *issues)
{
	size_t i;

	for (i = 0; i < issues->count; i++) {
		free(issues->list[i].path);
		free(issues->list[i].text);
	}
	free(issues->list);
	*issues = (struct ki_issues){0};
}
