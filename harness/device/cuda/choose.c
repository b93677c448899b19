/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "device/cuda/choose.h"

#define CHOOSE_DEVICES_MAX 64

struct choose_device {
	ki_cu_device device;
	char uuid[KI_CUDA_UUID_MAX];
	char name[128];
};

void ki_cuda_uuid_text(char out[KI_CUDA_UUID_MAX], const struct ki_cu_uuid *u)
{
	size_t n = (size_t)snprintf(out, KI_CUDA_UUID_MAX, "GPU"), i;

	for (i = 0; i < sizeof u->bytes; i++)
		n += (size_t)snprintf(out + n, KI_CUDA_UUID_MAX - n, "%s%02x",
				      i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				      u->bytes[i]);
}

static int choose_read(struct choose_device *out, const struct ki_cuda_driver *d, int index,
		       struct ki_error *e)
{
	struct ki_cu_uuid uuid = {{0}};
	ki_cu_result r = d->api.device_get(&out->device, index);

	if (r == KI_CU_SUCCESS)
		r = d->api.device_get_uuid_v2 != NULL
			    ? d->api.device_get_uuid_v2(&uuid, out->device)
			    : d->api.device_get_uuid(&uuid, out->device);
	if (r == KI_CU_SUCCESS)
		r = d->api.device_get_name(out->name, (int)sizeof out->name - 1, out->device);
	ki_cuda_uuid_text(out->uuid, &uuid);
	return ki_cuda_check(d, r, "the GPUs cannot be listed", e);
}

static bool choose_fits(const struct choose_device *device, int index, const char *selector)
{
	const char *uuid = device->uuid;
	char *end;
	unsigned long n = strtoul(selector, &end, 10);

	if (isdigit((unsigned char)selector[0]) && *end == '\0' && n < CHOOSE_DEVICES_MAX)
		return (int)n == index;
	if (strncasecmp(selector, "GPU-", 4) != 0)
		uuid += 4;
	return strncasecmp(uuid, selector, strlen(selector)) == 0;
}

int ki_cuda_choose(ki_cu_device *out, char uuid[KI_CUDA_UUID_MAX], const struct ki_cuda_driver *d,
		   const char *selector, struct ki_error *e)
{
	struct choose_device device = {0}, found = {0};
	struct ki_buffer list;
	int i, rc = KI_SUCCESS, n = 0;

	ki_buffer_init(&list, 900);
	if (selector == NULL || *selector == '\0')
		selector = "0";
	for (i = 0; rc == KI_SUCCESS && i < d->n_devices && i < CHOOSE_DEVICES_MAX; i++) {
		rc = choose_read(&device, d, i, e);
		if (rc != KI_SUCCESS)
			break;
		ki_buffer_printf(&list, "%s%d: %s (%s)", i > 0 ? ", " : "", i, device.name,
				 device.uuid);
		if (choose_fits(&device, i, selector)) {
			found = device;
			n++;
		}
	}
	if (rc == KI_SUCCESS && n != 1)
		rc = ki_error_set(e, KI_FAIL_INPUT, "%s GPU is \"%s\"; there %s %s",
				  n == 0 ? "no" : "more than one", selector,
				  d->n_devices == 1 ? "is" : "are", list.data);
	if (rc == KI_SUCCESS) {
		*out = found.device;
		memcpy(uuid, found.uuid, KI_CUDA_UUID_MAX);
	}
	ki_buffer_fini(&list);
	return rc;
}
