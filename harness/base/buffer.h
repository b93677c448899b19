/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growable text or byte buffer with a mandatory maximum.
 *
 * Appending past the maximum, or when memory runs out, marks the buffer as
 * failed and drops the append; it never truncates silently.  data is always
 * NUL-terminated (the NUL is not counted in size).
 */
#ifndef KI_BASE_BUFFER_H
#define KI_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct ki_buffer {
	char *data; /* "" while empty; owned */
	size_t size;
	size_t capacity;
	size_t limit;
	bool failed;
};

void ki_buffer_init(struct ki_buffer *b, size_t limit);
void ki_buffer_fini(struct ki_buffer *b);
void ki_buffer_append(struct ki_buffer *b, const void *data, size_t size);
void ki_buffer_puts(struct ki_buffer *b, const char *text);
void ki_buffer_printf(struct ki_buffer *b, const char *fmt, ...) KI_PRINTF(2, 3);

/* Drops what was appended beyond size bytes; a buffer that is shorter stays as it is. */
void ki_buffer_rewind(struct ki_buffer *b, size_t size);

/* The text, whose ownership passes to the caller (free()); NULL when the buffer failed. */
char *ki_buffer_steal(struct ki_buffer *b);

#endif
