/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder.h"
#include "base/file.h"

static char root[PATH_MAX];
static int root_fd = -1;

static void make_root(void)
{
	folder_make(root);
	root_fd = open(root, O_RDONLY | O_DIRECTORY);
	cr_assert_geq(root_fd, 0);
}

static void remove_root(void)
{
	close(root_fd);
	folder_remove(root);
}

TestSuite(file, .init = make_root, .fini = remove_root);

static const char *in_root(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", root, name);
	return path;
}

static int count_entries(void)
{
	DIR *d = opendir(root);
	int count = 0;

	while (readdir(d) != NULL)
		count++;
	closedir(d);
	return count - 2;
}

static void expect_content(const char *name, const char *want)
{
	struct ki_error e = {0};
	char *text = NULL;
	size_t size = 0;

	cr_assert_eq(ki_file_read(&text, &size, in_root(name), 1000, &e), 0, "%s", e.text);
	cr_expect_str_eq(text, want);
	cr_expect_eq(size, strlen(want));
	free(text);
}

Test(file, what_cannot_be_read_is_named)
{
	char *text = (char *)1;
	size_t size = 7;
	struct ki_error e = {0};
	char want[PATH_MAX + 64];

	cr_expect_eq(ki_file_read(&text, &size, in_root("none"), 10, &e), KI_FAIL_SYSTEM);
	snprintf(want, sizeof want, "%s: No such file or directory", in_root("none"));
	cr_expect_str_eq(e.text, want);
	cr_expect_eq(e.native, ENOENT);
	ki_error_clear(&e);
	cr_expect_eq(ki_file_read(&text, &size, root, 10, &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, EISDIR);
	cr_expect_not_null(strstr(e.text, root));
	cr_expect(text == (char *)1 && size == 7, "*out is untouched by a failure");
}

Test(file, a_file_beyond_the_limit_is_refused_and_one_at_the_limit_is_read)
{
	struct ki_error e = {0};
	char *text = NULL;
	size_t size;

	cr_assert_eq(ki_file_write(root_fd, "f", "12345", 5, &e), 0, "%s", e.text);
	cr_expect_eq(ki_file_read(&text, &size, in_root("f"), 4, &e), KI_FAIL_LIMIT);
	cr_expect_not_null(strstr(e.text, "larger than 4 bytes"), "%s", e.text);
	ki_error_clear(&e);
	cr_expect_eq(ki_file_read(&text, &size, "/dev/zero", 100000, &e), KI_FAIL_LIMIT);
	cr_assert_eq(ki_file_read(&text, &size, in_root("f"), 5, &e), 0);
	cr_expect_str_eq(text, "12345");
	free(text);
}

Test(file, files_of_many_sizes_come_back_as_written)
{
	static const size_t sizes[] = {0, 1, 16383, 16384, 16385, 100000};
	static char data[100000];
	size_t i, size;

	for (i = 0; i < sizeof data; i++)
		data[i] = (char)(i * 7 % 253);
	for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct ki_error e = {0};
		char *text;

		cr_assert_eq(ki_file_write(root_fd, "f", data, sizes[i], &e), 0, "%s", e.text);
		cr_assert_eq(ki_file_read(&text, &size, in_root("f"), sizeof data, &e), 0);
		cr_expect_eq(size, sizes[i]);
		cr_expect_eq(memcmp(text, data, size), 0);
		cr_expect_eq(text[size], '\0');
		free(text);
	}
	cr_expect_eq(count_entries(), 1, "no temporary file stays");
}

Test(file, a_name_that_is_not_one_is_refused)
{
	static const char *const names[] = {"", ".", "..", "a/b", "/a", "a/"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct ki_error e = {0};

		cr_expect_eq(ki_file_write(root_fd, names[i], "x", 1, &e), KI_FAIL_INTERNAL, "%s",
			     names[i]);
	}
	cr_expect_eq(count_entries(), 0);
}

Test(file, a_failed_write_leaves_the_old_file_and_nothing_else)
{
	struct ki_error e = {0};

	cr_assert_eq(mkdir(in_root("d"), 0777), 0);
	cr_assert_eq(ki_file_write(root_fd, "f", "old", 3, &e), 0);
	/* A directory cannot be replaced by a file: the rename fails, at the very end. */
	cr_expect_eq(ki_file_write(root_fd, "d", "new", 3, &e), KI_FAIL_SYSTEM);
	cr_expect_eq(strncmp(e.text, "d: renaming d.tmp.", 18), 0, "%s", e.text);
	ki_error_clear(&e);
	cr_expect_eq(ki_file_write(-1, "f", "new", 3, &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, EBADF);
	expect_content("f", "old");
	cr_expect_eq(count_entries(), 2, "no temporary file stays");
}

Test(file, a_full_disk_leaves_the_old_file_and_nothing_else)
{
	/* RLIMIT_FSIZE stands for the full disk: the write is cut short, then refused. */
	struct ki_error e = {0};
	int status;
	pid_t pid;

	cr_assert_eq(ki_file_write(root_fd, "f", "old", 3, &e), 0);
	pid = fork();
	if (pid == 0) {
		static const char data[10000];
		const struct rlimit small = {.rlim_cur = 4096, .rlim_max = 4096};

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &small);
		_exit(ki_file_write(root_fd, "f", data, sizeof data, &e) == KI_FAIL_SYSTEM &&
				      e.native == EFBIG
			      ? 0
			      : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	expect_content("f", "old");
	cr_expect_eq(count_entries(), 1);
}

Test(file, a_file_is_replaced_whole_with_the_mode_of_the_umask)
{
	struct ki_error e = {0};
	struct stat st;
	char *text;
	size_t size;
	int old;

	umask(027);
	cr_assert_eq(ki_file_write(root_fd, "f", "old content", 11, &e), 0);
	old = open(in_root("f"), O_RDONLY);
	cr_assert_eq(ki_file_write(root_fd, "f", "new", 3, &e), 0);
	expect_content("f", "new");
	cr_assert_eq(stat(in_root("f"), &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0640);
	text = calloc(1, 12);
	cr_expect_eq(read(old, text, 11), 11);
	cr_expect_str_eq(text, "old content", "who had it open reads the old one");
	free(text);
	close(old);
	cr_assert_eq(chdir(root), 0);
	cr_expect_eq(ki_file_write(AT_FDCWD, "g", "x", 1, &e), 0, "%s", e.text);
	cr_assert_eq(ki_file_read(&text, &size, "g", 10, &e), 0);
	free(text);
}

Test(file, a_name_of_the_greatest_length_can_be_written)
{
	struct ki_error e = {0};
	char name[256];

	memset(name, 'n', 255);
	name[255] = '\0';
	cr_expect_eq(ki_file_write(root_fd, name, "x", 1, &e), 0, "%s", e.text);
	cr_expect_eq(faccessat(root_fd, name, R_OK, 0), 0);
	cr_expect_eq(count_entries(), 1);
}

static void on_alarm(int number)
{
	(void)number;
}

Test(file, everything_is_written_across_short_writes_and_interruptions)
{
	const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	const size_t size = 400000;
	char *data = malloc(size);
	struct ki_error e = {0};
	int ends[2], status, rc;
	pid_t pid;

	memset(data, 'd', size);
	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		static char chunk[7777];
		size_t total = 0;
		ssize_t got;

		close(ends[1]);
		while ((got = read(ends[0], chunk, sizeof chunk)) > 0) {
			total += (size_t)got;
			usleep(300);
		}
		_exit(total == size ? 0 : 1);
	}
	/* No SA_RESTART: the writes that block end early, with EINTR or short. */
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	setitimer(ITIMER_REAL, &often, NULL);
	rc = ki_file_write_all(ends[1], data, size / 2, &e);
	fcntl(ends[1], F_SETFL, 0);
	if (rc == 0)
		rc = ki_file_write_all(ends[1], data, size / 2, &e);
	setitimer(ITIMER_REAL, &never, NULL);
	close(ends[0]);
	close(ends[1]);
	cr_expect_eq(rc, 0, "%s", e.text);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	free(data);
}

Test(file, a_broken_pipe_is_an_error)
{
	struct ki_error e = {0};
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	cr_expect_eq(ki_file_write_all(ends[1], "x", 1, &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, EPIPE);
	close(ends[1]);
}

Test(file, a_directory_in_the_place_of_a_file_cannot_be_made)
{
	struct ki_error e = {0};
	int fd = -7;

	cr_assert_eq(ki_file_write(root_fd, "f", "x", 1, &e), 0);
	cr_expect_eq(ki_file_make_directory(&fd, in_root("f"), &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, ENOTDIR);
	ki_error_clear(&e);
	cr_expect_eq(ki_file_make_directory(&fd, in_root("f/g/h"), &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, ENOTDIR);
	cr_expect_not_null(strstr(e.text, "/f/g: "), "the part that failed is named: %s", e.text);
	ki_error_clear(&e);
	cr_expect_eq(ki_file_make_directory(&fd, "", &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, ENOENT);
	cr_expect_eq(fd, -7);
}

Test(file, directories_are_made_with_their_parents)
{
	static const char *const paths[] = {"a/b/c", "a/b/c", "x//y/", "a/../z/./w"};
	size_t i;

	for (i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct ki_error e = {0};
		struct stat by_fd, by_path;
		int fd;

		cr_assert_eq(ki_file_make_directory(&fd, in_root(paths[i]), &e), 0, "%s", e.text);
		cr_assert_eq(fstat(fd, &by_fd), 0);
		cr_assert_eq(stat(in_root(paths[i]), &by_path), 0);
		cr_expect(S_ISDIR(by_fd.st_mode) && by_fd.st_ino == by_path.st_ino);
		cr_expect_neq(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
		close(fd);
	}
	cr_assert_eq(chdir(root), 0);
	cr_expect_eq(ki_file_make_directory(&(int){-1}, "rel/ative", NULL), 0);
	cr_expect_eq(access(in_root("rel/ative"), X_OK), 0);
}

Test(file, the_files_of_a_batch_appear_together_and_whole)
{
	struct ki_file_batch b = {.dirfd = root_fd};
	struct ki_error e = {0};

	cr_assert_eq(ki_file_write(root_fd, "b", "old", 3, &e), 0, "%s", e.text);
	cr_assert_eq(ki_file_batch_add(&b, "a", "one", 3, &e), 0, "%s", e.text);
	cr_assert_eq(ki_file_batch_add(&b, "b", "two", 3, &e), 0, "%s", e.text);
	expect_content("b", "old");
	cr_expect_neq(access(in_root("a"), F_OK), 0);
	cr_assert_eq(ki_file_batch_commit(&b, &e), 0, "%s", e.text);
	expect_content("a", "one");
	expect_content("b", "two");
	cr_expect_eq(count_entries(), 2);
	cr_assert_eq(ki_file_batch_commit(&b, &e), 0, "an empty one is no error");
}

Test(file, a_batch_that_is_dropped_leaves_nothing)
{
	struct ki_file_batch b = {.dirfd = root_fd};
	struct ki_error e = {0};

	cr_assert_eq(ki_file_batch_add(&b, "a", "one", 3, &e), 0, "%s", e.text);
	cr_expect_eq(ki_file_batch_add(&b, "x/y", "", 0, &e), KI_FAIL_INTERNAL);
	ki_file_batch_free(&b);
	cr_expect_eq(count_entries(), 0);
}

Test(file, a_batch_that_fails_leaves_no_temporary_files)
{
	struct ki_file_batch b = {.dirfd = root_fd};
	struct ki_error e = {0};

	cr_assert_eq(mkdir(in_root("b"), 0777), 0);
	cr_assert_eq(ki_file_batch_add(&b, "a", "one", 3, &e), 0, "%s", e.text);
	cr_assert_eq(ki_file_batch_add(&b, "b", "two", 3, &e), 0, "%s", e.text);
	cr_assert_eq(ki_file_batch_add(&b, "c", "three", 5, &e), 0, "%s", e.text);
	cr_expect_eq(ki_file_batch_commit(&b, &e), KI_FAIL_SYSTEM);
	cr_expect_not_null(strstr(e.text, "b: renaming"), "%s", e.text);
	cr_expect_eq(count_entries(), 2, "a, which was before it, and the folder b");
}
