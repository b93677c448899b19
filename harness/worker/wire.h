/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What supervisor and worker say to each other.
 *
 * Frames over a SOCK_SEQPACKET pair, one frame a packet: a fixed header (magic, version, type,
 * sequence number, payload size, the run's nonce) and a JSON object of at most
 * KI_WIRE_PAYLOAD_MAX bytes.  The supervisor asks, the worker answers each question once.  A frame
 * that is malformed, out of sequence or without the nonce is an error of the other side, never
 * guessed at.  Numbers are in host byte order: both ends are one program on one machine.
 */
#ifndef KI_WORKER_WIRE_H
#define KI_WORKER_WIRE_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

#define KI_WIRE_PAYLOAD_MAX 60000
#define KI_WIRE_FDS_MAX 2
#define KI_WIRE_WORKER_FD 3

enum ki_wire_type {
	/* supervisor to worker */
	KI_WIRE_PROBE = 1, /* {device} -> {facts, copyRate, flushNs} */
	KI_WIRE_LOAD,      /* {op or kernel} + plugin fd -> {id, ..., offered, kernel} */
	KI_WIRE_CREATE,    /* {kernel, device, workload, ...} -> {createNs, scratchBytes, ...} */
	KI_WIRE_PREPARE,   /* {budgetNs} -> {prepareNs} */
	KI_WIRE_MAP,       /* {inputs, outputs} + two fds -> {} */
	KI_WIRE_CHECK,     /* {content, placement, poison} -> {launchNs, damage} */
	KI_WIRE_ROWS,      /* {content, output, first, count} -> {} */
	KI_WIRE_WARM,      /* {content, placement, poison, method, ...} -> {callNs, samples} */
	KI_WIRE_SEGMENT,   /* {content, placement, poison, n} -> {samples, controls, damage} */
	KI_WIRE_FINISH,    /* {} -> {}, then the worker exits with status 0 */
	/* worker to supervisor */
	KI_WIRE_ANSWER = 64,
	KI_WIRE_FAILED /* {phase, code, native, text}: the worker is still able to go on */
};

struct ki_wire {
	int fd;
	uint64_t nonce[2];
	uint32_t sent;
	uint32_t received;
};

struct ki_wire_message {
	enum ki_wire_type type;
	json_t *payload; /* an object; owned by whoever received it */
	int fds[KI_WIRE_FDS_MAX];
	int n_fds;
};

/* Sends a frame; payload may be NULL for {}. */
int ki_wire_send(struct ki_wire *w, enum ki_wire_type type, const json_t *payload, const int *fds,
		 int n_fds, struct ki_error *e) KI_MUST_CHECK;

/*
 * Receives a frame that has arrived (or blocks for one).  KI_FAIL_BACKEND when the frame is not
 * what the other side may send, KI_FAIL_SYSTEM with native ECONNRESET when it is gone.  With
 * adopt_nonce the first frame's nonce becomes this side's.
 */
int ki_wire_receive(struct ki_wire_message *out, struct ki_wire *w, bool adopt_nonce,
		    struct ki_error *e) KI_MUST_CHECK;

/* Drops the payload and closes the descriptors that nobody took. */
void ki_wire_message_free(struct ki_wire_message *m);

#endif
