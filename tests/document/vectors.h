/* SPDX-License-Identifier: Apache-2.0 */
/* Pinned data for the tests of document/. */
#ifndef KI_TESTS_DOCUMENT_VECTORS_H
#define KI_TESTS_DOCUMENT_VECTORS_H

#include <criterion/criterion.h>
#include <jansson.h>
#include <locale.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder.h"
#include "base/buffer.h"
#include "document/canonical.h"

#define SHARED_DIGESTS "../shared/kernelindex/vectors/digests.json"

static inline void vectors_path(char *out, size_t size, const char *relative)
{
	const char *root = getenv("KI_SRCDIR");

	cr_assert_not_null(root, "KI_SRCDIR names the source root");
	snprintf(out, size, "%s/%s", root, relative);
}

/* A new reference.  Skips the test if a file outside of the source tree is absent. */
static inline json_t *vectors_load(const char *relative)
{
	char path[4096];
	json_error_t error;
	json_t *json;

	vectors_path(path, sizeof path, relative);
	if (strncmp(relative, "../", 3) == 0 && access(path, R_OK) != 0)
		cr_skip_test("reason: %s is not here", path);
	json = json_load_file(path, JSON_ALLOW_NUL, &error);
	cr_assert_not_null(json, "%s:%d: %s", path, error.line, error.text);
	return json;
}

static inline const char *vectors_text(const json_t *entry, const char *member)
{
	const char *text = json_string_value(json_object_get(entry, member));

	return text != NULL ? text : "";
}

/* The canonical text of json, for free(). */
static inline char *vectors_canonical(const json_t *json)
{
	struct ki_error e = {0};
	struct ki_buffer b;
	int rc;

	ki_buffer_init(&b, 1 << 22);
	rc = ki_canonical_write(&b, json, &e);
	cr_assert_eq(rc, 0, "%s", e.text);
	return ki_buffer_steal(&b);
}

/* Makes a locale with a decimal comma below dir; false where localedef is missing. */
static inline bool vectors_make_locale(const char *dir)
{
	char source[PATH_MAX + 16], target[PATH_MAX + 16];
	char name[] = "localedef", force[] = "-c", quiet[] = "--quiet", input[] = "-i",
	     charset[] = "-f", latin[] = "ISO-8859-1", alone[] = "--no-archive";
	char *const argv[] = {name,    force, quiet, input,  source,
			      charset, latin, alone, target, NULL};
	int status = -1;
	FILE *f;
	pid_t pid;

	snprintf(source, sizeof source, "%s/comma.src", dir);
	snprintf(target, sizeof target, "%s/comma", dir);
	f = fopen(source, "w");
	cr_assert_not_null(f);
	fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND "
	      "LC_NUMERIC\n",
	      f);
	fclose(f);
	if (posix_spawnp(&pid, "localedef", NULL, NULL, argv, environ) != 0)
		return false;
	waitpid(pid, &status, 0);
	setenv("LOCPATH", dir, 1);
	return setlocale(LC_NUMERIC, "comma") != NULL;
}

/* Sets a locale with a decimal comma, if need be one made for this, whose files are then gone. */
static inline bool vectors_comma_locale(void)
{
	char dir[PATH_MAX];
	bool made;

	if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
		folder_make(dir);
		made = vectors_make_locale(dir);
		folder_remove(dir);
		if (!made)
			return false;
	}
	cr_assert_str_eq(localeconv()->decimal_point, ",");
	return true;
}

#endif
