/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/file.h"

/* ".tmp." + a process id + "." + 16 digits: what is left of NAME_MAX (255) is for the name. */
#define FILE_TEMPORARY_MAX 256
#define FILE_TEMPORARY_STEM 200

static int file_drain(struct ki_buffer *b, int fd, const char *path, struct ki_error *e)
{
	char chunk[16384];
	ssize_t got;

	while ((got = read(fd, chunk, sizeof chunk)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ki_error_errno(e, errno, "%s", path);
		if ((size_t)got > b->limit - b->size)
			return ki_error_set(e, KI_FAIL_LIMIT, "%s: larger than %zu bytes", path,
					    b->limit);
		ki_buffer_append(b, chunk, (size_t)got);
		if (b->failed)
			return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", path);
	}
	return 0;
}

int ki_file_read(char **out, size_t *size, const char *path, size_t limit, struct ki_error *e)
{
	struct ki_buffer b;
	size_t count;
	char *data;
	int fd, rc;

	ki_buffer_init(&b, limit);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return ki_error_errno(e, errno, "%s", path);
	rc = file_drain(&b, fd, path, e);
	if (rc != 0)
		goto out;
	count = b.size;
	data = ki_buffer_steal(&b);
	if (data == NULL) {
		rc = ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", path);
		goto out;
	}
	*out = data;
	*size = count;
out:
	close(fd);
	ki_buffer_fini(&b);
	return rc;
}

/* A descriptor that was opened as non-blocking (a pipe from a caller) may be full for now. */
static bool file_wait_writable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

int ki_file_write_all(int fd, const void *data, size_t size, struct ki_error *e)
{
	const char *at = data;

	while (size > 0) {
		ssize_t put = write(fd, at, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EAGAIN && file_wait_writable(fd))
			continue;
		if (put <= 0)
			return ki_error_errno(e, put < 0 ? errno : EIO, "writing %zu bytes", size);
		at += put;
		size -= (size_t)put;
	}
	return 0;
}

static int file_temporary_open(int *out, int dirfd, char temporary[FILE_TEMPORARY_MAX],
			       const char *name, struct ki_error *e)
{
	int tries, fd;

	for (tries = 0; tries < 16; tries++) {
		uint64_t random;

		if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
			return ki_error_errno(e, errno, "%s: no random name", name);
		snprintf(temporary, FILE_TEMPORARY_MAX, "%.*s.tmp.%ld.%016llx", FILE_TEMPORARY_STEM,
			 name, (long)getpid(), (unsigned long long)random);
		fd = openat(dirfd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			    0666);
		if (fd >= 0) {
			*out = fd;
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return ki_error_errno(e, errno, "%s", temporary);
}

/* Without it the new name may be gone after a power cut, although the content is on the disk. */
static int file_sync_directory(int dirfd, const char *name, struct ki_error *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return ki_error_errno(e, errno, "%s: opening its directory", name);
	/* EINVAL: a file system that cannot synchronise directories; nothing more can be done. */
	if (fsync(fd) != 0 && errno != EINVAL)
		rc = ki_error_errno(e, errno, "%s: synchronising its directory", name);
	close(fd);
	return rc;
}

static bool file_name_is_plain(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strchr(name, '/') == NULL;
}

/* Writes a temporary file whole; sync: it is on the disk. */
static int file_temporary_write(char temporary[FILE_TEMPORARY_MAX], int dirfd, const char *name,
				const void *data, size_t size, bool sync, struct ki_error *e)
{
	int fd = -1, rc;

	if (!file_name_is_plain(name))
		return ki_error_set(e, KI_FAIL_INTERNAL, "\"%s\" is not a file's name", name);
	rc = file_temporary_open(&fd, dirfd, temporary, name, e);
	if (rc != 0)
		return rc;
	rc = ki_file_write_all(fd, data, size, e);
	if (rc == 0 && sync && fsync(fd) != 0)
		rc = ki_error_errno(e, errno, "synchronising");
	if (close(fd) != 0 && rc == 0)
		rc = ki_error_errno(e, errno, "closing");
	if (rc != 0) {
		ki_error_prefix(e, "%s", name);
		unlinkat(dirfd, temporary, 0);
	}
	return rc;
}

static int file_rename(int dirfd, const char *temporary, const char *name, struct ki_error *e)
{
	if (renameat(dirfd, temporary, dirfd, name) == 0)
		return 0;
	ki_error_errno(e, errno, "%s: renaming %s", name, temporary);
	unlinkat(dirfd, temporary, 0);
	return KI_FAIL_SYSTEM;
}

int ki_file_write(int dirfd, const char *name, const void *data, size_t size, struct ki_error *e)
{
	char temporary[FILE_TEMPORARY_MAX];
	int rc = file_temporary_write(temporary, dirfd, name, data, size, true, e);

	if (rc == 0)
		rc = file_rename(dirfd, temporary, name, e);
	return rc == 0 ? file_sync_directory(dirfd, name, e) : rc;
}

int ki_file_write_path(const char *path, const void *data, size_t size, struct ki_error *e)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
	int fd, rc;

	if (folder == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		rc = ki_error_errno(e, errno, "%s", folder);
	else
		rc = ki_file_write(fd, slash != NULL ? slash + 1 : path, data, size, e);
	if (fd >= 0)
		close(fd);
	free(folder);
	return rc;
}

/* ---------------------------------------------------------------- many */

struct ki_file_pending {
	char *name;
	char *temporary;
};

int ki_file_batch_add(struct ki_file_batch *b, const char *name, const void *data, size_t size,
		      struct ki_error *e)
{
	struct ki_file_pending *grown =
		ki_array_grow(b->pending, &b->capacity, b->count, sizeof *grown);
	struct ki_file_pending file = {0};
	char temporary[FILE_TEMPORARY_MAX];
	int rc;

	if (grown == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", name);
	b->pending = grown;
	rc = file_temporary_write(temporary, b->dirfd, name, data, size, false, e);
	if (rc != 0)
		return rc;
	file.name = strdup(name);
	file.temporary = strdup(temporary);
	if (file.name == NULL || file.temporary == NULL) {
		free(file.name);
		free(file.temporary);
		unlinkat(b->dirfd, temporary, 0);
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", name);
	}
	b->pending[b->count++] = file;
	return 0;
}

int ki_file_batch_commit(struct ki_file_batch *b, struct ki_error *e)
{
	size_t i;
	int rc = 0;

	if (b->count == 0)
		return 0;
	/* Content first: a name that survives a power cut must not stand for an empty file. */
	if (syncfs(b->dirfd) != 0)
		rc = ki_error_errno(e, errno, "synchronising %zu files", b->count);
	for (i = 0; i < b->count && rc == 0; i++) {
		rc = file_rename(b->dirfd, b->pending[i].temporary, b->pending[i].name, e);
		b->pending[i].temporary[0] = '\0';
	}
	if (rc == 0)
		rc = file_sync_directory(b->dirfd, b->pending[0].name, e);
	ki_file_batch_free(b);
	return rc;
}

void ki_file_batch_free(struct ki_file_batch *b)
{
	size_t i;

	for (i = 0; i < b->count; i++) {
		if (b->pending[i].temporary[0] != '\0')
			unlinkat(b->dirfd, b->pending[i].temporary, 0);
		free(b->pending[i].name);
		free(b->pending[i].temporary);
	}
	free(b->pending);
	*b = (struct ki_file_batch){.dirfd = b->dirfd};
}

int ki_file_make_directory(int *out, const char *path, struct ki_error *e)
{
	char *copy = strdup(path);
	char *slash = copy;
	int fd, rc = 0;

	if (copy == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", path);
	while (slash != NULL && *slash != '\0') {
		slash = strchr(slash + 1, '/');
		if (slash != NULL)
			*slash = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
			rc = ki_error_errno(e, errno, "%s", copy);
			goto out;
		}
		if (slash != NULL)
			*slash = '/';
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		rc = ki_error_errno(e, errno, "%s", path);
	else
		*out = fd;
out:
	free(copy);
	return rc;
}
