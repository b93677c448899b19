/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "measure/do_bench.h"
#include "measure/method.h"

static const struct ki_method *const method_table[] = {&ki_method_do_bench};

const struct ki_method *ki_method_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof method_table / sizeof method_table[0]; i++)
		if (strcmp(method_table[i]->name, name) == 0)
			return method_table[i];
	return NULL;
}
