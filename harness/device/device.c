/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "device/cpu.h"
#include "device/cuda/cuda.h"
#include "device/device.h"

static const struct ki_device_ops *const device_table[] = {&ki_device_cpu, &ki_device_cuda};

const struct ki_device_ops *ki_device_ops(const char *kind)
{
	size_t i;

	for (i = 0; i < sizeof device_table / sizeof device_table[0]; i++)
		if (strcmp(device_table[i]->kind, kind) == 0)
			return device_table[i];
	return NULL;
}
