/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading a plugin, in a worker, and copying what it says of itself.
 *
 * Only the first 16 bytes of what ki_plugin_entry() returns are read before the versions agree;
 * after that the descriptors are copied by min(struct_size, ours) into zeroed structs of ours and
 * the originals are never looked at again.
 */
#ifndef KI_PLUGIN_LOAD_H
#define KI_PLUGIN_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ki_plugin.h"

#define KI_PLUGIN_KERNELS_MAX 256
#define KI_PLUGIN_REFUSED_MAX 400

/*
 * A descriptor below the least size lacks what a plugin cannot do without; one above the greatest
 * is no descriptor.
 */
#define KI_PLUGIN_STRUCT_MIN offsetof(struct ki_plugin, init)
#define KI_PLUGIN_KERNEL_STRUCT_MIN offsetof(struct ki_kernel, extension)
#define KI_PLUGIN_STRUCT_MAX 4096

/* A plugin with its descriptors copied.  Strings point into the plugin, checked (descriptor.h). */
struct ki_loaded_plugin {
	void *handle;
	struct ki_plugin plugin;
	size_t n_kernels;
	struct ki_kernel *kernels;
	/* Kernels that were left out because their descriptor is bad, and why the first was:
	 * "kernel 2: launch is NULL", counted from 1 in the plugin's order; "" when none was. */
	size_t n_refused;
	char refused[KI_PLUGIN_REFUSED_MAX];
};

/*
 * path holds a slash: a bare name would be searched among the system's libraries.  Runs the
 * plugin's constructors and its entry point, so this is for a process that may die of it.
 *
 * host_abi is KI_ABI_VERSION but in tests.  Errors are one sentence that starts with what is
 * wrong: "dlopen failed: ...", "no entry symbol", "entry symbol comes from a dependency, ...",
 * "plugin refused: ...", "ABI mismatch: ...", "bad struct_size ...", "bad descriptor: ...".
 */
int ki_plugin_load(struct ki_loaded_plugin *out, const char *path, uint32_t host_abi,
		   struct ki_error *e) KI_MUST_CHECK;

/* The kernel with this id, or NULL. */
const struct ki_kernel *ki_plugin_kernel(const struct ki_loaded_plugin *p, const char *id);

/* Frees the copies.  The shared object stays loaded: its threads may still run. */
void ki_plugin_release(struct ki_loaded_plugin *p);

#endif
