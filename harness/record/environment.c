/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "document/pattern.h"
#include "record/manifest.h"

/* What a device may say of itself and of its system: the schema's fields, and no others. */
enum environment_type {
	ENVIRONMENT_TOKEN,
	ENVIRONMENT_TEXT,
	ENVIRONMENT_COUNT,  /* an integer above 0 */
	ENVIRONMENT_NUMBER, /* above 0 */
	ENVIRONMENT_BOOLEAN,
	ENVIRONMENT_TEXTS /* texts by name */
};

struct environment_field {
	const char *key;
	size_t max; /* bytes of a text */
	enum environment_type type;
	bool required;
};

static const struct environment_field hardware_fields[] = {
	{"vendor", 0, ENVIRONMENT_TOKEN, true},
	{"product", 200, ENVIRONMENT_TEXT, true},
	{"architecture", 0, ENVIRONMENT_TOKEN, true},
	{"formFactor", 100, ENVIRONMENT_TEXT, false},
	{"memoryBytes", 0, ENVIRONMENT_COUNT, false},
	{"count", 0, ENVIRONMENT_COUNT, false},
	{"interconnect", 200, ENVIRONMENT_TEXT, false},
	{NULL, 0, ENVIRONMENT_TEXT, false},
};

/* No framework: that is a backend's own, and this is shared by all backends of a run. */
static const struct environment_field software_fields[] = {
	{"operatingSystem", 200, ENVIRONMENT_TEXT, false},
	{"kernel", 200, ENVIRONMENT_TEXT, false},
	{"driver", 100, ENVIRONMENT_TEXT, false},
	{"cudaToolkit", 100, ENVIRONMENT_TEXT, false},
	{"compiler", 200, ENVIRONMENT_TEXT, false},
	{"libraries", 100, ENVIRONMENT_TEXTS, false},
	{NULL, 0, ENVIRONMENT_TEXT, false},
};

static const struct environment_field settings_fields[] = {
	{"clocksLocked", 0, ENVIRONMENT_BOOLEAN, false},
	{"powerLimitWatts", 0, ENVIRONMENT_NUMBER, false},
	{"persistenceMode", 0, ENVIRONMENT_BOOLEAN, false},
	{"eccEnabled", 0, ENVIRONMENT_BOOLEAN, false},
	{NULL, 0, ENVIRONMENT_TEXT, false},
};

static bool environment_texts_fit(const json_t *value)
{
	const char *name;
	json_t *text;

	if (!json_is_object(value))
		return false;
	json_object_foreach((json_t *)value, name, text)
	{
		if (!ki_pattern_matches(&ki_pattern_token, name) || !json_is_string(text))
			return false;
	}
	return true;
}

static bool environment_fits(const struct environment_field *f, const json_t *value)
{
	switch (f->type) {
	case ENVIRONMENT_TOKEN:
		return ki_pattern_matches(&ki_pattern_token, json_string_value(value));
	case ENVIRONMENT_TEXT:
		return json_is_string(value) && (!f->required || json_string_length(value) > 0);
	case ENVIRONMENT_COUNT:
		return json_integer_value(value) > 0 &&
		       json_integer_value(value) <= KI_MANIFEST_INTEGER_MAX;
	case ENVIRONMENT_NUMBER:
		return json_number_value(value) > 0;
	case ENVIRONMENT_BOOLEAN:
		return json_is_boolean(value);
	case ENVIRONMENT_TEXTS:
		return environment_texts_fit(value);
	}
	return false;
}

static json_t *environment_texts(const json_t *value, size_t max)
{
	json_t *texts = json_object(), *text;
	const char *name;

	json_object_foreach((json_t *)value, name, text)
	{
		ki_manifest_set(texts, name, json_string_value(text), max);
	}
	return texts;
}

/* An optional fact that is unknown (an empty text) or too long is left out. */
static void environment_copy(json_t *out, const struct environment_field *f, json_t *value)
{
	if (f->type == ENVIRONMENT_TEXTS)
		json_object_set_new(out, f->key, environment_texts(value, f->max));
	else if (f->type == ENVIRONMENT_TEXT && f->required)
		json_object_set_new(out, f->key,
				    ki_manifest_string(json_string_value(value), f->max));
	else if (f->type == ENVIRONMENT_TEXT)
		ki_manifest_set(out, f->key, json_string_value(value), f->max);
	else
		json_object_set(out, f->key, value);
}

/* *out is a new object with the fields of one section of the facts. */
static int environment_section(json_t **out, const char *section, const json_t *facts,
			       const struct environment_field *fields, struct ki_error *e)
{
	size_t known = 0;
	const struct environment_field *f;
	json_t *o;

	if (!json_is_object(facts))
		return ki_error_set(e, KI_FAIL_INTERNAL, "a device without facts: %s", section);
	o = json_object();
	for (f = fields; f->key != NULL; f++) {
		json_t *value = json_object_get(facts, f->key);

		known += value != NULL ? 1u : 0u;
		if (value == NULL ? f->required : !environment_fits(f, value)) {
			json_decref(o);
			return ki_error_set(e, KI_FAIL_INTERNAL,
					    "a device's fact is missing or not as Kernel Index "
					    "has it: %s.%s",
					    section, f->key);
		}
		if (value != NULL)
			environment_copy(o, f, value);
	}
	if (known != json_object_size(facts)) {
		json_decref(o);
		return ki_error_set(e, KI_FAIL_INTERNAL,
				    "a device has a fact that Kernel Index has no field for: %s",
				    section);
	}
	*out = o;
	return KI_SUCCESS;
}

static int environment_spec(json_t **out, const json_t *facts, struct ki_error *e)
{
	json_t *hardware = NULL, *software = NULL, *settings = NULL;
	const json_t *set = json_object_get(facts, "settings");
	int rc = environment_section(&hardware, "hardware", json_object_get(facts, "hardware"),
				     hardware_fields, e);

	if (rc == KI_SUCCESS)
		rc = environment_section(&software, "software", json_object_get(facts, "software"),
					 software_fields, e);
	if (rc == KI_SUCCESS && set != NULL)
		rc = environment_section(&settings, "settings", set, settings_fields, e);
	if (rc != KI_SUCCESS) {
		json_decref(hardware);
		json_decref(software);
		return rc;
	}
	*out = json_pack("{s:o, s:o}", "hardware", hardware, "software", software);
	if (settings != NULL)
		json_object_set_new(*out, "settings", settings);
	return KI_SUCCESS;
}

int ki_document_environment(struct ki_identified *out, const json_t *facts, struct ki_error *e)
{
	const char *product, *system;
	char title[1024];
	json_t *spec;
	int rc = environment_spec(&spec, facts, e);

	if (rc != KI_SUCCESS)
		return rc;
	product = json_string_value(json_object_get(json_object_get(spec, "hardware"), "product"));
	system = json_string_value(
		json_object_get(json_object_get(spec, "software"), "operatingSystem"));
	snprintf(title, sizeof title, "%s, %s", product,
		 system != NULL ? system : "unknown system");
	return ki_manifest_new(out, "ExecutionEnvironment", ki_manifest_metadata(title, title),
			       spec, e);
}
