/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/nvml.h"

/* From NVML's reference (nvml.h of CUDA 11 to 13): values and signatures in our own words. */
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_TEMPERATURE_GPU = 0 };

typedef struct nvml_device_st *nvml_device;
typedef unsigned long long nvml_reasons;

#define NVML_FUNCTIONS(X)                                                                          \
	X(init, "nvmlInit_v2", (void))                                                             \
	X(shutdown, "nvmlShutdown", (void))                                                        \
	X(driver_version, "nvmlSystemGetDriverVersion", (char *, unsigned))                        \
	X(handle_by_uuid, "nvmlDeviceGetHandleByUUID", (const char *, nvml_device *))              \
	X(clock, "nvmlDeviceGetClockInfo", (nvml_device, int, unsigned *))                         \
	X(max_clock, "nvmlDeviceGetMaxClockInfo", (nvml_device, int, unsigned *))                  \
	X(ecc_mode, "nvmlDeviceGetEccMode", (nvml_device, int *, int *))                           \
	X(persistence_mode, "nvmlDeviceGetPersistenceMode", (nvml_device, int *))                  \
	X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (nvml_device, unsigned *))               \
	X(power, "nvmlDeviceGetPowerUsage", (nvml_device, unsigned *))                             \
	X(temperature, "nvmlDeviceGetTemperature", (nvml_device, int, unsigned *))                 \
	X(clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons", (nvml_device, nvml_reasons *))  \
	X(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons",                           \
	  (nvml_device, nvml_reasons *))

struct ki_nvml {
	void *library;
	nvml_device device;
	char driver[81];
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator */
#define NVML_MEMBER(field, symbol, parameters) int(*field) parameters;
	NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

static void nvml_symbols(struct ki_nvml *n)
{
#define NVML_LOAD(field, symbol, parameters)                                                       \
	do {                                                                                       \
		void *address = dlsym(n->library, symbol);                                         \
		memcpy(&n->field, &address, sizeof address);                                       \
	} while (0);
	NVML_FUNCTIONS(NVML_LOAD)
#undef NVML_LOAD
}

struct ki_nvml *ki_nvml_open(const char *uuid)
{
	struct ki_nvml *n = calloc(1, sizeof *n);

	if (n == NULL)
		return NULL;
	n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (n->library == NULL)
		n->library = dlopen("/usr/lib/wsl/lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (n->library == NULL)
		goto failed;
	nvml_symbols(n);
	if (n->init == NULL || n->shutdown == NULL || n->handle_by_uuid == NULL || n->init() != 0)
		goto failed;
	if (n->handle_by_uuid(uuid, &n->device) != 0) {
		n->shutdown();
		goto failed;
	}
	if (n->driver_version != NULL && n->driver_version(n->driver, sizeof n->driver - 1) != 0)
		n->driver[0] = '\0';
	return n;
failed:
	free(n);
	return NULL;
}

void ki_nvml_close(struct ki_nvml *n)
{
	if (n == NULL)
		return;
	n->shutdown();
	free(n);
}

const char *ki_nvml_driver(const struct ki_nvml *n)
{
	return n != NULL ? n->driver : "";
}

json_t *ki_nvml_settings(const struct ki_nvml *n)
{
	json_t *o = json_object();
	int now = 0, pending = 0;
	unsigned milliwatts = 0;

	if (n == NULL)
		return o;
	if (n->ecc_mode != NULL && n->ecc_mode(n->device, &now, &pending) == 0)
		json_object_set_new(o, "eccEnabled", json_boolean(now));
	if (n->persistence_mode != NULL && n->persistence_mode(n->device, &now) == 0)
		json_object_set_new(o, "persistenceMode", json_boolean(now));
	if (n->power_limit != NULL && n->power_limit(n->device, &milliwatts) == 0 && milliwatts > 0)
		json_object_set_new(o, "powerLimitWatts", json_real(milliwatts / 1000.0));
	return o;
}

typedef int nvml_clock_fn(nvml_device device, int which, unsigned *out);

static void nvml_clock(json_t *o, const char *key, nvml_clock_fn *read, nvml_device device,
		       int which)
{
	unsigned v = 0;

	if (read != NULL && read(device, which, &v) == 0)
		json_object_set_new(o, key, json_integer(v));
}

static void nvml_reason(json_t *o, const struct ki_nvml *n)
{
	nvml_reasons reasons = 0;
	char hex[20];
	int rc = -1;

	if (n->clock_reasons != NULL)
		rc = n->clock_reasons(n->device, &reasons);
	/* Its name in drivers before 535. */
	if (rc != 0 && n->throttle_reasons != NULL)
		rc = n->throttle_reasons(n->device, &reasons);
	if (rc != 0)
		return;
	snprintf(hex, sizeof hex, "%016llx", reasons);
	json_object_set_new(o, "clockReasons", json_string(hex));
}

json_t *ki_nvml_state(const struct ki_nvml *n)
{
	json_t *o = json_object();
	unsigned milliwatts = 0;

	if (n == NULL)
		return o;
	nvml_clock(o, "smClockMhz", n->clock, n->device, NVML_CLOCK_SM);
	nvml_clock(o, "memoryClockMhz", n->clock, n->device, NVML_CLOCK_MEMORY);
	nvml_clock(o, "maximumSmClockMhz", n->max_clock, n->device, NVML_CLOCK_SM);
	nvml_clock(o, "maximumMemoryClockMhz", n->max_clock, n->device, NVML_CLOCK_MEMORY);
	nvml_clock(o, "temperatureCelsius", n->temperature, n->device, NVML_TEMPERATURE_GPU);
	if (n->power != NULL && n->power(n->device, &milliwatts) == 0)
		json_object_set_new(o, "powerMilliwatts", json_integer(milliwatts));
	nvml_reason(o, n);
	return o;
}
