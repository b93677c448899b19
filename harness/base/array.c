/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"

void *ki_array_grow(void *data, size_t *capacity, size_t count, size_t item_bytes)
{
	size_t want = *capacity == 0 ? 4 : *capacity * 2;
	void *bigger;

	if (count < *capacity)
		return data;
	bigger = reallocarray(data, want, item_bytes);
	if (bigger != NULL)
		*capacity = want;
	return bigger;
}
