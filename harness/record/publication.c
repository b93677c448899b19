/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "record/publication.h"

#define PUBLICATION_PATH_MAX 512
#define PUBLICATION_COUNT_MAX 2147483647

static void check_parts(struct ki_issues *issues, const struct ki_record *r)
{
	char path[PUBLICATION_PATH_MAX];
	enum ki_record_part part;

	for (part = 0; part < KI_RECORD_PROJECT; part++) {
		if (r->parts[part].document != NULL)
			continue;
		snprintf(path, sizeof path, "/%s", ki_record_member(part));
		ki_issues_add(issues, NULL, path,
			      "expected the document that the run names, found "
			      "nothing");
	}
}

/* Of a timing that shows no value there is none; without timing it is the first measurement's. */
static const json_t *primary_value(const json_t *spec, const char **path)
{
	const json_t *timing = json_object_get(spec, "timing");
	const json_t *latency = json_object_get(timing, "latencyNs");
	const char *statistic = json_string_value(json_object_get(timing, "primaryStatistic"));
	bool mean = statistic != NULL && strcmp(statistic, "mean") == 0;
	const json_t *value = json_object_get(latency, mean ? "mean" : "median");

	*path = "/run/spec/timing/latencyNs";
	if (value == NULL)
		value = json_object_get(latency, mean ? "median" : "mean");
	if (timing != NULL)
		return value;
	*path = "/run/spec/measurements/0/value";
	return json_object_get(json_array_get(json_object_get(spec, "measurements"), 0), "value");
}

static void check_primary(struct ki_issues *issues, const json_t *spec)
{
	const char *status = json_string_value(json_object_get(spec, "status")), *path;
	const json_t *value = primary_value(spec, &path);

	if (value == NULL && strcmp(status, "passed") == 0)
		ki_issues_add(issues, NULL, "/run/spec",
			      "expected a timing or a measurement, as the run passed, found none");
	else if (value != NULL && json_number_value(value) < 0)
		ki_issues_add(issues, NULL, path, "expected a value of 0 or more, found %g",
			      json_number_value(value));
}

static void check_count(struct ki_issues *issues, const json_t *count, const char *path)
{
	if (json_integer_value(count) > PUBLICATION_COUNT_MAX)
		ki_issues_add(issues, NULL, path,
			      "expected at most %d, found %" JSON_INTEGER_FORMAT,
			      PUBLICATION_COUNT_MAX, json_integer_value(count));
}

static void check_counts(struct ki_issues *issues, const json_t *spec)
{
	const json_t *list = json_object_get(spec, "measurements"), *m;
	char path[PUBLICATION_PATH_MAX];
	size_t i;

	check_count(issues, json_object_get(json_object_get(spec, "timing"), "samples"),
		    "/run/spec/timing/samples");
	json_array_foreach(list, i, m)
	{
		snprintf(path, sizeof path, "/run/spec/measurements/%zu/sampleCount", i);
		check_count(issues, json_object_get(m, "sampleCount"), path);
	}
}

static void check_year(struct ki_issues *issues, const json_t *spec)
{
	const char *instant = json_string_value(json_object_get(spec, "observedAt"));

	if (strncmp(instant, "0000", 4) == 0)
		ki_issues_add(issues, NULL, "/run/spec/observedAt",
			      "expected a year from 0001 on, found %s", instant);
}

/* path[at] is where the path of v ends. */
static void check_text(struct ki_issues *issues, const json_t *v, char path[PUBLICATION_PATH_MAX],
		       size_t at)
{
	const char *key;
	json_t *item;
	size_t i;

	if (at >= PUBLICATION_PATH_MAX)
		at = PUBLICATION_PATH_MAX - 1;
	path[at] = '\0';
	if (json_is_string(v) && strlen(json_string_value(v)) != json_string_length(v))
		ki_issues_add(issues, NULL, path,
			      "expected a text that a database can hold, found one with U+0000");
	json_object_foreach((json_t *)v, key, item)
	{
		int n = snprintf(path + at, PUBLICATION_PATH_MAX - at, "/%s", key);

		check_text(issues, item, path, at + (size_t)n);
	}
	json_array_foreach(v, i, item)
	{
		int n = snprintf(path + at, PUBLICATION_PATH_MAX - at, "/%zu", i);

		check_text(issues, item, path, at + (size_t)n);
	}
}

void ki_publication_check(struct ki_issues *issues, const struct ki_record *r)
{
	const json_t *spec = json_object_get(r->parts[KI_RECORD_RUN].document, "spec");
	char path[PUBLICATION_PATH_MAX];
	enum ki_record_part part;

	check_parts(issues, r);
	if (spec != NULL) {
		check_primary(issues, spec);
		check_counts(issues, spec);
		check_year(issues, spec);
	}
	for (part = 0; part < KI_RECORD_PARTS; part++) {
		int n = snprintf(path, sizeof path, "/%s", ki_record_member(part));

		check_text(issues, r->parts[part].document, path, (size_t)n);
	}
}
