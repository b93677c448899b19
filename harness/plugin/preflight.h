/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can this file be a plugin?  Answered from its bytes, without running any of its code: dlopen()
 * of a truncated file kills the process, and of a foreign architecture says "No such file".
 */
#ifndef KI_PLUGIN_PREFLIGHT_H
#define KI_PLUGIN_PREFLIGHT_H

#include <stddef.h>

enum ki_preflight_verdict {
	KI_PREFLIGHT_OK,
	KI_PREFLIGHT_NOT_ELF,
	KI_PREFLIGHT_TRUNCATED,
	KI_PREFLIGHT_WRONG_MACHINE,
	KI_PREFLIGHT_NOT_SHARED_OBJECT,
	KI_PREFLIGHT_NO_ENTRY_SYMBOL
};

/* "ok", "not-elf", "truncated", "wrong-machine", "not-shared-object", "no-entry-symbol". */
const char *ki_preflight_name(enum ki_preflight_verdict v);

/*
 * Judges the size bytes at image, which need no alignment and are not trusted.  why (why_size
 * bytes, always NUL-terminated) receives one sentence for a person, "" when the verdict is
 * KI_PREFLIGHT_OK.
 */
enum ki_preflight_verdict ki_preflight(const void *image, size_t size, char *why, size_t why_size);

#endif
