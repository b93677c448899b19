/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that has to be in place before the first case is measured: the plan and its cases,
 * the device and what it reports, the backends with their documents, the folder for results.
 * Whatever the user gave wrong is found here, with nothing measured yet.
 */
#ifndef KI_RUN_SESSION_H
#define KI_RUN_SESSION_H

#include <jansson.h>
#include <stdbool.h>

#include "protocol/case.h"
#include "protocol/identity.h"
#include "protocol/plan.h"
#include "record/document.h"
#include "record/store.h"
#include "run/backend.h"
#include "run/setting.h"

#define KI_SESSION_BACKENDS_MAX 16
#define KI_SESSION_FILTERS_MAX 32

/* What the command line says. */
struct ki_session_request {
	const char *protocol;
	size_t n_backends;
	const char *backends[KI_SESSION_BACKENDS_MAX]; /* [LABEL=]FILE[#KERNEL] */
	size_t n_filters;
	const char *filters[KI_SESSION_FILTERS_MAX]; /* AXIS=VALUE */
	const char *device;                          /* "auto", "cpu", "cuda", "cuda:0" */
	const char *baseline;                        /* a label, or NULL: the first backend */
	const char *out;                             /* folder for results */
	bool dry_run;                                /* nothing is written */
	uint64_t replicates; /* fresh workers of each backend; 0: what the plan says */
	bool gate; /* a verdict is wanted: replicates enough for one, and a backend may be compared
		      with itself */
};

/* What a device said when it was asked. */
struct ki_session_device {
	const char *kind;
	const char *selector;        /* in the request; "" for the first */
	char why[KI_ERROR_TEXT_MAX]; /* one line: which device, and why that one */
	json_t *probe;    /* the answer: {"facts", "threads", "copyRate", "flushNs", ...} */
	double copy_rate; /* bytes a second */
	uint64_t flush_ns;
};

struct ki_session {
	char *protocol_path;
	bool protocol_elsewhere;
	struct ki_plan plan;
	struct ki_case_list cases; /* those that the filters leave */
	struct ki_session_device device;
	size_t n_backends;
	struct ki_backend backends[KI_SESSION_BACKENDS_MAX];
	struct ki_backend oracle;
	struct ki_backend reference;
	size_t baseline;
	struct ki_identified protocol;
	struct ki_identified environment;
	struct ki_identified implementations[KI_SESSION_BACKENDS_MAX];
	struct ki_store *store; /* NULL in a dry run */
	struct ki_run_setting setting;
};

/* interrupt_fd as in struct ki_worker_run.  On failure nothing is left to close. */
int ki_session_open(struct ki_session *out, const struct ki_session_request *request,
		    int interrupt_fd, struct ki_error *e) KI_MUST_CHECK;
void ki_session_close(struct ki_session *s);

/* Which device of "cuda" or "cuda:WHICH": "" for the first; NULL when device is neither. */
const char *ki_session_cuda_selector(const char *device);

/* Asks a device of this kind what it is, in a worker of its own.  threads 0: all. */
int ki_session_probe(struct ki_session_device *out, const char *kind, const char *selector,
		     unsigned threads, const struct ki_worker_run *run,
		     struct ki_error *e) KI_MUST_CHECK;

/* A new nonce from the system's random numbers. */
int ki_session_nonce(uint64_t nonce[2], struct ki_error *e) KI_MUST_CHECK;

/* How long case c will take with all backends, in nanoseconds: a guess from bytes and flushes. */
double ki_session_guess_ns(const struct ki_session *s, const struct ki_case *c);

#endif
