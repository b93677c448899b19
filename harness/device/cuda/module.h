/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling and loading PTX by the driver, with what its compiler said. */
#ifndef KI_DEVICE_CUDA_MODULE_H
#define KI_DEVICE_CUDA_MODULE_H

#include "device/cuda/driver.h"

/*
 * image is PTX text, NUL-terminated, or a cubin.  On failure the error holds the compiler's first
 * complaint and, when the driver is too old for the PTX, which versions are concerned.
 */
int ki_cuda_module_load(ki_cu_module *out, const struct ki_cuda_driver *d, const void *image,
			struct ki_error *e) KI_MUST_CHECK;

/* A kernel of it, loaded now, so that its first launch costs what the others do. */
int ki_cuda_module_kernel(ki_cu_function *out, const struct ki_cuda_driver *d, ki_cu_module module,
			  const char *name, struct ki_error *e) KI_MUST_CHECK;

#endif
