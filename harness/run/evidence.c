/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/manifest.h"
#include "revision.h"
#include "run/evidence.h"

/* What stands between a plugin and the record. */
#define EVIDENCE_ISOLATION "own processes, private channels, deadlines, sealed memory"

/* Seeds use all 64 bits, which a JSON number in a double cannot hold. */
static json_t *evidence_hex(uint64_t v)
{
	char text[20];

	snprintf(text, sizeof text, "%016" PRIx64, v);
	return json_string(text);
}

static json_t *evidence_harness(void)
{
	return json_pack("{s:s, s:s, s:s, s:b}", "version", PACKAGE_VERSION, "measuringRevision",
			 KI_MEASURING_REVISION, "commit", KI_SOURCE_REVISION, "dirty",
			 KI_SOURCE_DIRTY);
}

static json_t *evidence_file(const struct ki_backend *b)
{
	return json_pack("{s:s, s:s, s:s, s:I}", "label", b->label, "kernel", b->kernel, "digest",
			 b->digest.text, "bytes", (json_int_t)b->bytes);
}

static json_t *evidence_backend(const struct ki_backend *b)
{
	json_t *o = evidence_file(b);

	json_object_set_new(o, "fileName", ki_manifest_string(b->file_name, KI_MANIFEST_LABEL_MAX));
	json_object_set(o, "plugin", b->plugin);
	return o;
}

static json_t *evidence_timing(const struct ki_measurement *m, const struct ki_case *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:O}", "createNs",
			 (json_int_t)m->create_ns, "prepareNs", (json_int_t)m->prepare_ns,
			 "firstLaunchNs", (json_int_t)m->first_launch_ns, "estimatedCallNs",
			 (json_int_t)m->call_ns, "warmupLaunches", (json_int_t)m->n_warmup,
			 "scratchBytes", (json_int_t)m->scratch_bytes, "slabBytes",
			 (json_int_t)m->slab_bytes, "slackBytes", (json_int_t)m->slack_bytes,
			 "workBytes", (json_int_t)c->work_bytes, "workOperations",
			 (json_int_t)c->work_operations, "controlMedianNs",
			 (json_int_t)m->summary.control_median, "segments", m->segments);
}

/* What the plugin printed; when that is not UTF-8, with a question mark for what is not ASCII. */
static json_t *evidence_log(const struct ki_measurement *m)
{
	const char *log = m->log != NULL ? m->log : "";
	json_t *text = json_stringn(log, m->log_size);
	char *ascii;
	size_t i;

	if (text == NULL && (ascii = malloc(m->log_size)) != NULL) {
		for (i = 0; i < m->log_size; i++)
			ascii[i] = (log[i] & 0x80) != 0 ? '?' : log[i];
		text = json_stringn(ascii, m->log_size);
		free(ascii);
	}
	return json_pack("{s:I, s:o}", "bytes", (json_int_t)m->log_total, "text", text);
}

int ki_evidence_build(json_t **out, const struct ki_session *s, const struct ki_case *c,
		      size_t backend, const struct ki_measurement *m, const char *observed_at,
		      struct ki_error *e)
{
	json_t *nonce = json_array(), *o;

	json_array_append_new(nonce, evidence_hex(s->setting.workers.nonce[0]));
	json_array_append_new(nonce, evidence_hex(s->setting.workers.nonce[1]));
	o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "apiVersion", KI_PLAN_API_VERSION,
		      "kind", "Evidence", "observedAt", observed_at, "case", c->full,
		      "workloadDigest", c->workload_digest.text, "harness", evidence_harness(),
		      "nonce", nonce, "seed", evidence_hex(s->setting.seed));
	/* A section that could not be made is an error: evidence with a hole proves nothing. */
	if (o == NULL ||
	    json_object_set_new(o, "backend", evidence_backend(&s->backends[backend])) ||
	    json_object_set_new(o, "oracle", evidence_file(&s->oracle)) ||
	    json_object_set_new(o, "reference", evidence_file(&s->reference)) ||
	    json_object_set(o, "device", s->device.probe) ||
	    json_object_set_new(o, "timing", evidence_timing(m, c)) ||
	    json_object_set(o, "checks", m->checks) ||
	    json_object_set_new(o, "findings", ki_findings_json(&m->findings)) ||
	    json_object_set_new(o, "log", evidence_log(m)) ||
	    json_object_set_new(o, "isolation", json_string(EVIDENCE_ISOLATION))) {
		json_decref(o);
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory for the evidence");
	}
	*out = o;
	return KI_SUCCESS;
}
