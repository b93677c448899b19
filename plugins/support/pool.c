/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/pool.h"

struct pool_member {
	struct pool *pool;
	unsigned index;
	pthread_t thread;
};

struct pool {
	unsigned threads; /* the caller's included */
	unsigned started; /* members that run */
	struct pool_member *members;
	pthread_mutex_t lock;
	pthread_cond_t work; /* there is a new call, or the end */
	pthread_cond_t idle; /* the last member left the call */
	unsigned long call;  /* number of the current one */
	bool open;           /* members may still join it */
	bool end;
	unsigned inside; /* members in it */
	void (*body)(void *context, size_t task, unsigned thread);
	void *context;
	size_t tasks;
	atomic_size_t next;
};

static void pool_take(struct pool *p, unsigned thread)
{
	size_t task;

	while ((task = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->tasks)
		p->body(p->context, task, thread);
}

static void *pool_member(void *argument)
{
	struct pool_member *m = argument;
	struct pool *p = m->pool;
	unsigned long seen = 0;

	pthread_mutex_lock(&p->lock);
	while (!p->end) {
		/* Who wakes up late may find the call closed already. */
		if (!p->open || p->call == seen) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		seen = p->call;
		p->inside++;
		pthread_mutex_unlock(&p->lock);
		pool_take(p, m->index);
		pthread_mutex_lock(&p->lock);
		if (--p->inside == 0)
			pthread_cond_signal(&p->idle);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct pool *pool_new(unsigned threads)
{
	struct pool *p = calloc(1, sizeof *p);
	sigset_t all, before;

	if (p == NULL)
		return NULL;
	p->threads = threads > 0 ? threads : 1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->idle, NULL);
	p->members = calloc(p->threads, sizeof *p->members);
	if (p->members == NULL) {
		pool_free(p);
		return NULL;
	}
	/* Signals are the host's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; p->started + 1 < p->threads; p->started++) {
		struct pool_member *m = &p->members[p->started];

		*m = (struct pool_member){.pool = p, .index = p->started + 1};
		if (pthread_create(&m->thread, NULL, pool_member, m) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (p->started + 1 < p->threads) {
		pool_free(p);
		return NULL;
	}
	return p;
}

void pool_free(struct pool *p)
{
	unsigned i;

	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->end = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (i = 0; i < p->started; i++)
		pthread_join(p->members[i].thread, NULL);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->idle);
	free(p->members);
	free(p);
}

unsigned pool_threads(const struct pool *p)
{
	return p->threads;
}

void pool_run(struct pool *p, size_t tasks,
	      void (*body)(void *context, size_t task, unsigned thread), void *context)
{
	bool alone = p->started == 0 || tasks < 2;

	p->body = body;
	p->context = context;
	p->tasks = tasks;
	atomic_store_explicit(&p->next, 0, memory_order_relaxed);
	if (!alone) {
		pthread_mutex_lock(&p->lock);
		p->call++;
		p->open = true;
		pthread_cond_broadcast(&p->work);
		pthread_mutex_unlock(&p->lock);
	}
	pool_take(p, 0);
	if (alone)
		return;
	pthread_mutex_lock(&p->lock);
	p->open = false;
	while (p->inside > 0)
		pthread_cond_wait(&p->idle, &p->lock);
	pthread_mutex_unlock(&p->lock);
}
