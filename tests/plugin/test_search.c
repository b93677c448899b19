/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several files of one name is taken, and what is said when there is none. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../folder.h"
#include "plugin/search.h"

/* The work folder, which is the current one, and the one that the test started in. */
static char work[PATH_MAX];
static char before[PATH_MAX];

static void enter(void)
{
	cr_assert_not_null(getcwd(before, sizeof before));
	folder_make(work);
	cr_assert_eq(chdir(work), 0);
	unsetenv("KI_PLUGIN_PATH");
	unsetenv("KI_PROTOCOL_PATH");
}

static void leave(void)
{
	cr_assert_eq(chdir(before), 0);
	folder_remove(work);
}

TestSuite(search, .init = enter, .fini = leave);

static void put_folder(const char *path)
{
	cr_assert_eq(mkdir(path, 0777), 0, "%s", path);
}

/* A file below the work folder, and the one folder that it may be in. */
static void put(const char *path)
{
	const char *slash = strchr(path, '/');
	char folder[64];
	FILE *f;

	if (slash != NULL) {
		snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
		mkdir(folder, 0777);
	}
	f = fopen(path, "w");
	cr_assert_not_null(f, "%s", path);
	fclose(f);
}

/* What is found is the file at this path, below the work folder. */
static void expect_found(enum ki_search_kind kind, const char *name, const char *path,
			 bool is_elsewhere)
{
	char want[PATH_MAX];
	struct ki_error e = {0};
	bool elsewhere = !is_elsewhere;
	char *found = NULL;

	snprintf(want, sizeof want, "%s/%s", work, path);
	cr_assert_eq(ki_search(&found, &elsewhere, kind, name, &e), KI_SUCCESS, "%s: %s", name,
		     e.text);
	cr_expect_str_eq(found, want, "%s, expected %s", found, want);
	cr_expect_eq(elsewhere, is_elsewhere, "%s", name);
	free(found);
}

static void expect_plugin(const char *name, const char *path, bool is_elsewhere)
{
	expect_found(KI_SEARCH_PLUGIN, name, path, is_elsewhere);
}

/* Nothing is found, and the error holds this; the whole of it is in e. */
static void expect_nothing(struct ki_error *e, enum ki_search_kind kind, const char *name,
			   const char *text)
{
	char untouched[] = "untouched", *found = untouched;
	bool elsewhere = true;

	ki_error_clear(e);
	cr_expect_neq(ki_search(&found, &elsewhere, kind, name, e), KI_SUCCESS, "%s", name);
	cr_expect(strstr(e->text, text) != NULL, "\"%s\" is not in \"%s\"", text, e->text);
	cr_expect_eq(found, untouched);
	cr_expect_eq(elsewhere, true);
}

static void expect_no_plugin(const char *name, const char *text)
{
	struct ki_error e;

	expect_nothing(&e, KI_SEARCH_PLUGIN, name, text);
}

/* ---------------------------------------------------------------- found */

Test(search, a_path_that_exists_is_taken_as_it_is)
{
	char absolute[PATH_MAX];

	put("a/x.so");
	put("x.so");
	put("b/x.so");
	setenv("KI_PLUGIN_PATH", "b", 1);
	expect_plugin("a/x.so", "a/x.so", false);
	expect_plugin("./a/x.so", "a/x.so", false);
	expect_plugin(".//a/x.so", "a/x.so", false);
	expect_plugin("x.so", "x.so", false);
	expect_plugin("a/x", "a/x.so", false);
	snprintf(absolute, sizeof absolute, "%s/a/x.so", work);
	expect_plugin(absolute, "a/x.so", false);
}

Test(search, otherwise_its_last_component_is_looked_for_in_the_folders_of_the_variable_in_order)
{
	put("a/y.so");
	put("b/x.so");
	put("c/x.so");
	put("c/y.so");
	setenv("KI_PLUGIN_PATH", "a:b:c", 1);
	expect_plugin("x.so", "b/x.so", true);
	expect_plugin("y.so", "a/y.so", true);
	expect_plugin("plugins/x.so", "b/x.so", true);
	expect_plugin("/nowhere/at/all/x.so", "b/x.so", true);
	expect_plugin("a/x.so", "b/x.so", true);
	setenv("KI_PLUGIN_PATH", "c:b:a", 1);
	expect_plugin("x.so", "c/x.so", true);
}

Test(search, folders_of_the_variable_may_be_absolute_and_what_is_found_is)
{
	char path[PATH_MAX];

	put("a/x.so");
	snprintf(path, sizeof path, "%s/a", work);
	setenv("KI_PLUGIN_PATH", path, 1);
	expect_plugin("x.so", "a/x.so", true);
	setenv("KI_PLUGIN_PATH", "./a", 1);
	expect_plugin("x.so", "a/x.so", true);
}

Test(search, a_name_may_lack_its_suffix)
{
	put("a/x.so");
	put("b/x");
	put("b/x.so");
	setenv("KI_PLUGIN_PATH", "a:b", 1);
	expect_plugin("x", "a/x.so", true);
	setenv("KI_PLUGIN_PATH", "b:a", 1);
	expect_plugin("x", "b/x", true);
	put("b/z.so.so");
	expect_no_plugin("z.so", "no such file");
	expect_plugin("z.so.so", "b/z.so.so", true);
}

Test(search, protocols_have_a_variable_and_a_suffix_of_their_own)
{
	struct ki_error e;

	put("plugins/x.yaml");
	put("protocols/x.yaml");
	put("protocols/y.so");
	setenv("KI_PLUGIN_PATH", "plugins", 1);
	setenv("KI_PROTOCOL_PATH", "protocols", 1);
	expect_found(KI_SEARCH_PROTOCOL, "x.yaml", "protocols/x.yaml", true);
	expect_found(KI_SEARCH_PROTOCOL, "x", "protocols/x.yaml", true);
	expect_nothing(&e, KI_SEARCH_PROTOCOL, "y", "KI_PROTOCOL_PATH");
	expect_no_plugin("y", "KI_PLUGIN_PATH");
}

/* The name of a link is the name that the user chose. */
Test(search, a_link_is_not_followed_in_the_path_that_is_found)
{
	put("a/x.so");
	cr_assert_eq(symlink("a/x.so", "link.so"), 0);
	expect_plugin("link.so", "link.so", false);
}

/* ---------------------------------------------------------------- passed over */

Test(search, empty_entries_are_no_folder_least_of_all_the_current_one)
{
	put("x.so");
	put("a/y.so");
	setenv("KI_PLUGIN_PATH", "::", 1);
	expect_no_plugin("sub/x.so", "no such file");
	setenv("KI_PLUGIN_PATH", "", 1);
	expect_no_plugin("sub/x.so", "no such file");
	setenv("KI_PLUGIN_PATH", "::a:", 1);
	expect_plugin("y.so", "a/y.so", true);
	expect_no_plugin("sub/x.so", "no such file");
}

Test(search, a_folder_is_passed_over_where_a_file_is_wanted)
{
	put_folder("x");
	put_folder("a");
	put_folder("a/x.so");
	put("b/x.so");
	setenv("KI_PLUGIN_PATH", "a:b", 1);
	expect_plugin("x.so", "b/x.so", true);
	expect_plugin("x", "b/x.so", true);
	put("x.so");
	expect_plugin("x", "x.so", false);
}

Test(search, entries_that_cannot_be_looked_into_are_passed_over)
{
	static char many[6000];

	put("file");
	put("b/x.so");
	put("locked/x.so");
	cr_assert_eq(symlink("nowhere", "dangling.so"), 0);
	memset(many, 'x', sizeof many - 1);
	memcpy(many + sizeof many - 3, ":b", 3);
	setenv("KI_PLUGIN_PATH", many, 1);
	expect_plugin("x.so", "b/x.so", true);
	setenv("KI_PLUGIN_PATH", "nowhere:file:b", 1);
	expect_plugin("x.so", "b/x.so", true);
	expect_no_plugin("dangling.so", "no such file");
	cr_assert_eq(chmod("locked", 0), 0);
	setenv("KI_PLUGIN_PATH", "locked:b", 1);
	if (access("locked/x.so", F_OK) == 0)
		cr_log_info("not tested: this user may look into any folder");
	else
		expect_plugin("x.so", "b/x.so", true);
	cr_assert_eq(chmod("locked", 0700), 0);
}

/* ---------------------------------------------------------------- not found */

/* The folder that is n components above this program, and what is below it. */
static const char *beside_program(char path[2 * PATH_MAX], int n, const char *below)
{
	char program[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);

	cr_assert_gt(size, 0);
	program[size] = '\0';
	while (n-- > 0)
		*strrchr(program, '/') = '\0';
	snprintf(path, 2 * PATH_MAX, ", %s/%s", program, below);
	return path;
}

Test(search, a_file_that_is_nowhere_has_every_folder_listed_in_order)
{
	char own[2 * PATH_MAX], moved[2 * PATH_MAX];
	struct ki_error e;
	const char *places[] = {"nosuch.so", "KI_PLUGIN_PATH", ": a, b", own,
				moved,       ", " KI_PLUGINDIR};
	const char *at;
	size_t i;

	beside_program(own, 1, "plugins");
	beside_program(moved, 2, "lib/ki-harness/plugins");
	setenv("KI_PLUGIN_PATH", "a:b", 1);
	expect_nothing(&e, KI_SEARCH_PLUGIN, "sub/nosuch.so", "no such file, and no nosuch.so");
	cr_expect_eq(e.code, KI_FAIL_INPUT);
	for (at = e.text, i = 0; i < sizeof places / sizeof places[0] && at != NULL; i++) {
		at = strstr(at, places[i]);
		cr_expect_not_null(at, "\"%s\" is not where it should be in \"%s\"", places[i],
				   e.text);
	}
	expect_nothing(&e, KI_SEARCH_PROTOCOL, "nosuch", KI_PROTOCOLDIR);
}

Test(search, what_is_in_its_place_is_said)
{
	char unending[5001];
	struct ki_error e;

	put_folder("folder");
	put("file");
	memset(unending, 'x', sizeof unending - 1);
	unending[sizeof unending - 1] = '\0';
	expect_no_plugin("folder", "it is a folder, not a file");
	expect_no_plugin("folder/", "it is a folder, not a file");
	expect_nothing(&e, KI_SEARCH_PLUGIN, ".", "it is a folder, not a file");
	cr_expect_str_eq(e.text, "it is a folder, not a file", "no other place has a \".\"");
	expect_nothing(&e, KI_SEARCH_PLUGIN, "..", "it is a folder, not a file");
	cr_expect_str_eq(e.text, "it is a folder, not a file", "no other place has a \"..\"");
	expect_no_plugin("nowhere/", "no such file");
	expect_no_plugin("file/x.so", "no such file");
	expect_no_plugin(unending, "File name too long");
	expect_no_plugin("", "an empty name");
}

Test(search, a_list_without_end_is_not_listed)
{
	size_t n = 5000, i;
	char *list = malloc(n * 16);

	cr_assert_not_null(list);
	for (i = 0; i < n; i++)
		memcpy(list + i * 16, "/nowhere/at/all:", 16);
	list[n * 16 - 1] = '\0';
	setenv("KI_PLUGIN_PATH", list, 1);
	expect_no_plugin("x.so", "too many to list");
	free(list);
}

Test(search, an_error_need_not_be_asked_for)
{
	char *found;
	bool elsewhere;

	cr_expect_eq(ki_search(&found, &elsewhere, KI_SEARCH_PLUGIN, "nosuch", NULL),
		     KI_FAIL_INPUT);
}
