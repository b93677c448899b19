/* SPDX-License-Identifier: Apache-2.0 */
/* What a timing method times: one launch, on a device. */
#ifndef KI_MEASURE_SUBJECT_H
#define KI_MEASURE_SUBJECT_H

#include "base/error.h"
#include "device/device.h"

struct ki_subject {
	const struct ki_device_ops *ops;
	struct ki_device_handle *device;
	/*
	 * Before each launch, outside of any timed span and before its flush: what the kernel
	 * needs done anew (scratch zeroed).  NULL when that is nothing.
	 */
	int (*ready)(void *context, struct ki_error *e);
	/* Enqueues one launch of the kernel, on operands that are in place. */
	int (*launch)(void *context, struct ki_error *e);
	void *context;
};

#endif
