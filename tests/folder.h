/* SPDX-License-Identifier: Apache-2.0 */
/* A file or a folder of a test's own, in the build folder; a folder goes with all that is in it. */
#ifndef KI_TESTS_FOLDER_H
#define KI_TESTS_FOLDER_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline const char *build_folder(void)
{
	const char *folder = getenv("KI_BUILDDIR");

	return folder != NULL ? folder : ".";
}

/* An open, empty file, which the test is to unlink(). */
static inline int file_make(char path[PATH_MAX])
{
	int fd;

	snprintf(path, PATH_MAX, "%s/tests/work-XXXXXX", build_folder());
	fd = mkstemp(path);
	cr_assert_geq(fd, 0, "cannot make %s", path);
	return fd;
}

/* An absolute path, so that it stays right when the test goes elsewhere. */
static inline void folder_make(char folder[PATH_MAX])
{
	char template[PATH_MAX];

	snprintf(template, sizeof template, "%s/tests/work-XXXXXX", build_folder());
	cr_assert(mkdtemp(template) != NULL, "cannot make %s", template);
	cr_assert_not_null(realpath(template, folder));
}

static inline int folder_remove_one(const char *path, const struct stat *st, int flag,
				    struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	return remove(path);
}

static inline void folder_remove(const char *folder)
{
	nftw(folder, folder_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
