/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that were built for this are loaded, refused with a reason, or end the process. */
#include "config.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder.h"
#include "base/file.h"
#include "plugin/load.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *fixture_path(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/tests/fixtures/%s.so", build_folder(), name);
	return path;
}

static struct ki_loaded_plugin load(const char *name)
{
	struct ki_loaded_plugin p;
	struct ki_error e = {0};

	cr_assert_eq(ki_plugin_load(&p, fixture_path(name), KI_ABI_VERSION, &e), KI_SUCCESS,
		     "%s: %s", name, e.text);
	cr_assert_not_null(p.handle);
	return p;
}

/* The error of loading path holds this, and nothing was loaded. */
static void expect_error_of(const char *path, const char *text)
{
	struct ki_loaded_plugin p = {.n_kernels = 77};
	struct ki_error e = {0};

	cr_expect_eq(ki_plugin_load(&p, path, KI_ABI_VERSION, &e), KI_FAIL_BACKEND, "%s", path);
	cr_expect_eq(e.code, KI_FAIL_BACKEND);
	cr_expect(strstr(e.text, text) == e.text, "%s: \"%s\", expected \"%s\"", path, e.text,
		  text);
	cr_expect_eq(p.n_kernels, 77, "%s: the result is left alone", path);
}

/* ---------------------------------------------------------------- right */

Test(load, a_good_plugin_has_what_it_says_of_itself)
{
	struct ki_loaded_plugin p = load("good");

	cr_expect_str_eq(p.plugin.id, "org.example.fixture");
	cr_expect_str_eq(p.plugin.toolchain, "a compiler of Z\xc3\xbcrich, 1.0");
	cr_expect_eq(p.plugin.abi_version, KI_ABI_VERSION);
	cr_assert_eq(p.n_kernels, 1);
	cr_expect_str_eq(p.kernels[0].id, "good");
	cr_expect_str_eq(p.kernels[0].op, "scale/1");
	cr_expect_not_null(p.kernels[0].launch);
	cr_expect_null(p.kernels[0].needs);
	cr_expect_eq(p.n_refused, 0);
	cr_expect_str_eq(p.refused, "");
	cr_expect_eq(ki_plugin_kernel(&p, "good"), &p.kernels[0]);
	cr_expect_null(ki_plugin_kernel(&p, "goo"));
	cr_expect_null(ki_plugin_kernel(&p, ""));
	ki_plugin_release(&p);
	cr_expect_null(p.handle);
	cr_expect_null(ki_plugin_kernel(&p, "good"));
}

/* A fault lies behind each of its structs. */
Test(load, a_struct_that_ends_before_the_optional_fields_has_none_of_them)
{
	struct ki_loaded_plugin p = load("shortest");

	cr_expect_eq(p.plugin.struct_size, offsetof(struct ki_plugin, init));
	cr_expect_null(p.plugin.init);
	cr_expect_null(p.plugin.deinit);
	cr_assert_eq(p.n_kernels, 1);
	cr_expect_eq(p.kernels[0].struct_size, offsetof(struct ki_kernel, extension));
	cr_expect_null(p.kernels[0].extension);
	cr_expect_not_null(p.kernels[0].destroy);
	ki_plugin_release(&p);
}

Test(load, fields_of_a_later_minor_are_left_alone)
{
	struct ki_loaded_plugin p = load("newer-minor");

	cr_expect_gt(p.plugin.struct_size, sizeof p.plugin);
	cr_expect_eq(KI_ABI_MINOR_OF(p.plugin.abi_version), 1);
	cr_expect_null(p.plugin.deinit);
	cr_expect_eq(p.n_kernels, 1);
	ki_plugin_release(&p);
}

/* The plugin's own descriptor, which is not constant in this fixture. */
static struct ki_plugin *own_descriptor(const struct ki_loaded_plugin *p)
{
	void *symbol = dlsym(p->handle, KI_ENTRY_SYMBOL);
	ki_plugin_entry_fn entry;
	char why[8];

	cr_assert_not_null(symbol);
	memcpy(&entry, &symbol, sizeof entry);
	return (struct ki_plugin *)(uintptr_t)entry(KI_ABI_VERSION, why, sizeof why);
}

/* What a plugin does to its descriptors after they were checked has no effect. */
Test(load, descriptors_that_were_copied_are_not_looked_at_again)
{
	struct ki_loaded_plugin p = load("good");
	struct ki_plugin *theirs = own_descriptor(&p);

	cr_assert_neq(theirs, &p.plugin);
	memset(theirs, 0xff, sizeof *theirs);
	cr_expect_str_eq(p.plugin.id, "org.example.fixture");
	cr_expect_eq(p.plugin.struct_size, sizeof(struct ki_plugin));
	cr_assert_not_null(ki_plugin_kernel(&p, "good"));
	cr_expect_str_eq(p.kernels[0].license, "Apache-2.0");
	ki_plugin_release(&p);
}

Test(load, the_largest_list_of_kernels_is_taken_whole)
{
	struct ki_loaded_plugin p = load("most-kernels");

	cr_expect_eq(p.n_kernels, KI_PLUGIN_KERNELS_MAX);
	cr_expect_eq(p.n_refused, 0);
	cr_expect_eq(ki_plugin_kernel(&p, "k255"), &p.kernels[255]);
	ki_plugin_release(&p);
}

/* ---------------------------------------------------------------- refused */

Test(load, a_plugin_that_breaks_a_rule_is_refused_with_the_field)
{
	static const struct {
		const char *name;
		const char *error;
	} cases[] = {
		{"major-up", "ABI mismatch: the plugin is built for ABI 2.0, this host has 1.0"},
		{"major-down", "ABI mismatch: the plugin is built for ABI 0.9, this host has 1.0"},
		{"needs-newer-host",
		 "ABI mismatch: the plugin (ABI 1.7) needs a host of ABI 1.5 or later, this host "
		 "has 1.0"},
		{"size-zero",
		 "bad struct_size 0 of the plugin: expected 72 to 4096, a multiple of 8"},
		{"size-24", "bad struct_size 24 of the plugin"},
		{"size-huge", "bad struct_size 4294967280 of the plugin"},
		{"size-odd", "bad struct_size 84 of the plugin"},
		{"refuses", "plugin refused: needs AVX-512, this CPU has none"},
		{"refuses-silently", "plugin refused: no reason given"},
		{"refuses-with-bytes", "plugin refused: a reason that is not plain text"},
		{"null-id", "bad descriptor: id is NULL"},
		{"null-version", "bad descriptor: version is NULL"},
		{"null-license", "bad descriptor: license is NULL"},
		{"null-kernels", "bad descriptor: kernels is NULL"},
		{"no-kernels", "bad descriptor: kernels is an empty list"},
		{"too-many-kernels", "bad descriptor: more than 256 kernels"},
		{"bad-id",
		 "bad descriptor: id \"Org/Example\" does not match [a-z0-9][a-z0-9._-]{2,127}"},
		{"bad-license", "bad descriptor: license \"see the file COPYING\" is not an SPDX"},
		{"bad-text", "bad descriptor: toolchain is not UTF-8"},
		{"long-text", "bad descriptor: vendor is longer than 4096 bytes"},
		{"kernel-bad-alone", "bad descriptor: no usable kernel, the first is refused: "
				     "kernel 1: launch is NULL"},
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		expect_error_of(fixture_path(cases[i].name), cases[i].error);
}

Test(load, a_bad_kernel_is_left_out_with_the_field_and_the_good_one_stays)
{
	static const struct {
		const char *name;
		const char *refused;
	} cases[] = {
		{"kernel-short",
		 "kernel 1: bad struct_size 64: expected 120 to 4096, a multiple of 8"},
		{"kernel-null-launch", "kernel 1: launch is NULL"},
		{"kernel-null-create", "kernel 1: create is NULL"},
		{"kernel-null-supports", "kernel 1: supports is NULL"},
		{"kernel-null-destroy", "kernel 1: destroy is NULL"},
		{"kernel-bad-digest",
		 "kernel 1: source_digest \"md5:d41d8cd98f00b204e9800998ecf8427e\" is not "
		 "sha256: and 64 hexadecimal digits"},
		{"kernel-bad-language",
		 "kernel 1: language \"CUDA C++\" does not match [a-z][a-z0-9_]*"},
		{"kernel-twice", "kernel 2: another kernel has the id \"good\""},
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		struct ki_loaded_plugin p = load(cases[i].name);

		cr_expect_eq(p.n_kernels, 1, "%s", cases[i].name);
		cr_expect_eq(p.n_refused, 1, "%s", cases[i].name);
		cr_expect_str_eq(p.kernels[0].id, "good");
		cr_expect_str_eq(p.refused, cases[i].refused, "%s: %s", cases[i].name, p.refused);
		cr_expect_null(ki_plugin_kernel(&p, "bad"));
		ki_plugin_release(&p);
	}
}

Test(load, the_oldest_host_that_a_plugin_works_with_is_new_enough)
{
	struct ki_loaded_plugin p = load("good");
	const char *path = fixture_path("good");
	struct ki_error e = {0};

	own_descriptor(&p)->min_host_abi = KI_ABI_PACK(1, 5);
	ki_plugin_release(&p);
	cr_expect_eq(ki_plugin_load(&p, path, KI_ABI_PACK(1, 4), &e), KI_FAIL_BACKEND);
	cr_expect(strstr(e.text, "this host has 1.4") != NULL, "%s", e.text);
	ki_error_clear(&e);
	cr_assert_eq(ki_plugin_load(&p, path, KI_ABI_PACK(1, 5), &e), KI_SUCCESS, "%s", e.text);
	ki_plugin_release(&p);
	cr_expect_eq(ki_plugin_load(&p, path, KI_ABI_PACK(2, 5), NULL), KI_FAIL_BACKEND);
}

/* ---------------------------------------------------------------- the shared object */

static char work[PATH_MAX];

static void make_work(void)
{
	folder_make(work);
}

static void remove_work(void)
{
	folder_remove(work);
}

/* Criterion does not run .fini after cr_skip(). */
#define SKIP(reason)                                                                               \
	do {                                                                                       \
		remove_work();                                                                     \
		cr_skip(reason);                                                                   \
	} while (0)

/* A copy of a fixture in the work folder, a string of it replaced by one as long; false: none. */
static bool write_edited(char path[PATH_MAX], const char *name, const char *from, const char *to)
{
	size_t size, n = strlen(from);
	struct ki_error e = {0};
	char *data, *at;
	FILE *f;

	cr_assert_eq(strlen(to), n);
	cr_assert_eq(ki_file_read(&data, &size, fixture_path(name), (size_t)1 << 26, &e), 0);
	at = memmem(data, size, from, n + 1);
	if (at != NULL)
		memcpy(at, to, n);
	snprintf(path, PATH_MAX, "%s/%s.so", work, name);
	f = fopen(path, "wb");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(data, 1, size, f), size);
	cr_assert_eq(fclose(f), 0);
	free(data);
	return at != NULL;
}

Test(load, what_the_loader_refuses_is_said_without_the_path)
{
	expect_error_of(fixture_path("undefined-symbol"),
			"dlopen failed: undefined symbol: some_host_function");
	expect_error_of("/nowhere/x.so", "dlopen failed: cannot open shared object file");
	expect_error_of(fixture_path("no-entry"), "no entry symbol: ki_plugin_entry");
	expect_error_of(fixture_path("no-entry-hidden"), "no entry symbol: ki_plugin_entry");
}

Test(load, a_bare_name_is_not_looked_for_among_the_libraries_of_the_system)
{
	struct ki_loaded_plugin p;
	struct ki_error e = {0};

	cr_expect_eq(ki_plugin_load(&p, "libm.so.6", KI_ABI_VERSION, &e), KI_FAIL_INTERNAL);
	cr_expect(strstr(e.text, "no slash") != NULL, "%s", e.text);
}

/* "./good.so" is as long as the name of the library that the fixture was linked against. */
Test(load, the_entry_point_of_a_dependency_is_not_the_plugins, .init = make_work,
     .fini = remove_work)
{
	char path[PATH_MAX], before[PATH_MAX], want[PATH_MAX];

	if (!write_edited(path, "no-entry", "libm.so.6", "./good.so"))
		SKIP("this C library's libm has another name");
	cr_assert_not_null(getcwd(before, sizeof before));
	cr_assert_not_null(realpath(build_folder(), want));
	cr_assert_eq(chdir(want), 0);
	cr_assert_eq(chdir("tests/fixtures"), 0);
	expect_error_of(path, "entry symbol comes from a dependency, ./good.so");
	cr_assert_eq(chdir(before), 0);
}

Test(load, a_name_from_the_file_that_is_no_text_is_not_repeated, .init = make_work,
     .fini = remove_work)
{
	char path[PATH_MAX];

	if (!write_edited(path, "no-entry", "libm.so.6", "\x1b[2Jm.so\xff"))
		SKIP("this C library's libm has another name");
	expect_error_of(path, "dlopen failed: it asks for a name that is not plain text");
}

Test(load, a_newer_c_library_is_named_as_the_cause, .init = make_work, .fini = remove_work)
{
	char path[PATH_MAX];
	struct ki_loaded_plugin p;
	struct ki_error e = {0};

	if (!write_edited(path, "scale", "GLIBC_2.2.5", "GLIBC_9.2.5") &&
	    !write_edited(path, "scale", "GLIBC_2.17", "GLIBC_9.17"))
		SKIP("the fixture needs another version of the C library");
	cr_expect_eq(ki_plugin_load(&p, path, KI_ABI_VERSION, &e), KI_FAIL_BACKEND);
	cr_expect(strstr(e.text, "it was built for a newer C library") != NULL, "%s", e.text);
}

/* ---------------------------------------------------------------- in a process of its own */

/* What became of a process that loads a plugin. */
struct fate {
	int status;    /* as waitpid() gives it */
	bool hung;     /* it was still at it, and was killed */
	bool returned; /* ki_plugin_load() did */
	char printed[256];
};

static void load_in_child(const char *path, int out, bool *returned)
{
	struct ki_loaded_plugin p;
	int rc;

	/* Criterion and the sanitizers have handlers of their own. */
	signal(SIGSEGV, SIG_DFL);
	if (dup2(out, STDOUT_FILENO) < 0)
		_exit(99);
	rc = ki_plugin_load(&p, path, KI_ABI_VERSION, NULL);
	*returned = true;
	_exit(rc == KI_SUCCESS ? 50 : 51);
}

/* What the process prints until it ends, or until wait_ms have passed without a word. */
static void fate_read(struct fate *f, int fd, int wait_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t at = 0;
	ssize_t n;

	while (at < sizeof f->printed - 1) {
		if (poll(&p, 1, wait_ms) == 0) {
			f->hung = true;
			return;
		}
		n = read(fd, f->printed + at, sizeof f->printed - 1 - at);
		if (n == 0 || (n < 0 && errno != EINTR))
			return;
		at += n > 0 ? (size_t)n : 0;
	}
}

static struct fate fate_of(const char *name, int wait_ms)
{
	bool *returned = mmap(NULL, sizeof *returned, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fate f = {0};
	int fds[2];
	pid_t pid;

	cr_assert(returned != MAP_FAILED && pipe(fds) == 0);
	pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		close(fds[0]);
		load_in_child(fixture_path(name), fds[1], returned);
	}
	close(fds[1]);
	fate_read(&f, fds[0], wait_ms);
	if (f.hung)
		kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, &f.status, 0), pid);
	close(fds[0]);
	f.returned = *returned;
	munmap(returned, sizeof *returned);
	return f;
}

Test(load, a_plugin_can_end_the_process_that_loads_it, .timeout = 120)
{
	static const char *const names[] = {"constructor-crash", "entry-crash", "entry-garbage"};
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		struct fate f = fate_of(names[i], 60000);

		cr_expect(WIFSIGNALED(f.status) && WTERMSIG(f.status) == SIGSEGV, "%s: status %x",
			  names[i], (unsigned)f.status);
		cr_expect_not(f.returned || f.hung, "%s", names[i]);
	}
}

Test(load, a_plugin_can_hold_up_the_process_that_loads_it, .timeout = 120)
{
	static const char *const names[] = {"constructor-hang", "entry-hang"};
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		struct fate f = fate_of(names[i], 300);

		cr_expect(f.hung, "%s: status %x", names[i], (unsigned)f.status);
		cr_expect_not(f.returned, "%s", names[i]);
	}
}

/* So an exit status of 0, or a line of output, says nothing of success. */
Test(load, a_plugin_can_leave_as_if_all_were_well, .timeout = 120)
{
	struct fate f = fate_of("constructor-exit0", 60000);

	cr_expect(WIFEXITED(f.status) && WEXITSTATUS(f.status) == 0, "status %x",
		  (unsigned)f.status);
	cr_expect_not(f.returned);
	f = fate_of("constructor-forge", 60000);
	cr_expect(WIFEXITED(f.status) && WEXITSTATUS(f.status) == 0, "status %x",
		  (unsigned)f.status);
	cr_expect_not(f.returned);
	cr_expect(strstr(f.printed, "\"passed\"") != NULL, "%s", f.printed);
}

/* init is not for loading to call: the worker does, when it can report how that went. */
Test(load, loading_does_not_initialise, .timeout = 120)
{
	static const char *const names[] = {"init-crash", "init-fails", "good"};
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		struct fate f = fate_of(names[i], 60000);

		cr_expect(WIFEXITED(f.status) && WEXITSTATUS(f.status) == 50, "%s: status %x",
			  names[i], (unsigned)f.status);
		cr_expect(f.returned, "%s", names[i]);
	}
}
