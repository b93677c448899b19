/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver, opened at run time and never closed: a library with threads of its own must not
 * be unloaded.  In a worker alone; the supervisor starts no CUDA.
 */
#ifndef KI_DEVICE_CUDA_DRIVER_H
#define KI_DEVICE_CUDA_DRIVER_H

#include <stdbool.h>

#include "base/error.h"
#include "device/cuda/api.h"

struct ki_cuda_driver {
	struct ki_cu_api api;
	int version; /* of the API that the driver supports: 12020 */
	int n_devices;
	char path[1024]; /* of the library that was loaded; "" when not known */
	void *handle;    /* of dlopen() */
};

/* Why there is no device to use; each has a sentence with the remedy. */
enum ki_cuda_state {
	KI_CUDA_READY,
	KI_CUDA_DISABLED,   /* KI_LIBCUDA is set to nothing */
	KI_CUDA_NO_LIBRARY, /* no driver is installed */
	KI_CUDA_STUB,       /* the toolkit's library to link with, not a driver */
	KI_CUDA_TOO_OLD,    /* functions of CUDA 11.0 are missing, or the kernel driver's older */
	KI_CUDA_NO_DEVICE,  /* a driver, and no GPU that it can see */
	KI_CUDA_NO_DEVICE_NODE, /* a driver's library in a container without /dev/nvidia* */
	KI_CUDA_BROKEN          /* everything else */
};

/*
 * KI_LIBCUDA names another library than libcuda.so.1; empty, none.  On failure *state says why, and
 * the error (KI_FAIL_INPUT) says so in a sentence.
 */
int ki_cuda_driver_open(struct ki_cuda_driver *out, enum ki_cuda_state *state,
			struct ki_error *e) KI_MUST_CHECK;

/*
 * KI_SUCCESS, or an error: "what: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal ...".  Out of memory
 * is KI_FAIL_MEMORY, all else KI_FAIL_BACKEND when the context is beyond use, KI_FAIL_SYSTEM when
 * it is not; native is the driver's number.
 */
int ki_cuda_check(const struct ki_cuda_driver *d, ki_cu_result r, const char *what,
		  struct ki_error *e);

/* A function of the driver by its exported name ("cuMemAlloc_v2"), or NULL. */
void *ki_cuda_driver_proc(const struct ki_cuda_driver *d, const char *symbol);

/* True when only the end of the process recovers from it. */
bool ki_cuda_is_sticky(ki_cu_result r);

#endif
