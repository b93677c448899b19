/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "plugin/search.h"

#ifndef KI_PLUGINDIR
#error "KI_PLUGINDIR, the folder of installed plugins, is to be defined on the command line"
#endif
#ifndef KI_PROTOCOLDIR
#error "KI_PROTOCOLDIR, the folder of installed protocols, is to be defined on the command line"
#endif

#define SEARCH_TRIED_MAX 65536

struct search_kind {
	const char *variable;
	const char *suffix;
	const char *beside; /* below the program's folder: a build folder */
	const char *prefix; /* below its parent: an installed tree that was moved */
	const char *installed;
};

static const struct search_kind search_kinds[] = {
	[KI_SEARCH_PLUGIN] = {"KI_PLUGIN_PATH", ".so", "plugins", "lib/ki-harness/plugins",
			      KI_PLUGINDIR},
	[KI_SEARCH_PROTOCOL] = {"KI_PROTOCOL_PATH", ".yaml", "protocols",
				"share/ki-harness/protocols", KI_PROTOCOLDIR},
};

struct search {
	const struct search_kind *kind;
	const char *base; /* the last component of what was asked for */
	char *found;
	struct ki_buffer tried; /* folders, for the message, ", " between them */
	struct ki_error *e;
};

/* ---------------------------------------------------------------- one place */

/* folder/name, and suffix behind it; just name when folder is NULL. */
static char *search_join(const char *folder, const char *name, const char *suffix)
{
	struct ki_buffer b;

	ki_buffer_init(&b, PATH_MAX - 1);
	if (folder != NULL)
		ki_buffer_printf(&b, "%s/", folder);
	ki_buffer_puts(&b, name);
	ki_buffer_puts(&b, suffix);
	return ki_buffer_steal(&b);
}

/* Not realpath(): the name of a link is the name that the user chose. */
static char *search_absolute(const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/')
		return search_join(NULL, path, "");
	while (strncmp(path, "./", 2) == 0)
		path += 2 + strspn(path + 2, "/");
	if (getcwd(here, sizeof here) == NULL)
		return NULL;
	return search_join(strcmp(here, "/") == 0 ? "" : here, path, "");
}

/* Takes path when a file, or something else that can be read like one, is there. */
static int search_take(struct search *s, char *path)
{
	struct stat st;
	int rc = KI_SUCCESS;

	/* Longer than any path can be: nothing is there. */
	if (path == NULL)
		return KI_SUCCESS;
	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		s->found = search_absolute(path);
		if (s->found == NULL)
			rc = ki_error_set(s->e, KI_FAIL_SYSTEM, "%s has no absolute path", path);
	}
	free(path);
	return rc;
}

static bool search_ends_in(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

/* name in folder, or as it is when that is NULL; then with the suffix that it may lack. */
static int search_name(struct search *s, const char *folder, const char *name)
{
	int rc = search_take(s, search_join(folder, name, ""));

	if (rc == KI_SUCCESS && s->found == NULL && !search_ends_in(name, s->kind->suffix))
		rc = search_take(s, search_join(folder, name, s->kind->suffix));
	return rc;
}

static int search_folder(struct search *s, const char *folder)
{
	if (s->found != NULL)
		return KI_SUCCESS;
	ki_buffer_printf(&s->tried, "%s%s", s->tried.size > 0 ? ", " : "", folder);
	return search_name(s, folder, s->base);
}

/* ---------------------------------------------------------------- many places */

static int search_variable(struct search *s)
{
	const char *list = getenv(s->kind->variable);
	int rc = KI_SUCCESS;

	while (list != NULL && *list != '\0' && rc == KI_SUCCESS) {
		size_t n = strcspn(list, ":");
		char *folder = n > 0 ? strndup(list, n) : NULL;

		if (n > 0 && folder == NULL)
			return ki_error_set(s->e, KI_FAIL_MEMORY, "out of memory");
		if (folder != NULL)
			rc = search_folder(s, folder);
		free(folder);
		list += n;
		list += *list == ':';
	}
	return rc;
}

/* Cuts the last component off; false when there is none. */
static bool search_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

static int search_below(struct search *s, const char *folder, const char *name)
{
	char *path = search_join(folder, name, "");
	int rc = path != NULL ? search_folder(s, path) : KI_SUCCESS;

	free(path);
	return rc;
}

static int search_beside_program(struct search *s, char *prefix, size_t prefix_size)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	int rc;

	/* Without /proc there is no telling where the program is; the other folders remain. */
	if (n <= 0)
		return KI_SUCCESS;
	program[n] = '\0';
	if (!search_parent(program))
		return KI_SUCCESS;
	rc = search_below(s, program, s->kind->beside);
	if (rc != KI_SUCCESS || !search_parent(program))
		return rc;
	snprintf(prefix, prefix_size, "%s/%s", program, s->kind->prefix);
	return search_folder(s, prefix);
}

static int search_everywhere(struct search *s)
{
	char prefix[PATH_MAX + 64] = "";
	int rc = search_variable(s);

	if (rc == KI_SUCCESS)
		rc = search_beside_program(s, prefix, sizeof prefix);
	/* The program is usually installed beside it, and then this was the last folder. */
	if (rc == KI_SUCCESS && strcmp(prefix, s->kind->installed) != 0)
		rc = search_folder(s, s->kind->installed);
	return rc;
}

/* ---------------------------------------------------------------- the answer */

/* What is at the place that was asked for, and every other place that was tried. */
static int search_failed(const struct search *s, const char *name)
{
	const char *what = "no such file", *tried = s->tried.data;
	char reason[128];
	struct stat st;

	if (stat(name, &st) == 0)
		what = "it is a folder, not a file";
	else if (errno != ENOENT && errno != ENOTDIR)
		what = strerror_r(errno, reason, sizeof reason);
	if (s->tried.failed)
		tried = "too many to list";
	if (s->tried.size == 0)
		return ki_error_set(s->e, KI_FAIL_INPUT, "%s", what);
	return ki_error_set(s->e, KI_FAIL_INPUT,
			    "%s, and no %s in the folders of %s, of the program and of the "
			    "installation: %s",
			    what, s->base, s->kind->variable, tried);
}

int ki_search(char **out, bool *elsewhere, enum ki_search_kind kind, const char *name,
	      struct ki_error *e)
{
	struct search s = {.kind = &search_kinds[kind], .e = e};
	const char *slash = strrchr(name, '/');
	bool moved = false;
	int rc;

	s.base = slash != NULL ? slash + 1 : name;
	if (name[0] == '\0')
		return ki_error_set(e, KI_FAIL_USAGE, "an empty name");
	ki_buffer_init(&s.tried, SEARCH_TRIED_MAX);
	rc = search_name(&s, NULL, name);
	/* "folder/" and ".." end in nothing that a file could be called. */
	if (rc == KI_SUCCESS && s.found == NULL && s.base[0] != '\0' && strcmp(s.base, ".") != 0 &&
	    strcmp(s.base, "..") != 0) {
		moved = true;
		rc = search_everywhere(&s);
	}
	if (rc == KI_SUCCESS && s.found == NULL)
		rc = search_failed(&s, name);
	ki_buffer_fini(&s.tried);
	if (rc != KI_SUCCESS)
		return rc;
	*out = s.found;
	*elsewhere = moved;
	return KI_SUCCESS;
}
