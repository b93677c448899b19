/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "document/canonical.h"
#include "record/store.h"

/* What a run leaves is a fraction of this; less free space is a full disk. */
#define STORE_FREE_LEAST ((uint64_t)16 << 20)
#define STORE_FILE_MAX ((size_t)256 << 20)
#define STORE_RECORDS "records"
#define STORE_ARTIFACTS "artifacts"
#define STORE_INDEX "index.jsonl"
#define STORE_PATH_MAX 4096

struct ki_store {
	char *directory; /* as it was given, for messages */
	int records;     /* the folders */
	int artifacts;
	int index; /* the file, opened for appending */
	struct ki_file_batch batch;
	struct ki_buffer batch_lines; /* starts with a newline, when it holds any */
	json_t *batch_names;
};

/* ---------------------------------------------------------------- opening */

/* Whether another folder, named by the user, is the way out: a full disk or a broken one is not. */
static enum ki_code store_fault(const struct ki_error *e)
{
	switch (e->native) {
	case EACCES:
	case EPERM:
	case EROFS:
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case ENAMETOOLONG:
	case EINVAL:
		return KI_FAIL_USAGE;
	default:
		return e->code;
	}
}

/*
 * Two runs may probe one folder at the same time, also from two machines: so the probe of another
 * one may be replaced or gone, which proves just as much.
 */
static int store_probe(int folder, const char *name, struct ki_error *e)
{
	static const char text[] = "ki-harness asks whether this folder can be written.\n";
	char probe[48];
	int rc;

	snprintf(probe, sizeof probe, ".probe.%ld", (long)getpid());
	rc = ki_file_write(folder, probe, text, sizeof text - 1, e);
	if (rc == KI_SUCCESS && unlinkat(folder, probe, 0) != 0 && errno != ENOENT)
		rc = ki_error_errno(e, errno, "%s: cannot be removed", probe);
	if (rc != KI_SUCCESS)
		ki_error_prefix(e, "%s", name);
	return rc;
}

static int store_folder(int *out, const struct ki_store *s, const char *name, struct ki_error *e)
{
	char path[STORE_PATH_MAX];
	int rc;

	if (snprintf(path, sizeof path, "%s/%s", s->directory, name) >= (int)sizeof path)
		return ki_error_set(e, KI_FAIL_USAGE, "the path is longer than %d bytes",
				    STORE_PATH_MAX - 1);
	rc = ki_file_make_directory(out, path, e);
	return rc == KI_SUCCESS ? store_probe(*out, name, e) : rc;
}

static int store_space(const struct ki_store *s, struct ki_error *e)
{
	struct statvfs v;
	uint64_t left;

	/* Not every file system says; that of /proc has no size at all. */
	if (fstatvfs(s->records, &v) != 0 || v.f_blocks == 0)
		return KI_SUCCESS;
	left = (uint64_t)v.f_bavail * v.f_frsize;
	if (left < STORE_FREE_LEAST)
		return ki_error_set(e, KI_FAIL_SYSTEM,
				    "%" PRIu64 " KiB are free there and %" PRIu64 " KiB are needed",
				    left >> 10, STORE_FREE_LEAST >> 10);
	return KI_SUCCESS;
}

static int store_index(struct ki_store *s, struct ki_error *e)
{
	char path[STORE_PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/" STORE_INDEX, s->directory) >= (int)sizeof path)
		return ki_error_set(e, KI_FAIL_USAGE, "the path is longer than %d bytes",
				    STORE_PATH_MAX - 1);
	/* Non-blocking: what is not a file may otherwise wait for its other end. */
	s->index = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	if (s->index < 0)
		return ki_error_errno(e, errno, STORE_INDEX);
	if (fstat(s->index, &st) != 0 || !S_ISREG(st.st_mode))
		return ki_error_set(e, KI_FAIL_USAGE, STORE_INDEX " is not a regular file");
	return KI_SUCCESS;
}

static int store_prepare(struct ki_store *s, struct ki_error *e)
{
	int rc;

	/* An empty name would make the paths below start at the root. */
	if (s->directory[0] == '\0')
		return ki_error_set(e, KI_FAIL_USAGE, "the folder has no name");
	rc = store_folder(&s->records, s, STORE_RECORDS, e);
	if (rc == KI_SUCCESS)
		rc = store_folder(&s->artifacts, s, STORE_ARTIFACTS, e);
	if (rc == KI_SUCCESS)
		rc = store_index(s, e);
	if (rc == KI_SUCCESS)
		rc = store_space(s, e);
	return rc;
}

int ki_store_open(struct ki_store **out, const char *directory, struct ki_error *e)
{
	struct ki_store *s = malloc(sizeof *s);
	struct ki_error cause = {0};
	int rc;

	if (s == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	*s = (struct ki_store){.records = -1, .artifacts = -1, .index = -1};
	ki_buffer_init(&s->batch_lines, STORE_FILE_MAX);
	s->directory = strdup(directory);
	s->batch_names = json_object();
	if (s->directory == NULL || s->batch_names == NULL)
		ki_error_set(&cause, KI_FAIL_MEMORY, "memory ran out");
	else if (store_prepare(s, &cause) == KI_SUCCESS) {
		*out = s;
		return KI_SUCCESS;
	}
	ki_store_close(s);
	rc = ki_error_set(e, store_fault(&cause),
			  "results cannot be kept in \"%.300s\": %.500s; name another folder with "
			  "--out DIR",
			  directory, cause.text);
	if (e != NULL)
		e->native = cause.native;
	return rc;
}

void ki_store_close(struct ki_store *s)
{
	if (s == NULL)
		return;
	ki_file_batch_free(&s->batch);
	ki_buffer_fini(&s->batch_lines);
	json_decref(s->batch_names);
	if (s->records >= 0)
		close(s->records);
	if (s->artifacts >= 0)
		close(s->artifacts);
	if (s->index >= 0)
		close(s->index);
	free(s->directory);
	free(s);
}

/* ---------------------------------------------------------------- files */

/* Canonical text and a newline. */
static int store_text(struct ki_buffer *b, const json_t *v, struct ki_error *e)
{
	int rc = ki_canonical_write(b, v, e);

	if (rc != KI_SUCCESS)
		return rc;
	ki_buffer_puts(b, "\n");
	return b->failed ? ki_error_set(e, KI_FAIL_LIMIT,
					"a result is larger than %zu bytes, or memory ran out",
					STORE_FILE_MAX)
			 : KI_SUCCESS;
}

/* Whether fd reads exactly as b does. */
static bool store_same(int fd, const struct ki_buffer *b)
{
	char chunk[16384];
	size_t at = 0;
	ssize_t got;

	while ((got = read(fd, chunk, sizeof chunk)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (size_t)got > b->size - at ||
		    memcmp(chunk, b->data + at, (size_t)got) != 0)
			return false;
		at += (size_t)got;
	}
	return at == b->size;
}

static bool store_exists(int folder, const char *file, const struct ki_buffer *b)
{
	int fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool same = fd >= 0 && store_same(fd, b);

	if (fd >= 0)
		close(fd);
	return same;
}

/*
 * *existed: the file is there already, whole.  One of that name with other bytes was damaged, since
 * the name says what is in it, and is replaced.
 */
static int store_file(bool *existed, int folder, const struct ki_digest *name,
		      const struct ki_buffer *b, struct ki_error *e)
{
	char file[KI_DIGEST_MAX + 8];

	snprintf(file, sizeof file, "%s.json", ki_digest_hex(name));
	*existed = store_exists(folder, file, b);
	return *existed ? KI_SUCCESS : ki_file_write(folder, file, b->data, b->size, e);
}

int ki_store_artifact(struct ki_digest *digest, struct ki_store *s, const json_t *v,
		      struct ki_error *e)
{
	struct ki_digest d;
	struct ki_buffer b;
	bool existed;
	int rc;

	ki_buffer_init(&b, STORE_FILE_MAX);
	rc = store_text(&b, v, e);
	if (rc == KI_SUCCESS)
		rc = ki_digest_bytes(&d, b.data, b.size, e);
	if (rc == KI_SUCCESS)
		rc = store_file(&existed, s->artifacts, &d, &b, e);
	if (rc == KI_SUCCESS)
		*digest = d;
	else
		ki_error_prefix(e, "%s/" STORE_ARTIFACTS, s->directory);
	ki_buffer_fini(&b);
	return rc;
}

/* ---------------------------------------------------------------- index */

/* A process that died while it wrote left a line without an end: the next one starts anew. */
static int store_torn(bool *out, int fd, struct ki_error *e)
{
	struct stat st;
	char last = '\n';

	if (fstat(fd, &st) != 0)
		return ki_error_errno(e, errno, "cannot be read");
	if (st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1)
		return ki_error_errno(e, errno, "cannot be read");
	*out = last != '\n';
	return KI_SUCCESS;
}

/* Two runs may share a folder.  Without locks O_APPEND alone keeps lines whole, torn ones aside. */
static int store_lock(int fd, struct ki_error *e)
{
	while (flock(fd, LOCK_EX) != 0) {
		if (errno == EOPNOTSUPP || errno == ENOLCK || errno == ENOSYS)
			return KI_SUCCESS;
		if (errno != EINTR)
			return ki_error_errno(e, errno, "cannot be locked");
	}
	return KI_SUCCESS;
}

static int store_append(struct ki_store *s, const struct ki_buffer *line, struct ki_error *e)
{
	bool torn = false;
	int rc = store_lock(s->index, e);

	if (rc != KI_SUCCESS)
		goto out;
	/* line starts with a newline, for an index that lacks its last one. */
	rc = store_torn(&torn, s->index, e);
	if (rc == KI_SUCCESS)
		rc = ki_file_write_all(s->index, line->data + (torn ? 0 : 1),
				       line->size - (torn ? 0 : 1), e);
	if (rc == KI_SUCCESS && fdatasync(s->index) != 0 && errno != EINVAL)
		rc = ki_error_errno(e, errno, "cannot be written");
	flock(s->index, LOCK_UN);
out:
	if (rc != KI_SUCCESS)
		ki_error_prefix(e, STORE_INDEX);
	return rc;
}

int ki_store_record(struct ki_store *s, const json_t *record, const struct ki_digest *run,
		    const json_t *index_line, struct ki_error *e)
{
	struct ki_buffer b, line;
	bool existed = false;
	int rc;

	ki_buffer_init(&b, STORE_FILE_MAX);
	ki_buffer_init(&line, STORE_FILE_MAX);
	ki_buffer_puts(&line, "\n");
	rc = store_text(&b, record, e);
	if (rc == KI_SUCCESS)
		rc = store_text(&line, index_line, e);
	if (rc == KI_SUCCESS)
		rc = store_file(&existed, s->records, run, &b, e);
	/* In this order: what the index names is there. */
	if (rc == KI_SUCCESS && !existed)
		rc = store_append(s, &line, e);
	if (rc != KI_SUCCESS)
		ki_error_prefix(e, "%s", s->directory);
	ki_buffer_fini(&b);
	ki_buffer_fini(&line);
	return rc;
}

/* ---------------------------------------------------------------- many */

int ki_store_add(bool *existed, struct ki_store *s, const char *record, size_t size,
		 const struct ki_digest *run, const json_t *index_line, struct ki_error *e)
{
	char file[KI_DIGEST_MAX + 8];
	struct ki_buffer b;
	int rc = KI_SUCCESS;

	snprintf(file, sizeof file, "%s.json", ki_digest_hex(run));
	ki_buffer_init(&b, STORE_FILE_MAX);
	ki_buffer_append(&b, record, size);
	ki_buffer_puts(&b, "\n");
	*existed =
		json_object_get(s->batch_names, file) != NULL || store_exists(s->records, file, &b);
	if (*existed)
		goto out;
	s->batch.dirfd = s->records;
	if (b.failed || json_object_set_new(s->batch_names, file, json_true()) != 0)
		rc = ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	if (rc == KI_SUCCESS)
		rc = ki_file_batch_add(&s->batch, file, b.data, b.size, e);
	if (s->batch_lines.size == 0)
		ki_buffer_puts(&s->batch_lines, "\n");
	if (rc == KI_SUCCESS)
		rc = store_text(&s->batch_lines, index_line, e);
	if (rc != KI_SUCCESS)
		ki_error_prefix(e, "%s/" STORE_RECORDS, s->directory);
out:
	ki_buffer_fini(&b);
	return rc;
}

int ki_store_commit(struct ki_store *s, struct ki_error *e)
{
	int rc = ki_file_batch_commit(&s->batch, e);

	if (rc != KI_SUCCESS)
		ki_error_prefix(e, "%s/" STORE_RECORDS, s->directory);
	else if (s->batch_lines.size > 0)
		rc = store_append(s, &s->batch_lines, e);
	ki_buffer_fini(&s->batch_lines);
	json_object_clear(s->batch_names);
	return rc;
}
