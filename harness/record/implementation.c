/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "document/pattern.h"
#include "record/manifest.h"

#define IMPLEMENTATION_SYMBOL_MAX 200
#define IMPLEMENTATION_INTERFACE "ki_plugin"

static const char *implementation_text(const json_t *from, const char *key)
{
	return json_string_value(json_object_get(from, key));
}

/*
 * Where the source is, as far as the plugin says so in a form that Kernel Index has.  A commit with
 * changes on top ("+dirty") is not that commit.
 */
static json_t *implementation_revision(const struct ki_implementation_source *s)
{
	const char *source = implementation_text(s->kernel, "sourceUri");
	const char *home = implementation_text(s->plugin, "url");
	const char *commit = implementation_text(s->kernel, "revision");
	const char *digest = implementation_text(s->kernel, "sourceDigest");
	json_t *o = json_object();

	if (ki_manifest_is_https(source))
		ki_manifest_set(o, "repository", source, 2000);
	else if (ki_manifest_is_https(home))
		ki_manifest_set(o, "repository", home, 2000);
	if (ki_pattern_matches(&ki_pattern_commit, commit))
		ki_manifest_set(o, "commit", commit, 40);
	if (ki_pattern_matches(&ki_pattern_digest, digest))
		ki_manifest_set(o, "treeDigest", digest, KI_DIGEST_MAX);
	ki_manifest_set(o, "version", implementation_text(s->plugin, "version"), 100);
	return o;
}

/* Kernel ids are unique in a plugin only.  One that does not fit with its plugin's stands alone. */
static json_t *implementation_callable(const struct ki_implementation_source *s)
{
	const char *plugin = implementation_text(s->plugin, "id");
	const char *kernel = implementation_text(s->kernel, "id");
	char symbol[IMPLEMENTATION_SYMBOL_MAX + 1];
	json_t *o = json_object();

	if (snprintf(symbol, sizeof symbol, "%s#%s", plugin, kernel) >= (int)sizeof symbol)
		snprintf(symbol, sizeof symbol, "%s", kernel);
	ki_manifest_set(o, "language", implementation_text(s->kernel, "language"), 100);
	ki_manifest_set(o, "symbol", symbol, IMPLEMENTATION_SYMBOL_MAX);
	ki_manifest_set(o, "interface", IMPLEMENTATION_INTERFACE, 100);
	return o;
}

static json_t *implementation_licensing(const struct ki_implementation_source *s)
{
	const char *license = implementation_text(s->kernel, "license");
	json_t *o = json_object();

	if (license == NULL)
		license = implementation_text(s->plugin, "license");
	ki_manifest_set(o, "declared", license, 200);
	return o;
}

/* The bytes that were loaded, whatever their file was called: a copy is no other implementation. */
static json_t *implementation_file(const struct ki_implementation_source *s)
{
	json_t *o = json_pack("{s:s}", "contentDigest", s->digest->text);

	if (s->bytes > 0 && s->bytes <= KI_MANIFEST_INTEGER_MAX)
		json_object_set_new(o, "sizeBytes", json_integer((json_int_t)s->bytes));
	return o;
}

static void implementation_label(json_t *labels, const char *key, const char *text)
{
	if (text != NULL && text[0] != '\0')
		json_object_set_new(labels, key, ki_manifest_string(text, KI_MANIFEST_LABEL_MAX));
}

static json_t *implementation_metadata(const struct ki_implementation_source *s)
{
	const char *plugin = implementation_text(s->plugin, "id");
	const char *kernel = implementation_text(s->kernel, "id");
	const char *summary = implementation_text(s->kernel, "summary");
	json_t *labels = json_object(), *o;
	char name[1024];

	snprintf(name, sizeof name, "%s-%s", plugin, kernel);
	o = ki_manifest_metadata(name, summary != NULL && summary[0] != '\0' ? summary : name);
	implementation_label(labels, "plugin", plugin);
	implementation_label(labels, "kernel", kernel);
	implementation_label(labels, "file_name", s->file_name);
	implementation_label(labels, "toolchain", implementation_text(s->plugin, "toolchain"));
	json_object_set_new(o, "labels", labels);
	return o;
}

/* A plugin states no list of what it supports: it is asked case by case.  So both are empty. */
static json_t *implementation_support(void)
{
	return json_pack("{s:[], s:[]}", "hardwareArchitectures", "dtypes");
}

/* What a worker says after it loaded a plugin is the plugin's word. */
static int implementation_check(const struct ki_implementation_source *s, struct ki_error *e)
{
	if (implementation_text(s->plugin, "id") == NULL ||
	    implementation_text(s->kernel, "id") == NULL)
		return ki_error_set(e, KI_FAIL_BACKEND, "a plugin or a kernel without an id");
	if (!ki_pattern_matches(&ki_pattern_token, implementation_text(s->kernel, "language")) ||
	    strlen(implementation_text(s->kernel, "language")) > 100)
		return ki_error_set(e, KI_FAIL_BACKEND,
				    "kernel %s: its language is not of the form [a-z][a-z0-9_]*",
				    implementation_text(s->kernel, "id"));
	return KI_SUCCESS;
}

int ki_document_implementation(struct ki_identified *out, const struct ki_implementation_source *s,
			       struct ki_error *e)
{
	json_t *spec;
	int rc = implementation_check(s, e);

	if (rc != KI_SUCCESS)
		return rc;
	spec = json_pack("{s:o, s:{s:s}, s:o, s:o, s:o, s:o}", "projectRevision",
			 implementation_revision(s), "operation", "specDigest", s->operation->text,
			 "callable", implementation_callable(s), "support",
			 implementation_support(), "source", implementation_file(s), "licensing",
			 implementation_licensing(s));
	return ki_manifest_new(out, "ImplementationRevision", implementation_metadata(s), spec, e);
}
