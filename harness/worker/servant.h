/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker holds (a device, a plugin, one kernel on one workload) and one function for each
 * question of worker/wire.h.  All on one thread.
 */
#ifndef KI_WORKER_SERVANT_H
#define KI_WORKER_SERVANT_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "worker/wire.h"

struct ki_servant;

struct ki_servant *ki_servant_new(void);

/* The phase that the last question was in, and the plugin's status in it (-1: not the plugin). */
const char *ki_servant_phase(const struct ki_servant *s);
int64_t ki_servant_status(const struct ki_servant *s);

typedef int ki_servant_answer(struct ki_servant *s, json_t **answer,
			      struct ki_wire_message *question, struct ki_error *e);
ki_servant_answer ki_servant_probe, ki_servant_load, ki_servant_create, ki_servant_prepare,
	ki_servant_map, ki_servant_check, ki_servant_rows, ki_servant_warm, ki_servant_segment,
	ki_servant_finish;

#endif
