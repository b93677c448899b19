/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker seen from the supervisor: a spawned process of this program that will load one plugin.
 *
 * It has its own process group, a private socket, and standard output and error that end in a
 * bounded log here.  What it says is untrusted.  Every wait has a deadline; whatever goes wrong,
 * the whole group is killed and reaped.
 */
#ifndef KI_WORKER_PROCESS_H
#define KI_WORKER_PROCESS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "worker/wire.h"

#define KI_WORKER_LOG_MAX 65536

/* Descriptors and seeds that all workers of a run share. */
struct ki_worker_run {
	uint64_t nonce[2];
	int interrupt_fd; /* readable once the user asked to stop; -1: none */
};

/* Why a worker's answer did not come. */
enum ki_failure_kind {
	KI_FAILURE_NONE,
	KI_FAILURE_REPORTED, /* it answered that the call failed, and lives on */
	KI_FAILURE_CRASHED,  /* a signal that nobody here sent */
	KI_FAILURE_EXITED,   /* it exited before it answered */
	KI_FAILURE_TIMEOUT,  /* the deadline passed; it was killed */
	KI_FAILURE_PROTOCOL, /* it said something that it may not say; it was killed */
	KI_FAILURE_INTERRUPTED,
	KI_FAILURE_HARNESS /* this side failed: out of memory, say */
};

struct ki_failure {
	enum ki_failure_kind kind;
	const char *phase; /* "load", "create", "prepare", "launch", ...: static */
	int signal;        /* of CRASHED */
	int exit_status;   /* of EXITED */
	int64_t code;      /* of REPORTED: the plugin's ki_status, or -1 for the worker's own */
	int64_t native;    /* likewise */
	char text[KI_ERROR_TEXT_MAX]; /* one sentence */
};

struct ki_worker;

/* who names the worker in messages.  The worker is told nothing but the run's nonce. */
int ki_worker_spawn(struct ki_worker **out, const char *who, const struct ki_worker_run *run,
		    struct ki_error *e) KI_MUST_CHECK;

/*
 * Asks and waits for the answer, at most timeout_ns.  *answer is a new reference on success (may
 * be asked for as NULL).  Returns KI_FAIL_BACKEND, and fills failure in, when there is none.
 */
int ki_worker_ask(struct ki_worker *w, json_t **answer, enum ki_wire_type type,
		  const json_t *question, const int *fds, int n_fds, uint64_t timeout_ns,
		  struct ki_failure *failure) KI_MUST_CHECK;

/* Whether it can still be asked. */
bool ki_worker_alive(const struct ki_worker *w);

/*
 * Stops every thread of the group with SIGSTOP until it is asked again, so that a plugin's threads
 * take nothing from whoever is measured meanwhile.
 */
void ki_worker_pause(struct ki_worker *w);

/*
 * The orderly end: FINISH, its answer, and exit status 0, each within timeout_ns.  A run whose
 * worker did not end so is not good; failure then says why.
 */
int ki_worker_finish(struct ki_worker *w, uint64_t timeout_ns,
		     struct ki_failure *failure) KI_MUST_CHECK;

/* What the plugin printed, at most KI_WORKER_LOG_MAX bytes; *total counts all of them. */
const char *ki_worker_log(const struct ki_worker *w, size_t *size, uint64_t *total);

/* Kills the group when it lives, reaps, frees.  w may be NULL. */
void ki_worker_free(struct ki_worker *w);

#endif
