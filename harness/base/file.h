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

/* The same of a path. */
int ki_file_write_path(const char *path, const void *data, size_t size,
		       struct ki_error *e) KI_MUST_CHECK;

/*
 * Many files of one folder, each as by ki_file_write() and with one wait for the disk for all of
 * them.  Zeroed but for dirfd, which stays the caller's.
 */
struct ki_file_batch {
	int dirfd;
	struct ki_file_pending *pending;
	size_t count;
	size_t capacity;
};

/* The file is there for others from ki_file_batch_commit() on. */
int ki_file_batch_add(struct ki_file_batch *b, const char *name, const void *data, size_t size,
		      struct ki_error *e) KI_MUST_CHECK;

/* After a failure, those files are there that were renamed before it; the others are dropped. */
int ki_file_batch_commit(struct ki_file_batch *b, struct ki_error *e) KI_MUST_CHECK;

/* Drops what was added and not committed, and frees everything. */
void ki_file_batch_free(struct ki_file_batch *b);

/* Writes all of data to fd, across short writes and interruptions. */
int ki_file_write_all(int fd, const void *data, size_t size, struct ki_error *e) KI_MUST_CHECK;

/* Makes path and its parents (mode 0777 less the umask) and returns an O_DIRECTORY descriptor. */
int ki_file_make_directory(int *out, const char *path, struct ki_error *e) KI_MUST_CHECK;

#endif
