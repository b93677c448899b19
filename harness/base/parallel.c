/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "base/parallel.h"

struct parallel_loop {
	void (*body)(void *ctx, uint64_t first, uint64_t count);
	void *ctx;
	uint64_t n;
	uint64_t grain;
	uint64_t pieces;
	_Atomic uint64_t next_piece;
};

static void *parallel_work(void *arg)
{
	struct parallel_loop *l = arg;

	for (;;) {
		uint64_t piece = atomic_fetch_add(&l->next_piece, 1);
		uint64_t first, left;

		if (piece >= l->pieces)
			return NULL;
		first = piece * l->grain;
		left = l->n - first;
		l->body(l->ctx, first, left < l->grain ? left : l->grain);
	}
}

/* Starts at most want threads and returns how many run. */
static unsigned parallel_start(pthread_t *threads, unsigned want, struct parallel_loop *l)
{
	sigset_t all, before;
	unsigned started = 0;

	/* A signal meant for the main loop would otherwise be taken by whichever thread is idle. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < want && pthread_create(&threads[started], NULL, parallel_work, l) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

int ki_parallel_for(uint64_t n, uint64_t grain, unsigned threads,
		    void (*body)(void *ctx, uint64_t first, uint64_t count), void *ctx,
		    struct ki_error *e)
{
	pthread_t started[KI_PARALLEL_THREADS_MAX];
	struct parallel_loop l = {.body = body, .ctx = ctx, .n = n, .grain = grain ? grain : 1};
	unsigned n_started;
	int status = KI_SUCCESS;

	l.pieces = n / l.grain + (n % l.grain != 0);
	if (threads > KI_PARALLEL_THREADS_MAX)
		threads = KI_PARALLEL_THREADS_MAX;
	if (threads > l.pieces)
		threads = (unsigned)l.pieces;
	n_started = threads > 1 ? parallel_start(started, threads - 1, &l) : 0;
	parallel_work(&l);
	for (unsigned i = 0; i < n_started; i++) {
		int errnum = pthread_join(started[i], NULL);

		if (errnum != 0)
			status = ki_error_errno(e, errnum, "waiting for a thread");
	}
	return status;
}

/* CPUs in the mask when it is read with room for max CPUs; 0 when that is not enough room. */
static unsigned parallel_cpus_within(size_t max)
{
	size_t bytes = CPU_ALLOC_SIZE(max);
	cpu_set_t *set = CPU_ALLOC(max);
	unsigned count = 0;

	if (set == NULL)
		return 0;
	if (sched_getaffinity(0, bytes, set) == 0)
		count = (unsigned)CPU_COUNT_S(bytes, set);
	CPU_FREE(set);
	return count;
}

unsigned ki_parallel_cpus(void)
{
	long online;

	/* The kernel refuses a mask shorter than its own, whose length it does not tell. */
	for (size_t max = 1024; max <= 1u << 18; max *= 4) {
		unsigned count = parallel_cpus_within(max);

		if (count > 0)
			return count;
	}
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}
