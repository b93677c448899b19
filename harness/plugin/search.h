/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a backend or a protocol file is.
 *
 * A path that exists is taken as it is.  Otherwise its last component is looked for in the folders
 * of the environment variable (a colon-separated list, empty ones left out), then beside the
 * program (for a plugin <folder>/plugins and <folder>/../lib/ki-harness/plugins, for a protocol
 * <folder>/protocols and <folder>/../share/ki-harness/protocols), then in the installed folder.
 *
 * A folder found where a file is wanted is passed over.  A file that cannot be read is not: the
 * error of reading it names it, where another of that name further on would be a surprise.
 */
#ifndef KI_PLUGIN_SEARCH_H
#define KI_PLUGIN_SEARCH_H

#include <stdbool.h>

#include "base/error.h"

enum ki_search_kind {
	KI_SEARCH_PLUGIN,  /* KI_PLUGIN_PATH; a name that does not end in ".so" may lack it */
	KI_SEARCH_PROTOCOL /* KI_PROTOCOL_PATH; likewise ".yaml" */
};

/*
 * *out is an absolute path, the caller's to free().  *elsewhere says whether that is another place
 * than the one asked for.  When nothing is found the error lists every folder that was tried.
 */
int ki_search(char **out, bool *elsewhere, enum ki_search_kind kind, const char *name,
	      struct ki_error *e) KI_MUST_CHECK;

#endif
