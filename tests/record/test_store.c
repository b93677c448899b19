/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "../folder.h"
#include "record/store.h"

static char root[PATH_MAX];
static char results[PATH_MAX + 16];

static void start(void)
{
	folder_make(root);
	snprintf(results, sizeof results, "%s/a/b", root);
}

static void stop(void)
{
	folder_remove(root);
}

TestSuite(store, .init = start, .fini = stop);

static const char *in(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", results, name);
	return path;
}

static struct ki_store *open_store(void)
{
	struct ki_store *s = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_store_open(&s, results, &e), KI_SUCCESS, "%s", e.text);
	return s;
}

static size_t entries(const char *folder)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	cr_assert_not_null(d, "%s", folder);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;
}

static void expect_content(const char *path, const char *want)
{
	struct ki_error e = {0};
	char *text = NULL;
	size_t size;

	cr_assert_eq(ki_file_read(&text, &size, path, 1 << 20, &e), KI_SUCCESS, "%s", e.text);
	cr_expect_str_eq(text, want);
	free(text);
}

static void put_content(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	cr_assert_not_null(f, "%s", path);
	fputs(text, f);
	fclose(f);
}

/* A digest whose 64 digits are all this one. */
static struct ki_digest digest_of(char digit)
{
	struct ki_digest d = {.text = "sha256:"};

	memset(d.text + 7, digit, 64);
	return d;
}

static int record(struct ki_store *s, char digit, struct ki_error *e)
{
	const struct ki_digest run = digest_of(digit);
	json_t *r = json_pack("{s:i, s:s}", "z", 1, "a", "x"), *line = json_pack("{s:i}", "n", 2);
	int rc = ki_store_record(s, r, &run, line, e);

	json_decref(r);
	json_decref(line);
	return rc;
}

#define DIGITS_16 "1111111111111111"
#define RECORD_1 "records/" DIGITS_16 DIGITS_16 DIGITS_16 DIGITS_16 ".json"

/* ---------------------------------------------------------------- what is written */

Test(store, opening_makes_the_folders_and_leaves_nothing_else)
{
	struct ki_store *s = open_store();

	cr_expect_eq(entries(results), 3);
	cr_expect_eq(entries(in("records")), 0);
	cr_expect_eq(entries(in("artifacts")), 0);
	expect_content(in("index.jsonl"), "");
	ki_store_close(s);
	s = open_store();
	cr_expect_eq(entries(results), 3, "and again");
	ki_store_close(s);
	ki_store_close(NULL);
}

Test(store, a_record_is_canonical_text_named_by_its_run_and_a_line_of_the_index)
{
	struct ki_store *s = open_store();
	struct ki_error e = {0};

	cr_assert_eq(record(s, '1', &e), KI_SUCCESS, "%s", e.text);
	cr_assert_eq(record(s, '2', &e), KI_SUCCESS, "%s", e.text);
	ki_store_close(s);
	cr_expect_eq(entries(in("records")), 2);
	expect_content(in(RECORD_1), "{\"a\":\"x\",\"z\":1}\n");
	expect_content(in("index.jsonl"), "{\"n\":2}\n{\"n\":2}\n");
}

Test(store, an_artifact_is_named_by_the_digest_of_its_bytes)
{
	static const char text[] = "{\"samples\":[3,1,2]}\n";
	struct ki_store *s = open_store();
	struct ki_error e = {0};
	json_t *v = json_pack("{s:[i,i,i]}", "samples", 3, 1, 2);
	struct ki_digest d, want;
	char name[200];

	cr_assert_eq(ki_store_artifact(&d, s, v, &e), KI_SUCCESS, "%s", e.text);
	cr_assert_eq(ki_digest_bytes(&want, text, sizeof text - 1, &e), KI_SUCCESS);
	cr_expect_str_eq(d.text, want.text);
	snprintf(name, sizeof name, "artifacts/%s.json", ki_digest_hex(&want));
	expect_content(in(name), text);
	cr_assert_eq(ki_store_artifact(&d, s, v, &e), KI_SUCCESS, "the same again: %s", e.text);
	cr_expect_eq(entries(in("artifacts")), 1);
	expect_content(in("index.jsonl"), "");
	json_decref(v);
	ki_store_close(s);
}

Test(store, a_record_that_exists_already_is_not_written_twice)
{
	struct ki_store *s = open_store();
	struct ki_error e = {0};
	struct stat before, after;

	cr_assert_eq(record(s, '1', &e), KI_SUCCESS, "%s", e.text);
	cr_assert_eq(stat(in(RECORD_1), &before), 0);
	cr_expect_eq(record(s, '1', &e), KI_SUCCESS, "%s", e.text);
	cr_assert_eq(stat(in(RECORD_1), &after), 0);
	cr_expect_eq(before.st_ino, after.st_ino);
	expect_content(in("index.jsonl"), "{\"n\":2}\n");
	ki_store_close(s);
}

/* A prefix, a longer file, another text of that length, an empty file. */
Test(store, a_file_that_was_damaged_is_written_anew)
{
	static const char *const damaged[] = {"{\"a\":\"x\"", "{\"a\":\"x\",\"z\":1}\n\n",
					      "{\"a\":\"y\",\"z\":1}\n", ""};
	struct ki_store *s = open_store();
	struct ki_error e = {0};
	size_t i;

	for (i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
		put_content(in(RECORD_1), damaged[i]);
		cr_assert_eq(record(s, '1', &e), KI_SUCCESS, "%s", e.text);
		expect_content(in(RECORD_1), "{\"a\":\"x\",\"z\":1}\n");
	}
	ki_store_close(s);
}

Test(store, a_torn_last_line_of_the_index_does_not_spoil_the_next_one)
{
	struct ki_store *s = open_store();
	struct ki_error e = {0};

	put_content(in("index.jsonl"), "{\"n\":1}\n{\"n\":");
	cr_assert_eq(record(s, '1', &e), KI_SUCCESS, "%s", e.text);
	cr_assert_eq(record(s, '2', &e), KI_SUCCESS, "%s", e.text);
	ki_store_close(s);
	expect_content(in("index.jsonl"), "{\"n\":1}\n{\"n\":\n{\"n\":2}\n{\"n\":2}\n");
}

Test(store, results_of_before_are_kept)
{
	struct ki_store *s = open_store();
	struct ki_error e = {0};

	cr_assert_eq(record(s, '1', &e), KI_SUCCESS, "%s", e.text);
	ki_store_close(s);
	s = open_store();
	cr_assert_eq(record(s, '2', &e), KI_SUCCESS, "%s", e.text);
	ki_store_close(s);
	cr_expect_eq(entries(in("records")), 2);
	expect_content(in("index.jsonl"), "{\"n\":2}\n{\"n\":2}\n");
}

Test(store, an_open_store_stays_where_it_was)
{
	struct ki_store *s;
	struct ki_error e = {0};
	char *here = getcwd(NULL, 0);

	cr_assert_eq(chdir(root), 0);
	cr_assert_eq(ki_store_open(&s, "relative", &e), KI_SUCCESS, "%s", e.text);
	cr_assert_eq(chdir("/"), 0);
	cr_expect_eq(record(s, '1', &e), KI_SUCCESS, "%s", e.text);
	ki_store_close(s);
	cr_assert_eq(chdir(here), 0);
	free(here);
	snprintf(results, sizeof results, "%s/relative", root);
	expect_content(in("index.jsonl"), "{\"n\":2}\n");
}

/* Runs opens and records of its own beside another process that does the same. */
static void crowd(char first)
{
	int i;

	for (i = 0; i < 4; i++) {
		struct ki_store *s;
		struct ki_error e = {0};

		if (ki_store_open(&s, results, &e) != KI_SUCCESS ||
		    record(s, (char)(first + i), &e) != KI_SUCCESS) {
			fprintf(stderr, "%s\n", e.text);
			_exit(1);
		}
		ki_store_close(s);
	}
	_exit(0);
}

Test(store, runs_at_the_same_time_may_share_a_folder)
{
	char want[8 * 8 + 1] = "";
	pid_t pids[2];
	int i, status;

	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			crowd(i == 0 ? '0' : '4');
	}
	for (i = 0; i < 2; i++) {
		cr_assert_eq(waitpid(pids[i], &status, 0), pids[i]);
		cr_expect_eq(status, 0);
	}
	for (i = 0; i < 8; i++)
		memcpy(want + 8 * i, "{\"n\":2}\n", 9);
	expect_content(in("index.jsonl"), want);
	cr_expect_eq(entries(in("records")), 8);
}

/* ---------------------------------------------------------------- what fails */

static void expect_refused(const char *directory, enum ki_code code, const char *what)
{
	struct ki_store *s = NULL;
	struct ki_error e = {0};

	cr_expect_eq(ki_store_open(&s, directory, &e), (int)code, "%s: %s", directory, e.text);
	cr_expect_not_null(strstr(e.text, "--out"), "%s", e.text);
	cr_expect_not_null(strstr(e.text, "another folder"), "%s", e.text);
	cr_expect_not_null(strstr(e.text, what), "%s", e.text);
	cr_expect_null(s);
}

Test(store, a_folder_that_cannot_be_is_refused_with_what_to_do)
{
	char path[PATH_MAX + 32], *longer = malloc(6000);

	snprintf(path, sizeof path, "%s/file", root);
	put_content(path, "a regular file");
	expect_refused(path, KI_FAIL_USAGE, "Not a directory");
	snprintf(path, sizeof path, "%s/file/below", root);
	expect_refused(path, KI_FAIL_USAGE, "Not a directory");
	expect_refused("/proc/ki-results", KI_FAIL_USAGE, "/proc/ki-results");
	expect_refused("", KI_FAIL_USAGE, "no name");
	memset(longer, 'x', 5999);
	longer[5999] = '\0';
	expect_refused(longer, KI_FAIL_USAGE, "longer than");
	longer[300] = '\0';
	expect_refused(longer, KI_FAIL_USAGE, "too long");
	free(longer);
}

Test(store, an_index_that_is_no_file_is_refused)
{
	ki_store_close(open_store());
	cr_assert_eq(unlink(in("index.jsonl")), 0);
	cr_assert_eq(mkdir(in("index.jsonl"), 0777), 0);
	expect_refused(results, KI_FAIL_USAGE, "index.jsonl");
	cr_assert_eq(rmdir(in("index.jsonl")), 0);
	cr_assert_eq(mkfifo(in("index.jsonl"), 0666), 0);
	expect_refused(results, KI_FAIL_USAGE, "not a regular file");
}

/* A mount namespace that ends with the test; false where that takes rights that we lack. */
static bool mount_apart(void)
{
	/* Private: else the mounts would be everyone's. */
	return unshare(CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* A test that is skipped does not get to its end. */
static void skip_without_mounts(void)
{
	stop();
	cr_skip_test("reason: a file system cannot be mounted here");
}

static bool mount_small(const char *options)
{
	return mount_apart() && mount("none", root, "tmpfs", 0, options) == 0;
}

Test(store, a_disk_that_is_nearly_full_is_refused_before_anything_is_measured)
{
	if (!mount_small("size=1024k"))
		skip_without_mounts();
	expect_refused(results, KI_FAIL_SYSTEM, "KiB are free there and 16384 KiB are needed");
	umount(root);
}

Test(store, a_disk_that_is_just_large_enough_will_do)
{
	struct ki_store *s = NULL;
	struct ki_error e = {0};

	if (!mount_small("size=16640k"))
		skip_without_mounts();
	cr_expect_eq(ki_store_open(&s, results, &e), KI_SUCCESS, "%s", e.text);
	ki_store_close(s);
	umount(root);
}

Test(store, a_folder_that_can_be_read_alone_is_refused)
{
	ki_store_close(open_store());
	if (!mount_apart() || mount(root, root, NULL, MS_BIND, NULL) != 0 ||
	    mount(NULL, root, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0)
		skip_without_mounts();
	expect_refused(results, KI_FAIL_USAGE, "Read-only");
	umount(root);
}

Test(store, what_cannot_be_written_names_its_folder_and_leaves_no_half)
{
	struct ki_store *s = open_store();
	struct rlimit small = {.rlim_cur = 10, .rlim_max = RLIM_INFINITY};
	struct ki_digest d = {.text = "untouched"};
	json_t *v = json_string("longer than ten bytes");
	struct ki_error e = {0};

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	cr_expect_eq(record(s, '1', &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, EFBIG);
	cr_expect_not_null(strstr(e.text, results), "%s", e.text);
	ki_error_clear(&e);
	cr_expect_eq(ki_store_artifact(&d, s, v, &e), KI_FAIL_SYSTEM);
	cr_expect_not_null(strstr(e.text, results), "%s", e.text);
	cr_expect_str_eq(d.text, "untouched");
	small.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &small);
	cr_expect_eq(entries(in("records")), 0);
	cr_expect_eq(entries(in("artifacts")), 0);
	expect_content(in("index.jsonl"), "");
	json_decref(v);
	ki_store_close(s);
}

Test(store, a_record_without_a_line_for_the_index_is_not_written)
{
	const struct ki_digest run = digest_of('1');
	struct ki_store *s = open_store();
	struct ki_error e = {0};
	json_t *r = json_object();

	cr_expect_eq(ki_store_record(s, r, &run, NULL, &e), KI_FAIL_INTERNAL);
	cr_expect_eq(entries(in("records")), 0);
	json_decref(r);
	ki_store_close(s);
}

static bool add(struct ki_store *s, char digit)
{
	struct ki_digest d = digest_of(digit);
	json_t *line = json_pack("{s:s#}", "run", &digit, 1);
	struct ki_error e = {0};
	bool existed = false;
	char text[32];

	snprintf(text, sizeof text, "{\"n\":%c}", digit);
	cr_assert_eq(ki_store_add(&existed, s, text, strlen(text), &d, line, &e), KI_SUCCESS, "%s",
		     e.text);
	json_decref(line);
	return existed;
}

Test(store, records_that_are_added_are_there_with_their_lines_once_they_are_committed)
{
	struct ki_store *s = open_store();
	struct ki_error e = {0};

	cr_expect_not(add(s, '1'));
	cr_expect_not(add(s, '2'));
	cr_expect(add(s, '1'), "twice in one go");
	expect_content(in("index.jsonl"), "");
	cr_assert_eq(ki_store_commit(s, &e), KI_SUCCESS, "%s", e.text);
	cr_expect_eq(entries(in("records")), 2);
	expect_content(in("index.jsonl"), "{\"run\":\"1\"}\n{\"run\":\"2\"}\n");
	cr_expect(add(s, '2'));
	cr_expect_not(add(s, '3'));
	cr_assert_eq(ki_store_commit(s, &e), KI_SUCCESS, "%s", e.text);
	cr_assert_eq(ki_store_commit(s, &e), KI_SUCCESS, "nothing to do");
	expect_content(in("index.jsonl"), "{\"run\":\"1\"}\n{\"run\":\"2\"}\n{\"run\":\"3\"}\n");
	ki_store_close(s);
}

Test(store, records_that_were_not_committed_leave_nothing)
{
	struct ki_store *s = open_store();

	cr_expect_not(add(s, '1'));
	cr_expect_not(add(s, '2'));
	ki_store_close(s);
	cr_expect_eq(entries(in("records")), 0);
	expect_content(in("index.jsonl"), "");
}
