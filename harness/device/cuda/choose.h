/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the GPUs. */
#ifndef KI_DEVICE_CUDA_CHOOSE_H
#define KI_DEVICE_CUDA_CHOOSE_H

#include "device/cuda/driver.h"

/* "GPU-" and a UUID of 36 characters; a partition of a GPU (MIG) has one of its own. */
#define KI_CUDA_UUID_MAX 48

void ki_cuda_uuid_text(char out[KI_CUDA_UUID_MAX], const struct ki_cu_uuid *uuid);

/*
 * selector: NULL or "" for the first, an index in PCI order, or the beginning of a UUID, with or
 * without "GPU-".  An error lists the devices that there are.
 */
int ki_cuda_choose(ki_cu_device *out, char uuid[KI_CUDA_UUID_MAX], const struct ki_cuda_driver *d,
		   const char *selector, struct ki_error *e) KI_MUST_CHECK;

#endif
