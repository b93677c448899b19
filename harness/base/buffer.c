/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

static char empty_text[1];

void ki_buffer_init(struct ki_buffer *b, size_t limit)
{
	*b = (struct ki_buffer){.data = empty_text, .limit = limit};
}

void ki_buffer_fini(struct ki_buffer *b)
{
	if (b->data != empty_text)
		free(b->data);
	ki_buffer_init(b, b->limit);
}

static bool buffer_reserve(struct ki_buffer *b, size_t more)
{
	size_t want, capacity;
	char *data;

	if (b->failed || more > b->limit - b->size) {
		b->failed = true;
		return false;
	}
	want = b->size + more + 1;
	if (want <= b->capacity)
		return true;
	capacity = b->capacity ? b->capacity : 64;
	while (capacity < want)
		capacity += capacity / 2;
	data = realloc(b->data == empty_text ? NULL : b->data, capacity);
	if (data == NULL) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->capacity = capacity;
	return true;
}

void ki_buffer_append(struct ki_buffer *b, const void *data, size_t size)
{
	if (!buffer_reserve(b, size))
		return;
	if (size > 0)
		memcpy(b->data + b->size, data, size);
	b->size += size;
	b->data[b->size] = '\0';
}

void ki_buffer_puts(struct ki_buffer *b, const char *text)
{
	ki_buffer_append(b, text, strlen(text));
}

void ki_buffer_printf(struct ki_buffer *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !buffer_reserve(b, (size_t)n)) {
		b->failed = true;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(b->data + b->size, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->size += (size_t)n;
}

void ki_buffer_rewind(struct ki_buffer *b, size_t size)
{
	if (b->size <= size)
		return;
	b->size = size;
	b->data[size] = '\0';
}

char *ki_buffer_steal(struct ki_buffer *b)
{
	char *data = NULL;

	if (!b->failed)
		data = b->data == empty_text ? calloc(1, 1) : b->data;
	if (data != NULL && data == b->data)
		b->data = empty_text;
	ki_buffer_fini(b);
	return data;
}
