/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "document/kind/kind.h"
#include "record/manifest.h"

#define MANIFEST_URL_MAX 2000
/* A character of UTF-8 that is cut leaves at most three bytes behind. */
#define MANIFEST_TORN_MAX 3

/* Bytes at the end of n that start a character of UTF-8 and do not finish it. */
static size_t manifest_torn(const char *text, size_t n)
{
	size_t i;

	for (i = 1; i <= MANIFEST_TORN_MAX && i <= n; i++) {
		unsigned char c = (unsigned char)text[n - i];

		if (c >= 0xc0)
			return i < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? i : 0;
		if (c < 0x80)
			break;
	}
	return 0;
}

json_t *ki_manifest_string(const char *text, size_t max)
{
	char copy[KI_MANIFEST_DESCRIPTION_MAX];
	size_t n = strnlen(text, max < sizeof copy ? max : sizeof copy), i;
	json_t *s;

	n -= manifest_torn(text, n);
	s = json_stringn(text, n);
	if (s != NULL)
		return s;
	for (i = 0; i < n; i++)
		copy[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	return json_stringn(copy, n);
}

void ki_manifest_set(json_t *object, const char *key, const char *text, size_t max)
{
	if (text != NULL && text[0] != '\0' && strlen(text) <= max)
		json_object_set_new(object, key, json_string(text));
}

/* A last label of digits would be read as an IPv4 address, which it need not be. */
static bool manifest_is_host(const char *host, size_t n)
{
	size_t i, label = 0;

	for (i = 0; i < n; i++) {
		if (host[i] == '.' && i == label)
			return false;
		if (host[i] == '.')
			label = i + 1;
		else if (!isalnum((unsigned char)host[i]) && host[i] != '-')
			return false;
	}
	return label < n && isalpha((unsigned char)host[label]);
}

bool ki_manifest_is_https(const char *text)
{
	static const char scheme[] = "https://";
	const char *host, *p;

	if (text == NULL || strncmp(text, scheme, sizeof scheme - 1) != 0 ||
	    strlen(text) > MANIFEST_URL_MAX)
		return false;
	host = text + sizeof scheme - 1;
	for (p = host; *p != '\0'; p++)
		if (*p <= ' ' || *p > '~' || strchr("\"<>\\^`{|}", *p) != NULL)
			return false;
	return manifest_is_host(host, strcspn(host, "/?#"));
}

/* [a-z0-9][a-z0-9._-]*: everything else becomes a hyphen, no two of them in a row. */
static void manifest_name(char out[KI_MANIFEST_NAME_MAX + 1], const char *text)
{
	size_t n = 0;

	for (; *text != '\0' && n < KI_MANIFEST_NAME_MAX; text++) {
		char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
		bool keep = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
			    (n > 0 && (c == '.' || c == '_'));

		if (keep)
			out[n++] = c;
		else if (n > 0 && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n > 0 && out[n - 1] == '-')
		n--;
	out[n] = '\0';
	if (n == 0)
		snprintf(out, KI_MANIFEST_NAME_MAX + 1, "unnamed");
}

json_t *ki_manifest_metadata(const char *name_from, const char *title)
{
	char name[KI_MANIFEST_NAME_MAX + 1];

	manifest_name(name, name_from);
	return json_pack("{s:s, s:o}", "name", name, "title",
			 ki_manifest_string(title, KI_MANIFEST_TITLE_MAX));
}

int ki_manifest_new(struct ki_identified *out, const char *kind, json_t *metadata, json_t *spec,
		    struct ki_error *e)
{
	struct ki_identified d = {
		.document = json_pack("{s:s, s:s, s:o, s:o}", "apiVersion", KI_API_VERSION, "kind",
				      kind, "metadata", metadata, "spec", spec),
	};
	int rc;

	if (d.document == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory for the document %s", kind);
	rc = ki_digest_document(&d.digest, d.document, e);
	if (rc != KI_SUCCESS)
		ki_identified_free(&d);
	else
		*out = d;
	return rc;
}
