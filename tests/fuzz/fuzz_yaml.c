/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer's target for what users write: bytes, as YAML, as a document of Kernel Index.
 *
 * Beyond not crashing: what was accepted has a digest, and its canonical text, read again, is
 * accepted with the same digest.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/canonical.h"
#include "document/digest.h"
#include "document/kind/kind.h"
#include "document/yaml.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The document of a text of one, or NULL. */
static json_t *read_again(const char *text, size_t size)
{
	struct ki_issues issues = {0};
	struct ki_error e = {0};
	json_t *document = NULL;
	struct ki_yaml y;

	if (ki_yaml_parse(&y, "again", text, size, &e) != KI_SUCCESS)
		return NULL;
	MUST(y.count == 1);
	MUST(ki_kind_read(&document, &issues, y.documents[0], NULL, "", &e) == KI_SUCCESS);
	ki_issues_free(&issues);
	ki_yaml_free(&y);
	return document;
}

static void check_document(const json_t *document)
{
	struct ki_error e = {0};
	struct ki_digest first, second;
	struct ki_buffer b;
	json_t *again;

	MUST(ki_digest_document(&first, document, &e) == KI_SUCCESS);
	ki_buffer_init(&b, KI_DIGEST_IDENTITY_MAX);
	MUST(ki_canonical_write(&b, document, &e) == KI_SUCCESS);
	again = read_again(b.data, b.size);
	MUST(again != NULL);
	MUST(ki_digest_document(&second, again, &e) == KI_SUCCESS);
	MUST(strcmp(first.text, second.text) == 0);
	json_decref(again);
	ki_buffer_fini(&b);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct ki_issues issues = {0};
	struct ki_error e = {0};
	struct ki_yaml y;
	size_t i;

	if (ki_yaml_parse(&y, "fuzz", (const char *)data, size, &e) != KI_SUCCESS) {
		MUST(e.text[0] != '\0');
		return 0;
	}
	for (i = 0; i < y.count; i++) {
		size_t before = ki_issues_total(&issues);
		json_t *document = NULL, *json = NULL;

		MUST(ki_kind_read(&document, &issues, y.documents[i], NULL, "", &e) == KI_SUCCESS);
		MUST((document == NULL) == (ki_issues_total(&issues) > before));
		if (document != NULL)
			check_document(document);
		if (ki_node_to_json(&json, y.documents[i], "fuzz", &e) != KI_SUCCESS)
			ki_error_clear(&e);
		json_decref(json);
		json_decref(document);
	}
	ki_issues_free(&issues);
	ki_yaml_free(&y);
	return 0;
}
