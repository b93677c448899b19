/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: read with a limit, written so that a reader never sees half of one. */
#ifndef KI_BASE_FILE_H
#define KI_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"

/*
 * Reads path whole.  *out is NUL-terminated (not counted in *size) and the caller's to free().
 * More than limit bytes, a directory or an unreadable file: an error that names the path.
 */
int ki_file_read(char **out, size_t *size, const char *path, size_t limit,
		 struct ki_error *e) KI_MUST_CHECK;

/*
 * Writes data to dirfd/name: temporary name in the same directory, fsync, rename, fsync of the
 * directory.  An existing file of that name is replaced.
 */
int ki_file_write(int dirfd, const char *name, const void *data, size_t size,
		  struct ki_error *e) KI_MUST_CHECK;

/* Writes all of data to fd, across short writes and interruptions. */
int ki_file_write_all(int fd, const void *data, size_t size, struct ki_error *e) KI_MUST_CHECK;

/* Makes path and its parents (mode 0777 less the umask) and returns an O_DIRECTORY descriptor. */
int ki_file_make_directory(int *out, const char *path, struct ki_error *e) KI_MUST_CHECK;

#endif
