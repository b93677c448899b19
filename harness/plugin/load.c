/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/descriptor.h"
#include "plugin/load.h"

#define LOAD_WHY_MAX 256

/* What is read of a descriptor before the versions agree; the same in every major. */
struct load_prefix {
	uint32_t struct_size;
	uint32_t abi_version;
	uint32_t min_host_abi;
	uint32_t reserved0;
};
_Static_assert(sizeof(struct load_prefix) == offsetof(struct ki_plugin, id),
	       "the prefix is what lies before id");

/* ---------------------------------------------------------------- opening */

/* Names that come from the file end up on a terminal and in JSON. */
static const char *load_shown(const char *text, const char *otherwise)
{
	return ki_descriptor_text_fault(text) == NULL ? text : otherwise;
}

/* The loader's sentence begins with the path, which the caller knows better. */
static int load_dlopen_failed(const char *path, struct ki_error *e)
{
	const char *text = dlerror();
	size_t n = strlen(path);

	if (text == NULL)
		text = "no reason given";
	if (strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0)
		text += n + 2;
	text = load_shown(text, "it asks for a name that is not plain text");
	if (strstr(text, "version `GLIBC_") != NULL)
		return ki_error_set(e, KI_FAIL_BACKEND,
				    "dlopen failed: %s; it was built for a newer C library", text);
	return ki_error_set(e, KI_FAIL_BACKEND, "dlopen failed: %s", text);
}

/* dlsym() finds a symbol of a dependency too; that would be somebody else's plugin. */
static int load_is_own(void *handle, void *symbol, struct ki_error *e)
{
	struct link_map *wanted = NULL, *found = NULL;
	Dl_info info = {0};

	if (dladdr1(symbol, &info, (void **)&found, RTLD_DL_LINKMAP) == 0 ||
	    dlinfo(handle, RTLD_DI_LINKMAP, &wanted) != 0)
		return ki_error_set(e, KI_FAIL_BACKEND, "entry symbol lies in no file");
	if (wanted != found)
		return ki_error_set(e, KI_FAIL_BACKEND, "entry symbol comes from a dependency, %s",
				    load_shown(info.dli_fname, "whose name is not plain text"));
	return KI_SUCCESS;
}

static int load_open(void **handle, ki_plugin_entry_fn *entry, const char *path, struct ki_error *e)
{
	void *symbol;
	int rc;

	if (strchr(path, '/') == NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "the path of a plugin has no slash: %s",
				    path);
	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (*handle == NULL)
		return load_dlopen_failed(path, e);
	symbol = dlsym(*handle, KI_ENTRY_SYMBOL);
	if (symbol == NULL)
		return ki_error_set(e, KI_FAIL_BACKEND, "no entry symbol: %s is not in it",
				    KI_ENTRY_SYMBOL);
	rc = load_is_own(*handle, symbol, e);
	/* ISO C has no conversion from an object pointer to a function pointer. */
	if (rc == KI_SUCCESS)
		memcpy(entry, &symbol, sizeof *entry);
	return rc;
}

static int load_enter(const struct ki_plugin **out, ki_plugin_entry_fn entry, uint32_t host_abi,
		      struct ki_error *e)
{
	char why[LOAD_WHY_MAX] = "";

	*out = entry(host_abi, why, sizeof why);
	if (*out != NULL)
		return KI_SUCCESS;
	why[sizeof why - 1] = '\0';
	return ki_error_set(e, KI_FAIL_BACKEND, "plugin refused: %s",
			    why[0] == '\0' ? "no reason given"
					   : load_shown(why, "a reason that is not plain text"));
}

/* ---------------------------------------------------------------- copying */

static int load_agree(const struct load_prefix *p, uint32_t host_abi, struct ki_error *e)
{
	if (KI_ABI_MAJOR_OF(p->abi_version) != KI_ABI_MAJOR_OF(host_abi))
		return ki_error_set(e, KI_FAIL_BACKEND,
				    "ABI mismatch: the plugin is built for ABI %u.%u, this host "
				    "has %u.%u",
				    KI_ABI_MAJOR_OF(p->abi_version),
				    KI_ABI_MINOR_OF(p->abi_version), KI_ABI_MAJOR_OF(host_abi),
				    KI_ABI_MINOR_OF(host_abi));
	if (p->min_host_abi > host_abi)
		return ki_error_set(
			e, KI_FAIL_BACKEND,
			"ABI mismatch: the plugin (ABI %u.%u) needs a host of ABI "
			"%u.%u or later, this host has %u.%u",
			KI_ABI_MAJOR_OF(p->abi_version), KI_ABI_MINOR_OF(p->abi_version),
			KI_ABI_MAJOR_OF(p->min_host_abi), KI_ABI_MINOR_OF(p->min_host_abi),
			KI_ABI_MAJOR_OF(host_abi), KI_ABI_MINOR_OF(host_abi));
	return KI_SUCCESS;
}

/*
 * Whether a descriptor can have this size.  Every field beyond the first is a pointer or a pair of
 * 32-bit numbers, so a size that is no multiple of 8 would cut one in two.
 */
static bool load_size_ok(uint32_t size, size_t least)
{
	return size >= least && size <= KI_PLUGIN_STRUCT_MAX && size % sizeof(void *) == 0;
}

/* out is zeroed; what theirs does not have stays so. */
static void load_copy(void *out, size_t out_size, const void *theirs, uint32_t their_size)
{
	memcpy(out, theirs, their_size < out_size ? their_size : out_size);
}

static int load_plugin(struct ki_plugin *out, const void *theirs, uint32_t host_abi,
		       struct ki_error *e)
{
	struct load_prefix prefix;
	char why[LOAD_WHY_MAX];
	int rc;

	load_copy(&prefix, sizeof prefix, theirs, sizeof prefix);
	rc = load_agree(&prefix, host_abi, e);
	if (rc != KI_SUCCESS)
		return rc;
	if (!load_size_ok(prefix.struct_size, KI_PLUGIN_STRUCT_MIN))
		return ki_error_set(e, KI_FAIL_BACKEND,
				    "bad struct_size %u of the plugin: expected %zu to %d, a "
				    "multiple of %zu",
				    prefix.struct_size, KI_PLUGIN_STRUCT_MIN, KI_PLUGIN_STRUCT_MAX,
				    sizeof(void *));
	load_copy(out, sizeof *out, theirs, prefix.struct_size);
	if (!ki_descriptor_check_plugin(out, why, sizeof why))
		return ki_error_set(e, KI_FAIL_BACKEND, "bad descriptor: %s", why);
	return KI_SUCCESS;
}

/* ---------------------------------------------------------------- kernels */

static bool load_kernel(struct ki_kernel *out, const struct ki_loaded_plugin *p, const void *theirs,
			char *why, size_t why_size)
{
	struct ki_kernel k = {0};
	uint32_t size;

	memcpy(&size, theirs, sizeof size);
	if (!load_size_ok(size, KI_PLUGIN_KERNEL_STRUCT_MIN)) {
		snprintf(why, why_size, "bad struct_size %u: expected %zu to %d, a multiple of %zu",
			 size, KI_PLUGIN_KERNEL_STRUCT_MIN, KI_PLUGIN_STRUCT_MAX, sizeof(void *));
		return false;
	}
	load_copy(&k, sizeof k, theirs, size);
	if (!ki_descriptor_check_kernel(&k, why, why_size))
		return false;
	if (ki_plugin_kernel(p, k.id) != NULL) {
		snprintf(why, why_size, "another kernel has the id \"%s\"", k.id);
		return false;
	}
	*out = k;
	return true;
}

/* The list, each of its entries read once.  KI_PLUGIN_KERNELS_MAX + 1 of them: too long. */
static size_t load_list(const void *list[KI_PLUGIN_KERNELS_MAX + 1], const struct ki_plugin *p)
{
	const unsigned char *theirs = (const void *)p->kernels;
	size_t n;

	for (n = 0; n <= KI_PLUGIN_KERNELS_MAX; n++) {
		/* A bad pointer may be misaligned too, which no assignment survives for sure. */
		memcpy(&list[n], theirs + n * sizeof list[n], sizeof list[n]);
		if (list[n] == NULL)
			return n;
	}
	return n;
}

static int load_kernels(struct ki_loaded_plugin *p, struct ki_error *e)
{
	const void *theirs[KI_PLUGIN_KERNELS_MAX + 1];
	char why[LOAD_WHY_MAX];
	size_t n = load_list(theirs, &p->plugin), i;

	if (n == 0)
		return ki_error_set(e, KI_FAIL_BACKEND, "bad descriptor: kernels is an empty list");
	if (n > KI_PLUGIN_KERNELS_MAX)
		return ki_error_set(e, KI_FAIL_BACKEND, "bad descriptor: more than %d kernels",
				    KI_PLUGIN_KERNELS_MAX);
	p->kernels = calloc(n, sizeof *p->kernels);
	if (p->kernels == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	for (i = 0; i < n; i++) {
		if (load_kernel(&p->kernels[p->n_kernels], p, theirs[i], why, sizeof why)) {
			p->n_kernels++;
			continue;
		}
		if (p->n_refused++ == 0)
			snprintf(p->refused, sizeof p->refused, "kernel %zu: %s", i + 1, why);
	}
	if (p->n_kernels == 0)
		return ki_error_set(e, KI_FAIL_BACKEND,
				    "bad descriptor: no usable kernel, the first is refused: %s",
				    p->refused);
	return KI_SUCCESS;
}

int ki_plugin_load(struct ki_loaded_plugin *out, const char *path, uint32_t host_abi,
		   struct ki_error *e)
{
	struct ki_loaded_plugin p = {0};
	const struct ki_plugin *theirs = NULL;
	ki_plugin_entry_fn entry = NULL;
	int rc = load_open(&p.handle, &entry, path, e);

	if (rc == KI_SUCCESS)
		rc = load_enter(&theirs, entry, host_abi, e);
	if (rc == KI_SUCCESS)
		rc = load_plugin(&p.plugin, theirs, host_abi, e);
	if (rc == KI_SUCCESS)
		rc = load_kernels(&p, e);
	if (rc != KI_SUCCESS) {
		ki_plugin_release(&p);
		return rc;
	}
	*out = p;
	return KI_SUCCESS;
}

const struct ki_kernel *ki_plugin_kernel(const struct ki_loaded_plugin *p, const char *id)
{
	size_t i;

	for (i = 0; i < p->n_kernels; i++) {
		const char *known = p->kernels[i].id;

		if (known != NULL && strcmp(known, id) == 0)
			return &p->kernels[i];
	}
	return NULL;
}

void ki_plugin_release(struct ki_loaded_plugin *p)
{
	free(p->kernels);
	memset(p, 0, sizeof *p);
}
