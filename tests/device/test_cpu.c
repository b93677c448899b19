/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/seed.h"
#include "device/cpu.h"

static struct ki_device_handle *open_cpu(unsigned threads)
{
	const struct ki_device_request request = {.kind = "cpu", .threads = threads};
	struct ki_device_handle *h = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_device_cpu.open(&h, &request, &e), KI_SUCCESS, "%s", e.text);
	return h;
}

Test(cpu, threads_asked_for_are_the_cpus_that_the_process_then_has)
{
	struct ki_device_handle *h = open_cpu(1);
	struct ki_device d;
	cpu_set_t now;

	ki_device_cpu.describe(h, &d);
	cr_expect_eq(d.cpu_threads, 1);
	cr_expect_eq(d.dl.device_type, kDLCPU);
	cr_assert_eq(sched_getaffinity(0, sizeof now, &now), 0);
	cr_expect_eq(CPU_COUNT(&now), 1);
	ki_device_cpu.close(h);
}

Test(cpu, more_threads_than_cpus_are_refused_with_both_numbers)
{
	const struct ki_device_request request = {.kind = "cpu", .threads = 4096};
	struct ki_device_handle *h = NULL;
	struct ki_error e = {0};

	cr_expect_eq(ki_device_cpu.open(&h, &request, &e), KI_FAIL_INPUT);
	cr_expect(strstr(e.text, "4096 CPU threads") != NULL, "%s", e.text);
	cr_expect_null(h);
}

/*
 * A pointer chase over memory that fits a core's own caches, which it misses after a flush.  By
 * ratio, on one machine, in one run: the smallest warm chase, since a neighbour only adds time,
 * against the median one after a flush, since the last-level cache keeps some lines through some
 * flushes (it is shared, and its replacement is not by age).
 */
enum {
	CHASE_ROUNDS = 25,
	CHASE_BYTES = 256 << 10,
	CHASE_LINE = 64,
	CHASE_STEPS = CHASE_BYTES / CHASE_LINE,
	CHASE_POINTERS = CHASE_LINE / sizeof(void *)
};

static uint64_t chase(void **start)
{
	uint64_t from = ki_clock_raw_ns();
	void **p = start;
	int i;

	for (i = 0; i < CHASE_STEPS; i++)
		p = *p;
	__asm__ volatile("" : : "r"(p) : "memory");
	return ki_clock_raw_ns() - from;
}

static void **chase_new(void)
{
	void **memory = aligned_alloc(4096, CHASE_BYTES);
	size_t order[CHASE_STEPS], i;
	uint64_t state = 5;

	cr_assert_not_null(memory);
	for (i = 0; i < CHASE_STEPS; i++)
		order[i] = i;
	for (i = CHASE_STEPS - 1; i > 0; i--) {
		size_t k = (size_t)(ki_seed_next(&state) % i), swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
	for (i = 0; i < CHASE_STEPS; i++)
		memory[order[i] * CHASE_POINTERS] =
			&memory[order[(i + 1) % CHASE_STEPS] * CHASE_POINTERS];
	return &memory[order[0] * CHASE_POINTERS];
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void assert_evicts(int (*flush)(struct ki_device_handle *h, struct ki_error *e))
{
	struct ki_device_handle *h = open_cpu(0);
	void **start = chase_new();
	uint64_t warm = UINT64_MAX, cold, after[CHASE_ROUNDS];
	struct ki_error e = {0};
	int round;

	for (round = 0; round < CHASE_ROUNDS; round++) {
		uint64_t t;

		chase(start);
		t = chase(start);
		warm = t < warm ? t : warm;
		cr_assert_eq(flush(h, &e), KI_SUCCESS);
		after[round] = chase(start);
	}
	qsort(after, CHASE_ROUNDS, sizeof after[0], by_size);
	cold = after[CHASE_ROUNDS / 2];
	/* An L2 hit is some 4 ns; of 200 flushes on an EPYC the median left 23 ns a step. */
	cr_expect(cold > 3 * warm, "cold %llu ns, warm %llu ns", (unsigned long long)cold,
		  (unsigned long long)warm);
	ki_device_cpu.close(h);
}

Test(cpu, a_flush_really_evicts)
{
	assert_evicts(ki_device_cpu.flush);
}

Test(cpu, a_flush_by_reading_evicts_too)
{
	assert_evicts(ki_device_cpu.flush_by_reading);
}

Test(cpu, fill_writes_the_poison_words_and_cuts_the_last)
{
	struct ki_device_handle *h = open_cpu(1);
	unsigned char memory[32] = {0};
	struct ki_error e = {0};
	uint64_t word;

	memset(memory, 0xee, sizeof memory);
	cr_assert_eq(ki_device_cpu.fill(h, memory, 19, 77, &e), KI_SUCCESS);
	word = ki_seed_poison_word(77, 0);
	cr_expect_eq(memcmp(memory, &word, 8), 0);
	word = ki_seed_poison_word(77, 2);
	cr_expect_eq(memcmp(memory + 16, &word, 3), 0);
	cr_expect_eq(memory[19], 0xee);
	ki_device_cpu.close(h);
}

Test(cpu, marks_measure_and_a_control_costs_less_than_a_microsecond_or_so)
{
	struct ki_device_handle *h = open_cpu(1);
	struct ki_error e = {0};
	uint64_t best = UINT64_MAX, ns;
	int i;

	for (i = 0; i < 100; i++) {
		cr_assert_eq(ki_device_cpu.mark(h, 0, &e), KI_SUCCESS);
		cr_assert_eq(ki_device_cpu.control(h, &e), KI_SUCCESS);
		cr_assert_eq(ki_device_cpu.mark(h, 1, &e), KI_SUCCESS);
		cr_assert_eq(ki_device_cpu.elapsed(h, &ns, 0, 1, &e), KI_SUCCESS);
		best = ns < best ? ns : best;
	}
	cr_expect(best < 5000, "%llu ns", (unsigned long long)best);
	cr_expect_eq(ki_device_cpu.elapsed(h, &ns, 1, 0, &e) == KI_SUCCESS && ns > 0, false);
	ki_device_cpu.close(h);
}

Test(cpu, facts_name_the_machine_and_what_is_flushed)
{
	struct ki_device_handle *h = open_cpu(0);
	json_t *facts = ki_device_cpu.facts(h);
	const json_t *hardware = json_object_get(facts, "hardware");
	const json_t *evidence = json_object_get(facts, "evidence");

	cr_expect(json_string_length(json_object_get(hardware, "product")) > 0);
	cr_expect(json_string_length(json_object_get(hardware, "vendor")) > 0);
	cr_expect_geq(json_integer_value(json_object_get(evidence, "flushBytes")),
		      2 * json_integer_value(json_object_get(evidence, "llcBytes")));
	cr_expect_eq((size_t)json_integer_value(json_object_get(evidence, "threads")),
		     json_array_size(json_object_get(evidence, "cpus")));
	json_decref(facts);
	ki_device_cpu.close(h);
}

Test(cpu, the_copy_rate_is_a_plausible_one)
{
	struct ki_device_handle *h = open_cpu(0);
	struct ki_error e = {0};
	double rate = 0;

	cr_assert_eq(ki_device_cpu.copy_rate(h, &rate, &e), KI_SUCCESS);
	cr_expect(rate > 1e8 && rate < 1e13, "%g bytes/s", rate);
	ki_device_cpu.close(h);
}
