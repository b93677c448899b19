/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer's target for what is digested: bytes, as JSON, as canonical text.
 *
 * Beyond not crashing: canonical text, read again, is itself; and our YAML reader, which is what
 * reads JSON elsewhere, finds in it what the JSON reader found.
 */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/canonical.h"
#include "document/digest.h"
#include "document/yaml.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#define JSON_FLAGS (JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES)

/* The canonical text of v; false: it has none. */
static bool canonical(struct ki_buffer *b, const json_t *v)
{
	struct ki_error e = {0};

	ki_buffer_init(b, KI_DIGEST_IDENTITY_MAX);
	return ki_canonical_write(b, v, &e) == KI_SUCCESS;
}

static void check_idempotent(const struct ki_buffer *text)
{
	/* 5e20 is written with 21 digits, which jansson takes for an integer too large. */
	json_t *v = json_loadb(text->data, text->size, JSON_FLAGS | JSON_DECODE_INT_AS_REAL, NULL);
	struct ki_buffer again;

	MUST(v != NULL);
	MUST(canonical(&again, v));
	MUST(again.size == text->size && memcmp(again.data, text->data, text->size) == 0);
	ki_buffer_fini(&again);
	json_decref(v);
}

static void check_yaml(const struct ki_buffer *text, const unsigned char *data, size_t size)
{
	struct ki_error e = {0};
	struct ki_buffer found;
	struct ki_yaml y;
	json_t *v = NULL;

	if (ki_yaml_parse(&y, "fuzz", (const char *)data, size, &e) != KI_SUCCESS)
		return;
	MUST(y.count == 1);
	if (ki_node_to_json(&v, y.documents[0], "fuzz", &e) == KI_SUCCESS) {
		MUST(canonical(&found, v));
		if (found.size != text->size || memcmp(found.data, text->data, text->size) != 0)
			fprintf(stderr, "as JSON: %s\nas YAML: %s\n", text->data, found.data);
		MUST(found.size == text->size && memcmp(found.data, text->data, text->size) == 0);
		ki_buffer_fini(&found);
	}
	json_decref(v);
	ki_yaml_free(&y);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct ki_error e = {0};
	struct ki_digest d;
	struct ki_buffer text;
	json_t *v;

	/* jansson 2.14 swallows a NUL behind a number; JSON text has none. */
	if (size > 0 && memchr(data, 0, size) != NULL)
		return 0;
	v = json_loadb((const char *)data, size, JSON_FLAGS, NULL);
	if (v == NULL)
		return 0;
	if (canonical(&text, v)) {
		check_idempotent(&text);
		check_yaml(&text, data, size);
		if (ki_digest_document(&d, v, &e) == KI_SUCCESS)
			MUST(strlen(d.text) == KI_DIGEST_MAX - 1);
	}
	ki_buffer_fini(&text);
	json_decref(v);
	return 0;
}
