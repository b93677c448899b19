/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "plugin/descriptor.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"
#define HEX "0123456789abcdef"

#define DESCRIPTOR_SHOWN 60 /* bytes of a bad value that a message repeats */

/* A string of a descriptor: its name, whether it has to be there, and what it has to look like. */
struct descriptor_field {
	const char *name;
	size_t offset;
	bool required;
	bool (*matches)(const char *s);
	const char *otherwise; /* what the message says of a value that does not */
};

/* ---------------------------------------------------------------- text */

const char *ki_descriptor_text_fault(const char *s)
{
	size_t left = strnlen(s, KI_DESCRIPTOR_STRING_MAX + 1);

	if (left > KI_DESCRIPTOR_STRING_MAX)
		return "is longer than 4096 bytes";
	while (left > 0) {
		uint32_t c = 0;
		size_t n = ki_utf8_decode(&c, s, left);

		if (n == 0)
			return "is not UTF-8";
		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			return "holds a control character";
		s += n;
		left -= n;
	}
	return NULL;
}

/* ---------------------------------------------------------------- shapes */

static bool matches_name(const char *s, size_t least, size_t n)
{
	return n >= least && n <= 128 && strchr(LOWER DIGIT, s[0]) != NULL &&
	       strspn(s, LOWER DIGIT "._-") >= n;
}

static bool matches_plugin_id(const char *s)
{
	return matches_name(s, 3, strlen(s));
}

static bool matches_kernel_id(const char *s)
{
	return matches_name(s, 1, strlen(s));
}

static bool matches_operation(const char *s)
{
	const char *slash = strchr(s, '/');
	size_t digits;

	if (slash == NULL || !matches_name(s, 1, (size_t)(slash - s)))
		return false;
	digits = strspn(slash + 1, DIGIT);
	return digits >= 1 && digits <= 9 && slash[1] != '0' && slash[1 + digits] == '\0';
}

static bool matches_language(const char *s)
{
	return strchr(LOWER, s[0]) != NULL && strspn(s, LOWER DIGIT "_") == strlen(s);
}

static bool matches_digest(const char *s)
{
	static const char prefix[] = "sha256:";

	return strncmp(s, prefix, sizeof prefix - 1) == 0 &&
	       strspn(s + sizeof prefix - 1, HEX) == 64 && s[sizeof prefix - 1 + 64] == '\0';
}

static bool matches_revision(const char *s)
{
	size_t n = strspn(s, HEX);

	return (n == 40 || n == 64) && (s[n] == '\0' || strcmp(s + n, "+dirty") == 0);
}

/* SPDX 2.3, annex D: an identifier, "+" behind it for "or later", ":" in a DocumentRef. */
static bool is_license_id(const char *s, size_t n)
{
	size_t plain = strspn(s, LOWER UPPER DIGIT ".-:");

	return plain >= n || (plain == n - 1 && n > 1 && s[plain] == '+');
}

static bool is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* Where a licence expression stands between two of its words. */
struct license_reader {
	bool complete;  /* what was read so far could be the end */
	bool exception; /* the last operator was WITH, which takes an identifier */
	bool simple;    /* the last word was an identifier, which may take a WITH */
	unsigned depth;
};

static bool license_word(struct license_reader *r, const char *s, size_t n)
{
	bool with = is_word(s, n, "WITH");

	if (with || is_word(s, n, "AND") || is_word(s, n, "OR")) {
		if (!r->complete || (with && !r->simple))
			return false;
		*r = (struct license_reader){.exception = with, .depth = r->depth};
		return true;
	}
	if (r->complete || !is_license_id(s, n))
		return false;
	r->complete = true;
	r->simple = !r->exception;
	r->exception = false;
	return true;
}

static bool license_parenthesis(struct license_reader *r, char c)
{
	if (c == '(') {
		r->depth++;
		return !r->complete && !r->exception;
	}
	r->simple = false;
	return r->complete && r->depth-- > 0;
}

/* The grammar of an expression, not the list of licences, which grows every few months. */
static bool matches_license(const char *s)
{
	struct license_reader r = {0};

	while (*s != '\0') {
		size_t n = strcspn(s, " ()");

		if (n > 0 ? !license_word(&r, s, n) : *s != ' ' && !license_parenthesis(&r, *s))
			return false;
		s += n > 0 ? n : 1;
	}
	return r.complete && r.depth == 0;
}

/* ---------------------------------------------------------------- fields */

#define PLUGIN_FIELD(field) #field, offsetof(struct ki_plugin, field)
#define KERNEL_FIELD(field) #field, offsetof(struct ki_kernel, field)

static const struct descriptor_field plugin_fields[] = {
	{PLUGIN_FIELD(id), true, matches_plugin_id, "does not match [a-z0-9][a-z0-9._-]{2,127}"},
	{PLUGIN_FIELD(version), true, NULL, NULL},
	{PLUGIN_FIELD(vendor), false, NULL, NULL},
	{PLUGIN_FIELD(license), true, matches_license, "is not an SPDX expression"},
	{PLUGIN_FIELD(url), false, NULL, NULL},
	{PLUGIN_FIELD(toolchain), false, NULL, NULL},
};

static const struct descriptor_field kernel_fields[] = {
	{KERNEL_FIELD(id), true, matches_kernel_id, "does not match [a-z0-9][a-z0-9._-]{0,127}"},
	{KERNEL_FIELD(op), true, matches_operation,
	 "is not a name and a revision, as in \"gemm/1\""},
	{KERNEL_FIELD(summary), false, NULL, NULL},
	{KERNEL_FIELD(language), true, matches_language, "does not match [a-z][a-z0-9_]*"},
	{KERNEL_FIELD(license), true, matches_license, "is not an SPDX expression"},
	{KERNEL_FIELD(source_digest), false, matches_digest,
	 "is not sha256: and 64 hexadecimal digits"},
	{KERNEL_FIELD(source_uri), false, NULL, NULL},
	{KERNEL_FIELD(project_revision), false, matches_revision,
	 "is not 40 or 64 hexadecimal digits with an optional +dirty"},
};

/* How much of s a message repeats.  Half a character would make the message no UTF-8 either. */
static size_t descriptor_excerpt(const char *s)
{
	return ki_utf8_cut(s, strnlen(s, DESCRIPTOR_SHOWN));
}

static bool descriptor_field_ok(const struct descriptor_field *f, const void *descriptor, char *why,
				size_t why_size)
{
	const char *fault, *s;

	memcpy(&s, (const unsigned char *)descriptor + f->offset, sizeof s);
	if (s == NULL || s[0] == '\0') {
		if (f->required)
			snprintf(why, why_size, "%s is %s", f->name, s == NULL ? "NULL" : "empty");
		return !f->required;
	}
	fault = ki_descriptor_text_fault(s);
	if (fault != NULL) {
		snprintf(why, why_size, "%s %s", f->name, fault);
		return false;
	}
	if (f->matches == NULL || f->matches(s))
		return true;
	snprintf(why, why_size, "%s \"%.*s\" %s", f->name, (int)descriptor_excerpt(s), s,
		 f->otherwise);
	return false;
}

static bool descriptor_fields_ok(const struct descriptor_field *fields, size_t n,
				 const void *descriptor, char *why, size_t why_size)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!descriptor_field_ok(&fields[i], descriptor, why, why_size))
			return false;
	return true;
}

bool ki_descriptor_check_plugin(const struct ki_plugin *p, char *why, size_t why_size)
{
	if (why_size > 0)
		why[0] = '\0';
	if (!descriptor_fields_ok(plugin_fields, sizeof plugin_fields / sizeof plugin_fields[0], p,
				  why, why_size))
		return false;
	if (p->kernels == NULL)
		snprintf(why, why_size, "kernels is NULL");
	return p->kernels != NULL;
}

bool ki_descriptor_check_kernel(const struct ki_kernel *k, char *why, size_t why_size)
{
	const char *missing = k->supports == NULL  ? "supports"
			      : k->create == NULL  ? "create"
			      : k->launch == NULL  ? "launch"
			      : k->destroy == NULL ? "destroy"
						   : NULL;

	if (why_size > 0)
		why[0] = '\0';
	if (!descriptor_fields_ok(kernel_fields, sizeof kernel_fields / sizeof kernel_fields[0], k,
				  why, why_size))
		return false;
	if (missing != NULL)
		snprintf(why, why_size, "%s is NULL", missing);
	return missing == NULL;
}
