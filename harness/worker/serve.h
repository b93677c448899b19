/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker's side: answers the supervisor's questions (worker/wire.h) on descriptor
 * KI_WIRE_WORKER_FD until FINISH or until the supervisor is gone.  Loads one plugin at most.
 */
#ifndef KI_WORKER_SERVE_H
#define KI_WORKER_SERVE_H

/* Returns the exit status of the process. */
int ki_serve(void);

#endif
