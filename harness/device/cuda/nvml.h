/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NVIDIA's management library says of a GPU.  It is optional throughout, and only read: no
 * clock, limit or mode is ever set.
 */
#ifndef KI_DEVICE_CUDA_NVML_H
#define KI_DEVICE_CUDA_NVML_H

#include <jansson.h>
#include <stdbool.h>

struct ki_nvml;

/* uuid is "GPU-..." as the driver has it.  NULL when the library or the device is not there. */
struct ki_nvml *ki_nvml_open(const char *uuid);
void ki_nvml_close(struct ki_nvml *n);

/* "580.65.06"; "" when not known.  n may be NULL. */
const char *ki_nvml_driver(const struct ki_nvml *n);

/* {"eccEnabled", "persistenceMode", "powerLimitWatts"}, as far as known, as Kernel Index has them.
 */
json_t *ki_nvml_settings(const struct ki_nvml *n);

/*
 * What changes while it runs: clocks and their maxima in MHz, temperature in degrees Celsius, power
 * in milliwatts, and why the clocks are where they are (NVML's bits), as far as known.
 */
json_t *ki_nvml_state(const struct ki_nvml *n);

#endif
