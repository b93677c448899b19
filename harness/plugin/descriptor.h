/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that a plugin's descriptors keep, as ki_plugin.h states them.
 *
 * Their strings end up in records, in file names and on a terminal, so what is not text, not
 * bounded or not of the shape that Kernel Index requires is refused at the door.
 */
#ifndef KI_PLUGIN_DESCRIPTOR_H
#define KI_PLUGIN_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "ki_plugin.h"

#define KI_DESCRIPTOR_STRING_MAX 4096

/*
 * True when all is well.  Else why (why_size bytes, always NUL-terminated) says which field is
 * wrong and how: "id \"X\" does not match [a-z0-9][a-z0-9._-]{2,127}", "launch is NULL".
 */
bool ki_descriptor_check_plugin(const struct ki_plugin *p, char *why, size_t why_size);
bool ki_descriptor_check_kernel(const struct ki_kernel *k, char *why, size_t why_size);

/*
 * NULL when s is text as a descriptor may hold it: bounded UTF-8 without control characters.  Else
 * what is wrong with it, for a sentence that begins with its name: "is not UTF-8".
 */
const char *ki_descriptor_text_fault(const char *s);

#endif
