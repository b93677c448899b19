/* SPDX-License-Identifier: Apache-2.0 */
/* An NVIDIA GPU, through the driver alone. */
#ifndef KI_DEVICE_CUDA_CUDA_H
#define KI_DEVICE_CUDA_CUDA_H

#include "device/device.h"

/*
 * The primary context of one device, which is current in the calling thread from open to close; a
 * stream of its own, never the default one; event pairs; a write flush by memset.
 */
extern const struct ki_device_ops ki_device_cuda;

#endif
