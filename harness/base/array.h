/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_BASE_ARRAY_H
#define KI_BASE_ARRAY_H

#include <stddef.h>

/*
 * data with room for one more item behind count items of item_bytes, or NULL when memory ran out;
 * data then still is what it was.
 */
void *ki_array_grow(void *data, size_t *capacity, size_t count, size_t item_bytes);

#endif
