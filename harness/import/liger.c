/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "document/canonical.h"
#include "document/digest.h"
#include "document/kind/kind.h"
#include "document/pattern.h"
#include "document/slug.h"
#include "import/liger.h"
#include "import/liger_catalog.h"
#include "record/manifest.h"

#define LIGER_SOURCE "liger-kernel-bench"
#define LIGER_TEXT_MAX 512
#define LIGER_RECORD_MAX ((size_t)1 << 20)
#define LIGER_AXIS_MAX (INT64_C(1) << 31)
#define LIGER_NS_PER_MS 1e6
/* No kernel runs for longer; it keeps nanoseconds well within a double's integers. */
#define LIGER_MS_MAX 1e9

enum column {
	KERNEL,
	PROVIDER,
	PASS,
	METRIC,
	UNIT,
	X_NAME,
	X_VALUE,
	Y_50,
	Y_20,
	Y_80,
	CONFIG,
	GPU,
	TIMESTAMP,
	RELEASE,
	COLUMNS
};

static const char *const column_names[COLUMNS] = {
	[KERNEL] = "kernel_name",
	[PROVIDER] = "kernel_provider",
	[PASS] = "kernel_operation_mode",
	[METRIC] = "metric_name",
	[UNIT] = "metric_unit",
	[X_NAME] = "x_name",
	[X_VALUE] = "x_value",
	[Y_50] = "y_value_50",
	[Y_20] = "y_value_20",
	[Y_80] = "y_value_80",
	[CONFIG] = "extra_benchmark_config_str",
	[GPU] = "gpu_name",
	[TIMESTAMP] = "timestamp",
	[RELEASE] = "liger_version",
};

/* Rows share nearly all of their documents: each is made once. */
struct liger_document {
	struct ki_identified id;
	char *text; /* canonical */
};

struct ki_liger {
	size_t columns[COLUMNS];
	size_t n_columns; /* of the header */
	json_t *known;    /* a key of a document to its index below */
	struct liger_document *documents;
	size_t n_documents;
	size_t capacity;
	char *config; /* the last one that was understood, and what it says */
	struct ki_liger_shape shape;
	const struct ki_liger_kernel *config_kernel;
	char instant[32];
	struct ki_buffer metadata; /* of the run, and its spec: canonical texts */
	struct ki_buffer spec;
	struct ki_buffer identity;
	struct ki_buffer record;
	locale_t c; /* numbers of a file have a point */
};

/* What a row says, once it is understood. */
struct liger_fields {
	const char *text[COLUMNS];
	const struct ki_liger_kernel *kernel;
	const struct ki_liger_provider *provider;
	const struct ki_liger_pass *pass;
	const struct ki_liger_gpu *gpu;
	struct ki_liger_shape shape;
	double ms_50, ms_20, ms_80;
	char instant[32];
};

/* ---------------------------------------------------------------- opening */

static int liger_columns(struct ki_liger *l, const struct ki_csv_row *header, struct ki_error *e)
{
	size_t i, k;

	l->n_columns = header->count;
	for (i = 0; i < COLUMNS; i++) {
		for (k = 0; k < header->count; k++)
			if (strcmp(header->fields[k], column_names[i]) == 0)
				break;
		if (k == header->count)
			return ki_error_set(e, KI_FAIL_INPUT,
					    "%zu: expected the columns of Liger-Kernel's "
					    "all_benchmark_data.csv, found none named \"%s\"",
					    header->line, column_names[i]);
		l->columns[i] = k;
	}
	return KI_SUCCESS;
}

int ki_liger_new(struct ki_liger **out, const struct ki_csv_row *header, struct ki_error *e)
{
	struct ki_liger *l = calloc(1, sizeof *l);
	int rc;

	if (l == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	ki_buffer_init(&l->metadata, LIGER_RECORD_MAX);
	ki_buffer_init(&l->spec, LIGER_RECORD_MAX);
	ki_buffer_init(&l->identity, LIGER_RECORD_MAX);
	ki_buffer_init(&l->record, LIGER_RECORD_MAX);
	l->known = json_object();
	l->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	rc = l->known == NULL || l->c == (locale_t)0
		     ? ki_error_set(e, KI_FAIL_MEMORY, "memory ran out")
		     : liger_columns(l, header, e);
	if (rc == KI_SUCCESS)
		*out = l;
	else
		ki_liger_free(l);
	return rc;
}

void ki_liger_free(struct ki_liger *l)
{
	size_t i;

	if (l == NULL)
		return;
	for (i = 0; i < l->n_documents; i++) {
		ki_identified_free(&l->documents[i].id);
		free(l->documents[i].text);
	}
	free(l->documents);
	json_decref(l->known);
	free(l->config);
	ki_buffer_fini(&l->metadata);
	ki_buffer_fini(&l->spec);
	ki_buffer_fini(&l->identity);
	ki_buffer_fini(&l->record);
	if (l->c != (locale_t)0)
		freelocale(l->c);
	free(l);
}

/* ---------------------------------------------------------------- a row's fields */

static bool KI_PRINTF(3, 4)
	refuse(struct ki_liger_row *out, enum ki_liger_outcome outcome, const char *fmt, ...)
{
	va_list ap;

	out->outcome = outcome;
	va_start(ap, fmt);
	vsnprintf(out->reason, sizeof out->reason, fmt, ap);
	va_end(ap);
	return false;
}

static bool expected(struct ki_liger_row *out, enum column column, const char *what,
		     const char *found)
{
	return refuse(out, KI_LIGER_FAULT, "%s: expected %s, found \"%.200s\"",
		      column_names[column], what, found);
}

/* A decimal, all of the text: no blanks, no hexadecimal, no infinity. */
static bool parse_decimal(double *out, const struct ki_liger *l, const char *text)
{
	char *end;

	if (text[strspn(text, "0123456789.eE+-")] != '\0' || text[0] == '\0')
		return false;
	*out = strtod_l(text, &end, l->c);
	return *end == '\0' && isfinite(*out);
}

static bool read_latency(double *out, const struct ki_liger *l, struct ki_liger_row *row,
			 const struct liger_fields *f, enum column column)
{
	if (parse_decimal(out, l, f->text[column]) && *out >= 0 && *out <= LIGER_MS_MAX)
		return true;
	return expected(row, column, "milliseconds", f->text[column]);
}

/* "2025-04-28 04:46:11" as an instant; the file knows no zone, Kernel Index takes it for UTC. */
static bool read_timestamp(struct liger_fields *f, struct ki_liger_row *row)
{
	const char *text = f->text[TIMESTAMP];

	snprintf(f->instant, sizeof f->instant, "%.10sT%.8s.000Z", text,
		 strlen(text) == 19 ? text + 11 : "");
	if (strlen(text) == 19 && text[10] == ' ' &&
	    ki_pattern_matches(&ki_pattern_instant, f->instant))
		return true;
	return expected(row, TIMESTAMP, "a time, such as 2025-04-28 04:46:11", text);
}

static bool read_axis(int64_t *out, const json_t *config, const char *name)
{
	const json_t *v = json_object_get(config, name);

	*out = json_integer_value(v);
	return json_is_integer(v) && *out >= 1 && *out <= LIGER_AXIS_MAX;
}

/* A configuration that says what the operation has no words for is not known. */
static bool check_config(const json_t *config, struct ki_liger_row *row,
			 const struct liger_fields *f)
{
	static const char *const members[] = {"B", "C_in", "C_out", "K", "groups", "bias", "dtype"};
	const char *name;
	json_t *v;
	size_t i;

	json_object_foreach((json_t *)config, name, v)
	{
		for (i = 0; i < sizeof members / sizeof members[0]; i++)
			if (strcmp(name, members[i]) == 0)
				break;
		if (i == sizeof members / sizeof members[0])
			return refuse(row, KI_LIGER_LEFT_OUT,
				      "configuration \"%.100s\" of kernel %s", name,
				      f->kernel->name);
	}
	if (json_integer_value(json_object_get(config, "groups")) != 1)
		return refuse(row, KI_LIGER_LEFT_OUT,
			      "configurations of kernel %s without groups 1", f->kernel->name);
	if (!json_is_true(json_object_get(config, "bias")))
		return refuse(row, KI_LIGER_LEFT_OUT, "configurations of kernel %s without bias",
			      f->kernel->name);
	return true;
}

static bool read_config_of(struct ki_liger_shape *out, const json_t *config,
			   const struct liger_fields *f, struct ki_liger_row *row)
{
	const char *dtype = json_string_value(json_object_get(config, "dtype"));

	if (!json_is_object(config) || !read_axis(&out->axes[KI_LIGER_BATCH], config, "B") ||
	    !read_axis(&out->axes[KI_LIGER_HEADS_IN], config, "C_in") ||
	    !read_axis(&out->axes[KI_LIGER_HEADS_OUT], config, "C_out") ||
	    !read_axis(&out->axes[KI_LIGER_K], config, "K") || dtype == NULL)
		return expected(row, CONFIG, "an object of B, C_in, C_out, K, groups, bias, dtype",
				f->text[CONFIG]);
	if (!check_config(config, row, f))
		return false;
	out->dtype = ki_liger_dtype(dtype);
	return out->dtype != NULL || refuse(row, KI_LIGER_LEFT_OUT, "dtype %.100s", dtype);
}

/* Rows beside each other differ in their length alone: what was said last is kept. */
static bool read_config(struct ki_liger *l, const struct liger_fields *f, struct ki_liger_row *row)
{
	const char *text = f->text[CONFIG];
	json_t *config;
	bool good;

	if (l->config != NULL && l->config_kernel == f->kernel && strcmp(l->config, text) == 0)
		return true;
	config = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	good = config != NULL ? read_config_of(&l->shape, config, f, row)
			      : expected(row, CONFIG, "a JSON object", text);
	json_decref(config);
	free(l->config);
	l->config = good ? strdup(text) : NULL;
	l->config_kernel = f->kernel;
	return good;
}

static bool read_shape(struct liger_fields *f, struct ki_liger *l, struct ki_liger_row *row)
{
	double length;

	if (!read_config(l, f, row))
		return false;
	f->shape = l->shape;
	if (strcmp(f->text[X_NAME], "L") != 0)
		return refuse(row, KI_LIGER_LEFT_OUT, "sweep over %.100s of kernel %s",
			      f->text[X_NAME], f->kernel->name);
	if (!parse_decimal(&length, l, f->text[X_VALUE]) || floor(length) != length || length < 1 ||
	    length > (double)LIGER_AXIS_MAX)
		return expected(row, X_VALUE, "a whole length", f->text[X_VALUE]);
	f->shape.axes[KI_LIGER_SEQ] = (int64_t)length;
	return true;
}

static bool looks_like_a_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return text[0] != '\0' && strchr(letters, text[0]) != NULL &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_.+-")] == '\0';
}

/* What does not look like a name is a row out of its columns, not an unknown kernel. */
static bool check_names(const struct liger_fields *f, struct ki_liger_row *row)
{
	static const enum column names[] = {KERNEL, PROVIDER, METRIC};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!looks_like_a_name(f->text[names[i]]))
			return expected(row, names[i], "a name", f->text[names[i]]);
	if (ki_liger_pass(f->text[PASS]) == NULL)
		return expected(row, PASS, "forward, backward or full", f->text[PASS]);
	if (strcmp(f->text[METRIC], "speed") == 0 && strcmp(f->text[UNIT], "ms") != 0)
		return expected(row, UNIT, "ms", f->text[UNIT]);
	return true;
}

static bool read_fields(struct liger_fields *f, struct ki_liger *l, struct ki_liger_row *row)
{
	if (!check_names(f, row) || !read_timestamp(f, row) ||
	    !read_latency(&f->ms_50, l, row, f, Y_50) ||
	    !read_latency(&f->ms_20, l, row, f, Y_20) || !read_latency(&f->ms_80, l, row, f, Y_80))
		return false;
	f->kernel = ki_liger_kernel(f->text[KERNEL]);
	f->provider = ki_liger_provider(f->text[PROVIDER]);
	f->pass = ki_liger_pass(f->text[PASS]);
	f->gpu = ki_liger_gpu(f->text[GPU]);
	if (f->kernel == NULL)
		return refuse(row, KI_LIGER_LEFT_OUT, "kernel %.100s", f->text[KERNEL]);
	if (strcmp(f->text[METRIC], "speed") != 0)
		return refuse(row, KI_LIGER_LEFT_OUT, "metric %.100s of kernel %s", f->text[METRIC],
			      f->kernel->name);
	if (f->provider == NULL)
		return refuse(row, KI_LIGER_LEFT_OUT, "provider %.100s of kernel %s",
			      f->text[PROVIDER], f->kernel->name);
	if (f->gpu == NULL)
		return refuse(row, KI_LIGER_LEFT_OUT, "GPU %.100s", f->text[GPU]);
	return read_shape(f, l, row);
}

/* ---------------------------------------------------------------- documents */

static struct liger_document *find_document(struct ki_liger *l, const char *key)
{
	const json_t *at = json_object_get(l->known, key);

	return at != NULL ? &l->documents[json_integer_value(at)] : NULL;
}

/* Takes id over; *out points to where it is until the next one is kept. */
static int keep_document(size_t *out, struct ki_liger *l, const char *key, struct ki_identified *id,
			 struct ki_error *e)
{
	struct liger_document *grown =
		ki_array_grow(l->documents, &l->capacity, l->n_documents, sizeof *grown);
	struct ki_buffer text;
	int rc = KI_SUCCESS;

	ki_buffer_init(&text, LIGER_RECORD_MAX);
	if (grown != NULL)
		l->documents = grown;
	else
		rc = ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	if (rc == KI_SUCCESS)
		rc = ki_canonical_write(&text, id->document, e);
	if (rc == KI_SUCCESS &&
	    json_object_set_new(l->known, key, json_integer((json_int_t)l->n_documents)) != 0)
		rc = ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	if (rc != KI_SUCCESS) {
		ki_identified_free(id);
		ki_buffer_fini(&text);
		return rc;
	}
	*out = l->n_documents;
	l->documents[l->n_documents].id = *id;
	l->documents[l->n_documents++].text = ki_buffer_steal(&text);
	return KI_SUCCESS;
}

/* What a record is made of besides its run, in the order of its members' names. */
enum part { ENVIRONMENT, IMPLEMENTATION, OPERATION, PROJECT, PROTOCOL, WORKLOAD, PARTS };

static int make_document(struct ki_identified *out, enum part part, const struct liger_fields *f,
			 const struct ki_digest *operation, struct ki_error *e)
{
	switch (part) {
	case ENVIRONMENT:
		return ki_liger_environment(out, f->gpu, e);
	case IMPLEMENTATION:
		return ki_liger_implementation(out, f->kernel, f->provider, operation, e);
	case OPERATION:
		return ki_liger_operation(out, f->kernel, e);
	case PROJECT:
		return ki_liger_project(out, f->provider, e);
	case PROTOCOL:
		return ki_liger_protocol(out, f->pass, e);
	default:
		return ki_liger_workload(out, f->kernel, &f->shape, operation, e);
	}
}

/* What tells one document of a part from another. */
static void document_key(char out[LIGER_TEXT_MAX], enum part part, const struct liger_fields *f)
{
	char config[KI_LIGER_CONFIG_MAX] = "";
	const char *kernel = part == IMPLEMENTATION || part == OPERATION || part == WORKLOAD
				     ? f->kernel->name
				     : "";
	const char *provider = part == IMPLEMENTATION || part == PROJECT ? f->provider->name : "";

	if (part == WORKLOAD)
		ki_liger_config(config, &f->shape);
	snprintf(out, LIGER_TEXT_MAX, "%d %s %s %s %s %s", (int)part, kernel, provider,
		 part == PROTOCOL ? f->pass->name : "", part == ENVIRONMENT ? f->gpu->name : "",
		 config);
}

static int get_document(size_t *out, struct ki_liger *l, enum part part,
			const struct liger_fields *f, const struct ki_digest *operation,
			struct ki_error *e)
{
	char key[LIGER_TEXT_MAX];
	struct liger_document *d;
	struct ki_identified made = {0};
	int rc;

	document_key(key, part, f);
	d = find_document(l, key);
	if (d != NULL) {
		*out = (size_t)(d - l->documents);
		return KI_SUCCESS;
	}
	rc = make_document(&made, part, f, operation, e);
	return rc == KI_SUCCESS ? keep_document(out, l, key, &made, e) : rc;
}

static int get_documents(size_t at[PARTS], struct ki_liger *l, const struct liger_fields *f,
			 struct ki_error *e)
{
	struct ki_digest operation;
	int rc = get_document(&at[OPERATION], l, OPERATION, f, NULL, e);
	int part;

	if (rc != KI_SUCCESS)
		return rc;
	operation = l->documents[at[OPERATION]].id.digest;
	for (part = 0; part < PARTS && rc == KI_SUCCESS; part++)
		rc = get_document(&at[part], l, part, f, &operation, e);
	return rc;
}

/* ---------------------------------------------------------------- run */

/* JavaScript's Math.round. */
static json_int_t nanoseconds(double ms)
{
	return (json_int_t)floor(ms * LIGER_NS_PER_MS + 0.5);
}

static json_t *run_measurement(const char *statistic, double ms)
{
	return json_pack("{s:s, s:s, s:s, s:I}", "metric", "latency", "unit", "ns", "statistic",
			 statistic, "value", nanoseconds(ms));
}

static json_t *run_native(const struct liger_fields *f, const char *external_id)
{
	char benchmark[LIGER_TEXT_MAX];

	snprintf(benchmark, sizeof benchmark, "%s/%s", f->kernel->name, f->pass->name);
	return json_pack("{s:s, s:s, s:s, s:{s:f, s:f, s:f}}", "source", LIGER_SOURCE, "benchmark",
			 benchmark, "externalId", external_id, "metrics", "ms_50", f->ms_50,
			 "ms_20", f->ms_20, "ms_80", f->ms_80);
}

static json_t *run_metadata(const struct liger_fields *f, const char *external_id)
{
	char full[2 * LIGER_TEXT_MAX], name[KI_SLUG_MAX], title[LIGER_TEXT_MAX];
	json_t *m;

	snprintf(full, sizeof full, "liger-%s", external_id);
	ki_slug(name, full);
	snprintf(title, sizeof title, "%s \u00b7 %s \u00b7 %s", f->kernel->title, f->provider->name,
		 f->pass->name);
	m = json_pack("{s:s, s:s}", "name", name, "title", title);
	if (f->text[RELEASE][0] != '\0')
		json_object_set_new(
			m, "labels",
			json_pack("{s:o}", "liger_version",
				  ki_manifest_string(f->text[RELEASE], KI_MANIFEST_LABEL_MAX)));
	return m;
}

static void run_external_id(char out[LIGER_TEXT_MAX], const struct liger_fields *f)
{
	char gpu[KI_SLUG_MAX], time[KI_SLUG_MAX], config[KI_LIGER_CONFIG_MAX];

	ki_slug(gpu, f->gpu->name);
	ki_slug(time, f->text[TIMESTAMP]);
	ki_liger_config(config, &f->shape);
	snprintf(out, LIGER_TEXT_MAX, "%s/%s/%s/%s/%s/%s", f->kernel->name, f->pass->name,
		 f->provider->name, gpu, config, time);
}

static json_t *run_spec(const struct ki_liger *l, const size_t at[PARTS],
			const struct liger_fields *f, const char *external_id)
{
	const struct liger_document *d = l->documents;

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:{s:s, s:{s:I}}, s:[o, o], s:o, s:s}",
			 "implementationDigest", d[at[IMPLEMENTATION]].id.digest.text,
			 "workloadDigest", d[at[WORKLOAD]].id.digest.text, "protocolDigest",
			 d[at[PROTOCOL]].id.digest.text, "environmentDigest",
			 d[at[ENVIRONMENT]].id.digest.text, "status", "passed", "timing",
			 "primaryStatistic", "median", "latencyNs", "median", nanoseconds(f->ms_50),
			 "measurements", run_measurement("p20", f->ms_20),
			 run_measurement("p80", f->ms_80), "sourceNative",
			 run_native(f, external_id), "observedAt", f->instant);
}

/* Takes v, which is NULL when memory ran out. */
static int put_text(struct ki_buffer *b, json_t *v, struct ki_error *e)
{
	int rc;

	ki_buffer_rewind(b, 0);
	if (v == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	rc = ki_canonical_write(b, v, e);
	json_decref(v);
	return rc;
}

#define RUN_HEAD "{\"apiVersion\":\"" KI_API_VERSION "\",\"kind\":\"BenchmarkRun\","

/* The texts of metadata and spec, of which the digest and the document are made. */
static int make_run(struct ki_digest *out, struct ki_liger *l, const size_t at[PARTS],
		    const struct liger_fields *f, struct ki_error *e)
{
	char id[LIGER_TEXT_MAX];
	int rc;

	run_external_id(id, f);
	rc = put_text(&l->metadata, run_metadata(f, id), e);
	if (rc == KI_SUCCESS)
		rc = put_text(&l->spec, run_spec(l, at, f, id), e);
	if (rc != KI_SUCCESS)
		return rc;
	ki_buffer_rewind(&l->identity, 0);
	ki_buffer_puts(&l->identity, RUN_HEAD "\"spec\":");
	ki_buffer_append(&l->identity, l->spec.data, l->spec.size);
	ki_buffer_puts(&l->identity, "}");
	return ki_digest_bytes(out, l->identity.data, l->identity.size, e);
}

static void put_run(struct ki_liger *l)
{
	ki_buffer_puts(&l->record, "\"run\":" RUN_HEAD "\"metadata\":");
	ki_buffer_append(&l->record, l->metadata.data, l->metadata.size);
	ki_buffer_puts(&l->record, ",\"spec\":");
	ki_buffer_append(&l->record, l->spec.data, l->spec.size);
	ki_buffer_puts(&l->record, "},");
}

/* The parts' texts are canonical, and so is the record when its members are in their order. */
static int make_record(struct ki_liger *l, const size_t at[PARTS], struct ki_error *e)
{
	static const char *const names[PARTS] = {
		[ENVIRONMENT] = "environment", [IMPLEMENTATION] = "implementation",
		[OPERATION] = "operation",     [PROJECT] = "project",
		[PROTOCOL] = "protocol",       [WORKLOAD] = "workload",
	};
	struct ki_buffer *b = &l->record;
	int part;

	ki_buffer_rewind(b, 0);
	for (part = 0; part < PARTS; part++) {
		ki_buffer_puts(b, part == 0 ? "{" : ",");
		if (part == WORKLOAD)
			put_run(l);
		ki_buffer_puts(b, "\"");
		ki_buffer_puts(b, names[part]);
		ki_buffer_puts(b, "\":");
		ki_buffer_puts(b, l->documents[at[part]].text);
	}
	ki_buffer_puts(b, "}");
	return l->metadata.failed || l->spec.failed || l->identity.failed || b->failed
		       ? ki_error_set(e, KI_FAIL_MEMORY, "memory ran out")
		       : KI_SUCCESS;
}

int ki_liger_read(struct ki_liger_row *out, struct ki_liger *l, const struct ki_csv_row *row,
		  struct ki_error *e)
{
	struct liger_fields f = {0};
	size_t at[PARTS] = {0};
	int rc, i;

	*out = (struct ki_liger_row){.outcome = KI_LIGER_RECORD};
	if (row->count != l->n_columns) {
		refuse(out, KI_LIGER_FAULT, "expected %zu fields, found %zu", l->n_columns,
		       row->count);
		return KI_SUCCESS;
	}
	for (i = 0; i < COLUMNS; i++)
		f.text[i] = row->fields[l->columns[i]];
	if (!read_fields(&f, l, out))
		return KI_SUCCESS;
	rc = get_documents(at, l, &f, e);
	if (rc == KI_SUCCESS)
		rc = make_run(&out->run, l, at, &f, e);
	if (rc == KI_SUCCESS)
		rc = make_record(l, at, e);
	if (rc != KI_SUCCESS)
		return rc;
	memcpy(l->instant, f.instant, sizeof l->instant);
	out->record = l->record.data;
	out->record_size = l->record.size;
	out->provider = f.provider->name;
	out->workload = json_string_value(json_object_get(
		json_object_get(l->documents[at[WORKLOAD]].id.document, "metadata"), "name"));
	out->observed_at = l->instant;
	out->protocol_digest = &l->documents[at[PROTOCOL]].id.digest;
	out->workload_digest = &l->documents[at[WORKLOAD]].id.digest;
	return KI_SUCCESS;
}
