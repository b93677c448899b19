/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/parallel.h"

#define ITEMS_MAX 5000
#define PIECES_MAX 8192

struct seen {
	_Atomic unsigned visits[ITEMS_MAX];
	_Atomic unsigned pieces;
	uint64_t firsts[PIECES_MAX];
	uint64_t counts[PIECES_MAX];
	pthread_t caller;
	_Atomic unsigned elsewhere;       /* pieces that another thread took */
	_Atomic unsigned open_to_signals; /* of those, with SIGINT not blocked */
	_Atomic unsigned slow_us;
};

static struct seen seen;

static void see(void *ctx, uint64_t first, uint64_t count)
{
	struct seen *s = ctx;
	unsigned piece = atomic_fetch_add(&s->pieces, 1);
	sigset_t blocked;

	s->firsts[piece] = first;
	s->counts[piece] = count;
	for (uint64_t i = first; i < first + count; i++)
		atomic_fetch_add(&s->visits[i], 1);
	if (!pthread_equal(pthread_self(), s->caller)) {
		atomic_fetch_add(&s->elsewhere, 1);
		pthread_sigmask(SIG_SETMASK, NULL, &blocked);
		if (!sigismember(&blocked, SIGINT))
			atomic_fetch_add(&s->open_to_signals, 1);
	}
	if (s->slow_us > 0)
		usleep(s->slow_us);
}

static void run(uint64_t n, uint64_t grain, unsigned threads, unsigned slow_us)
{
	struct ki_error e = {0};

	memset(&seen, 0, sizeof seen);
	seen.caller = pthread_self();
	seen.slow_us = slow_us;
	cr_assert_eq(ki_parallel_for(n, grain, threads, see, &seen, &e), KI_SUCCESS, "%s", e.text);
}

Test(parallel, no_items_means_no_call)
{
	run(0, 16, 4, 0);
	cr_assert_eq(seen.pieces, 0);
}

Test(parallel, every_item_is_visited_exactly_once)
{
	static const struct {
		uint64_t n, grain;
		unsigned threads;
	} cases[] = {
		{1, 1, 1},       {1, 64, 8},  {7, 0, 3},       {5000, 1, 8},
		{5000, 7, 2},    {64, 64, 2}, {65, 64, 2},     {100, 33, 0},
		{100, 33, 1000}, {63, 64, 4}, {5000, 5000, 4},
	};

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		run(cases[c].n, cases[c].grain, cases[c].threads, 0);
		for (uint64_t i = 0; i < ITEMS_MAX; i++)
			cr_assert_eq(seen.visits[i], i < cases[c].n ? 1u : 0u,
				     "case %zu: item %llu visited %u times", c,
				     (unsigned long long)i, (unsigned)seen.visits[i]);
	}
}

Test(parallel, pieces_are_whole_grains_whatever_the_number_of_threads)
{
	for (unsigned threads = 1; threads <= 5; threads++) {
		run(1000, 64, threads, 0);
		cr_assert_eq(seen.pieces, 16);
		for (unsigned p = 0; p < seen.pieces; p++) {
			cr_assert_eq(seen.firsts[p] % 64, 0);
			cr_assert_eq(seen.counts[p], seen.firsts[p] == 960 ? 40u : 64u);
		}
	}
}

Test(parallel, a_refused_thread_leaves_the_work_to_the_others)
{
	pthread_attr_t impossible;

	/* The default stack of a new thread: larger than the address space. */
	cr_assert_eq(pthread_attr_init(&impossible), 0);
	cr_assert_eq(pthread_attr_setstacksize(&impossible, (size_t)1 << 48), 0);
	cr_assert_eq(pthread_setattr_default_np(&impossible), 0);
	run(100, 1, 4, 0);
	cr_assert_eq(seen.elsewhere, 0, "threads started although none can");
	for (unsigned i = 0; i < 100; i++)
		cr_assert_eq(seen.visits[i], 1u);
	pthread_attr_destroy(&impossible);
}

Test(parallel, other_threads_take_part_with_signals_blocked)
{
	sigset_t blocked;

	run(40, 1, 4, 1000);
	cr_assert_gt(seen.elsewhere, 0u);
	cr_assert_eq(seen.open_to_signals, 0u);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	cr_assert_not(sigismember(&blocked, SIGINT), "the caller's own mask was not restored");
}

Test(parallel, one_thread_means_the_caller)
{
	run(40, 1, 1, 0);
	cr_assert_eq(seen.elsewhere, 0u);
}

Test(parallel, cpus_are_those_of_the_affinity_mask)
{
	cpu_set_t all, one;
	int cpu = 0;

	cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
	cr_assert_eq(ki_parallel_cpus(), (unsigned)CPU_COUNT(&all));
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one) != 0)
		cr_skip_test("reason: the system does not let an affinity mask be set");
	cr_assert_eq(ki_parallel_cpus(), 1u);
}
