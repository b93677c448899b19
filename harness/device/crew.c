/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "device/crew.h"

struct crew_member {
	struct ki_crew *crew;
	pthread_t thread;
	unsigned index; /* 0 .. size - 1 */
	int cpu;
};

struct ki_crew {
	unsigned size;
	struct crew_member *members;
	unsigned started;
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t done;
	unsigned long round; /* counts ki_crew_run() */
	unsigned busy;
	bool stop;
	void (*body)(void *context, unsigned i, unsigned n);
	void *context;
};

static void crew_pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	/* Refused in some containers; the flush then covers the caches less surely. */
	(void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static void *crew_main(void *argument)
{
	struct crew_member *m = argument;
	struct ki_crew *crew = m->crew;
	unsigned long seen = 0;

	crew_pin(m->cpu);
	pthread_mutex_lock(&crew->lock);
	for (;;) {
		while (!crew->stop && crew->round == seen)
			pthread_cond_wait(&crew->work, &crew->lock);
		if (crew->stop)
			break;
		seen = crew->round;
		pthread_mutex_unlock(&crew->lock);
		crew->body(crew->context, m->index, crew->size);
		pthread_mutex_lock(&crew->lock);
		if (--crew->busy == 0)
			pthread_cond_signal(&crew->done);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

static int crew_start(struct ki_crew *crew, const cpu_set_t *cpus, struct ki_error *e)
{
	int cpu, rc;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct crew_member *m = &crew->members[crew->started];

		if (!CPU_ISSET(cpu, cpus))
			continue;
		*m = (struct crew_member){.crew = crew, .index = crew->started, .cpu = cpu};
		rc = pthread_create(&m->thread, NULL, crew_main, m);
		if (rc != 0)
			return ki_error_errno(e, rc, "cannot start a thread");
		crew->started++;
	}
	return KI_SUCCESS;
}

int ki_crew_new(struct ki_crew **out, const cpu_set_t *cpus, struct ki_error *e)
{
	int count = CPU_COUNT(cpus);
	struct ki_crew *crew = calloc(1, sizeof *crew);
	int rc;

	if (crew != NULL)
		crew->members = calloc((size_t)count + 1, sizeof *crew->members);
	if (crew == NULL || crew->members == NULL) {
		free(crew);
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	}
	crew->size = (unsigned)count;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->work, NULL);
	pthread_cond_init(&crew->done, NULL);
	rc = crew_start(crew, cpus, e);
	if (rc != KI_SUCCESS) {
		ki_crew_free(crew);
		return rc;
	}
	*out = crew;
	return KI_SUCCESS;
}

void ki_crew_free(struct ki_crew *crew)
{
	unsigned i;

	if (crew == NULL)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->stop = true;
	pthread_cond_broadcast(&crew->work);
	pthread_mutex_unlock(&crew->lock);
	for (i = 0; i < crew->started; i++)
		pthread_join(crew->members[i].thread, NULL);
	pthread_cond_destroy(&crew->done);
	pthread_cond_destroy(&crew->work);
	pthread_mutex_destroy(&crew->lock);
	free(crew->members);
	free(crew);
}

unsigned ki_crew_size(const struct ki_crew *crew)
{
	return crew->size;
}

void ki_crew_run(struct ki_crew *crew, void (*body)(void *context, unsigned i, unsigned n),
		 void *context)
{
	pthread_mutex_lock(&crew->lock);
	crew->body = body;
	crew->context = context;
	crew->busy = crew->size;
	crew->round++;
	pthread_cond_broadcast(&crew->work);
	while (crew->busy > 0)
		pthread_cond_wait(&crew->done, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}
