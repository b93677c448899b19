/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU as a device: CLOCK_MONOTONIC_RAW, threads on the CPUs of the affinity mask. */
#ifndef KI_DEVICE_CPU_H
#define KI_DEVICE_CPU_H

#include "device/device.h"

extern const struct ki_device_ops ki_device_cpu;

#endif
