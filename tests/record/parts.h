/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a record, as a run would hand them over. */
#ifndef KI_TESTS_RECORD_PARTS_H
#define KI_TESTS_RECORD_PARTS_H

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "record/document.h"

#define PARTS_FACTS                                                                                \
	"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"AMD EPYC 9654\","                     \
	" \"architecture\": \"x86_64\", \"count\": 1},"                                            \
	" \"software\": {\"operatingSystem\": \"Debian GNU/Linux 12 (bookworm)\","                 \
	" \"kernel\": \"6.1.0\", \"libraries\": {\"glibc\": \"2.36\"}},"                           \
	" \"evidence\": {\"governor\": \"performance\", \"memoryBytes\": 1234}}"

#define PARTS_KERNEL                                                                               \
	"{\"id\": \"tiled-128\", \"op\": \"gemm/1\", \"summary\": \"A product in tiles\","         \
	" \"language\": \"cuda_cpp\", \"license\": \"MIT\","                                       \
	" \"sourceDigest\":"                                                                       \
	" \"sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\","            \
	" \"sourceUri\": \"https://example.org/kernels\","                                         \
	" \"revision\": \"0123456789abcdef0123456789abcdef01234567\"}"

#define PARTS_PLUGIN                                                                               \
	"{\"id\": \"org.example.gemm\", \"version\": \"1.2.0\", \"license\": \"Apache-2.0\","      \
	" \"url\": \"https://example.org/\", \"toolchain\": \"gcc 12\", \"abi\": \"1.0\"}"

#define PARTS_PROTOCOL                                                                             \
	"{\"apiVersion\": \"kernelindex.dev/v1alpha1\", \"kind\": \"BenchmarkProtocol\","          \
	" \"metadata\": {\"name\": \"test\"}, \"spec\": {\"harness\": {\"name\": \"ki-harness\"}," \
	" \"measurement\": {\"timer\": \"monotonic_raw\", \"primaryStatistic\": \"median\"},"      \
	" \"correctness\": {\"reference\": \"float64 oracle\","                                    \
	" \"comparator\": \"noise_relative\"}, \"comparability\": {\"family\": \"test\"}}}"

#define PARTS_OPERATION                                                                            \
	"{\"apiVersion\": \"kernelindex.dev/v1alpha1\", \"kind\": \"OperationSpec\","              \
	" \"metadata\": {\"name\": \"scale\", \"title\": \"Scale\"}, \"spec\": {"                  \
	"\"family\": \"scale\", \"axes\": {\"rows\": {\"role\": \"variable\","                     \
	" \"type\": \"integer\"}}, \"inputs\": [{\"name\": \"x\", \"tensor\": {\"shape\":"         \
	" [\"rows\"], \"dtype\": \"float\"}}], \"outputs\": [{\"name\": \"y\", \"tensor\":"        \
	" {\"shape\": [\"rows\"], \"dtype\": \"float\"}}], \"semantics\": {"                       \
	"\"mutation\": \"none\", \"determinism\": \"unspecified\"}}}"

#define PARTS_COMMIT "89abcdef0123456789abcdef0123456789abcdef"
#define PARTS_SAMPLES_MAX 64

struct parts {
	struct ki_identified environment, implementation, protocol;
	json_t *plugin, *kernel, *operation, *workload;
	struct ki_digest operation_digest, workload_digest, file_digest, samples;
	struct ki_measurement measurement;
	struct ki_implementation_source source;
	struct ki_record_parts record;
};

static inline json_t *parts_json(const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, 0, &error);

	cr_assert_not_null(json, "%s: %s", error.text, text);
	return json;
}

static inline void parts_digest(struct ki_digest *out, const json_t *document)
{
	struct ki_error e = {0};

	cr_assert_eq(ki_digest_document(out, document, &e), KI_SUCCESS, "%s", e.text);
}

static inline json_t *parts_workload(const struct ki_digest *operation)
{
	return json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:{s:i}, s:{s:{s:[i], s:s}}, s:{s:s}}}",
			 "apiVersion", "kernelindex.dev/v1alpha1", "kind", "WorkloadCase",
			 "metadata", "name", "scale-rows7-bf16", "spec", "operationSpecDigest",
			 operation->text, "axes", "rows", 7, "tensors", "x", "shape", 7, "dtype",
			 "bf16", "correctness", "comparator", "not_asserted");
}

/* n samples of 1000, 1010, 1020, ... ns. */
static inline void parts_sample(struct parts *p, size_t n)
{
	struct ki_error e = {0};
	uint64_t samples[PARTS_SAMPLES_MAX], controls[PARTS_SAMPLES_MAX];
	size_t i;

	cr_assert_leq(n, PARTS_SAMPLES_MAX);
	for (i = 0; i < n; i++) {
		samples[i] = 1000 + 10 * i;
		controls[i] = 80;
	}
	ki_measurement_fini(&p->measurement);
	cr_assert_eq(ki_measurement_init(&p->measurement, &e), KI_SUCCESS);
	if (n == 0)
		return;
	cr_assert_eq(ki_measurement_add(&p->measurement, 0, 0, samples, controls, n, &e),
		     KI_SUCCESS);
	cr_assert_eq(ki_measurement_summarize(&p->measurement, &e), KI_SUCCESS);
}

static inline void parts_implementation(struct parts *p)
{
	struct ki_error e = {0};

	ki_identified_free(&p->implementation);
	cr_assert_eq(ki_document_implementation(&p->implementation, &p->source, &e), KI_SUCCESS,
		     "%s", e.text);
}

/* Of a run that passed, with 21 samples. */
static inline void parts_init(struct parts *p)
{
	struct ki_error e = {0};
	json_t *facts = parts_json(PARTS_FACTS);

	*p = (struct parts){.plugin = parts_json(PARTS_PLUGIN),
			    .kernel = parts_json(PARTS_KERNEL),
			    .operation = parts_json(PARTS_OPERATION),
			    .protocol = {.document = parts_json(PARTS_PROTOCOL)}};
	cr_assert_eq(ki_digest_bytes(&p->file_digest, "file", 4, &e), KI_SUCCESS);
	cr_assert_eq(ki_digest_bytes(&p->samples, "samples", 7, &e), KI_SUCCESS);
	parts_digest(&p->protocol.digest, p->protocol.document);
	parts_digest(&p->operation_digest, p->operation);
	p->workload = parts_workload(&p->operation_digest);
	parts_digest(&p->workload_digest, p->workload);
	cr_assert_eq(ki_document_environment(&p->environment, facts, &e), KI_SUCCESS, "%s", e.text);
	json_decref(facts);
	p->source = (struct ki_implementation_source){.plugin = p->plugin,
						      .kernel = p->kernel,
						      .file_name = "gemm.so",
						      .bytes = 4096,
						      .digest = &p->file_digest,
						      .operation = &p->operation_digest};
	parts_implementation(p);
	parts_sample(p, 21);
	p->record = (struct ki_record_parts){
		.environment = &p->environment,
		.implementation = &p->implementation,
		.protocol = &p->protocol,
		.operation = p->operation,
		.workload = p->workload,
		.workload_digest = &p->workload_digest,
		.measurement = &p->measurement,
		.harness = {.repository = "https://example.org/ki", .commit = PARTS_COMMIT},
		.observed_at = "2026-12-01T09:00:00.000Z",
		.label = "tiled",
		.samples = &p->samples,
		.work_bytes = 5500,
		.work_operations = 2200,
	};
}

static inline void parts_fini(struct parts *p)
{
	ki_identified_free(&p->environment);
	ki_identified_free(&p->implementation);
	ki_identified_free(&p->protocol);
	json_decref(p->plugin);
	json_decref(p->kernel);
	json_decref(p->operation);
	json_decref(p->workload);
	ki_measurement_fini(&p->measurement);
}

/* A new record; *digest is its run's. */
static inline json_t *parts_record(const struct parts *p, struct ki_digest *digest)
{
	struct ki_error e = {0};
	json_t *record = NULL;

	cr_assert_eq(ki_document_record(&record, digest, &p->record, &e), KI_SUCCESS, "%s", e.text);
	return record;
}

/* The value at a path of keys and indices, "spec.timing.samples"; NULL when there is none. */
static inline json_t *parts_at(const json_t *json, const char *path)
{
	char copy[200], *key, *rest = copy;

	snprintf(copy, sizeof copy, "%s", path);
	while (json != NULL && (key = strsep(&rest, ".")) != NULL)
		json = json_is_array(json) ? json_array_get(json, (size_t)strtoul(key, NULL, 10))
					   : json_object_get(json, key);
	return (json_t *)json;
}

static inline const char *parts_text(const json_t *json, const char *path)
{
	const char *text = json_string_value(parts_at(json, path));

	return text != NULL ? text : "";
}

#endif
