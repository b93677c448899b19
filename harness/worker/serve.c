/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "ki_plugin.h"
#include "worker/serve.h"
#include "worker/servant.h"
#include "worker/wire.h"

/* A question, and who answers it.  *answer starts out as NULL, which is sent as {}. */
struct serve_handler {
	enum ki_wire_type type;
	int (*answer)(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		      struct ki_error *e);
};

static const struct serve_handler serve_handlers[] = {
	{KI_WIRE_PROBE, ki_servant_probe},     {KI_WIRE_LOAD, ki_servant_load},
	{KI_WIRE_CREATE, ki_servant_create},   {KI_WIRE_PREPARE, ki_servant_prepare},
	{KI_WIRE_MAP, ki_servant_map},         {KI_WIRE_CHECK, ki_servant_check},
	{KI_WIRE_ROWS, ki_servant_rows},       {KI_WIRE_WARM, ki_servant_warm},
	{KI_WIRE_SEGMENT, ki_servant_segment}, {KI_WIRE_FINISH, ki_servant_finish},
};

/* A plugin's leftovers must not outlive the supervisor, nor fill the disk with core files. */
static void serve_settle(void)
{
	const struct rlimit none = {0, 0};
	pid_t parent = getppid();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setrlimit(RLIMIT_CORE, &none);
	signal(SIGPIPE, SIG_IGN);
}

/*
 * What the plugin's call returned, or -1 for a failure of this side.  A device whose context is
 * beyond use was brought there by the only kernel that ran on it beside ours.
 */
static json_int_t serve_status(const struct ki_servant *s, const struct ki_error *e)
{
	int64_t status = ki_servant_status(s);

	return status < 0 && e->code == KI_FAIL_BACKEND ? KI_E_POISONED : status;
}

static int serve_failed(struct ki_wire *wire, const struct ki_servant *s, const struct ki_error *e)
{
	json_int_t status = serve_status(s, e);
	json_t *payload = json_pack("{s:s, s:I, s:I, s:s}", "phase", ki_servant_phase(s), "code",
				    status, "native", (json_int_t)e->native, "text", e->text);
	struct ki_error ignored = {0};
	int rc;

	if (payload == NULL) /* text that is no UTF-8 */
		payload = json_pack("{s:s, s:I, s:s}", "phase", ki_servant_phase(s), "code", status,
				    "text", "a reason that is not UTF-8");
	rc = ki_wire_send(wire, KI_WIRE_FAILED, payload, NULL, 0, &ignored);
	json_decref(payload);
	return rc;
}

static int serve_one(struct ki_wire *wire, struct ki_servant *s, struct ki_wire_message *question)
{
	const struct serve_handler *h = NULL;
	struct ki_error e = {0};
	json_t *answer = NULL;
	size_t i;
	int rc;

	for (i = 0; i < sizeof serve_handlers / sizeof serve_handlers[0]; i++)
		if (serve_handlers[i].type == question->type)
			h = &serve_handlers[i];
	rc = h != NULL ? h->answer(s, &answer, question, &e)
		       : ki_error_set(&e, KI_FAIL_INTERNAL, "an unknown question");
	if (rc != KI_SUCCESS)
		rc = serve_failed(wire, s, &e);
	else
		rc = ki_wire_send(wire, KI_WIRE_ANSWER, answer, NULL, 0, &e);
	/* An answer that is too long is a reason of its own, and the worker can go on. */
	if (rc == KI_FAIL_LIMIT)
		rc = serve_failed(wire, s, &e);
	json_decref(answer);
	return rc;
}

int ki_serve(void)
{
	struct ki_wire wire = {.fd = KI_WIRE_WORKER_FD};
	struct ki_servant *s = ki_servant_new();
	struct ki_error e = {0};
	bool first = true;
	int rc = s != NULL ? KI_SUCCESS : KI_FAIL_MEMORY;

	serve_settle();
	while (rc == KI_SUCCESS) {
		struct ki_wire_message question = {0};
		bool last;

		rc = ki_wire_receive(&question, &wire, first, &e);
		if (rc != KI_SUCCESS)
			break;
		first = false;
		last = question.type == KI_WIRE_FINISH;
		rc = serve_one(&wire, s, &question);
		ki_wire_message_free(&question);
		/* Not exit(): what the plugin registered to run there is none of this run's. */
		if (last && rc == KI_SUCCESS)
			_exit(0);
	}
	if (isatty(0) || first)
		fprintf(stderr, "ki-harness --worker is started by ki-harness itself: %s\n",
			e.text);
	return 2;
}
