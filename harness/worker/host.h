/* SPDX-License-Identifier: Apache-2.0 */
/* The host's services that a plugin is handed, and what it said through them. */
#ifndef KI_WORKER_HOST_H
#define KI_WORKER_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "ki_plugin.h"

#define KI_HOST_TEXT_MAX 400

struct ki_host_services {
	struct ki_host table; /* what the plugin sees; its self points here */
	/* The device that the plugin runs on, once it is open: what it offers is an extension. */
	const struct ki_device_ops *ops;
	struct ki_device_handle *device;
	pthread_mutex_t lock; /* fail and log may come from any thread */
	bool failed;          /* since ki_host_services_begin() */
	ki_status code;
	int64_t native;
	char text[KI_HOST_TEXT_MAX]; /* the first failure of the call in progress */
};

void ki_host_services_init(struct ki_host_services *s);

/* Forgets the last call's failures. */
void ki_host_services_begin(struct ki_host_services *s);

/* "KI_E_DEVICE", or "status 99" for one that is not in the header. */
const char *ki_host_status_name(ki_status code, char *space, size_t size);

#endif
