/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/seed.h"
#include "base/size.h"
#include "device/cache.h"
#include "device/cpu.h"
#include "device/cpu_facts.h"
#include "device/crew.h"

#define CPU_SYSFS "/sys/devices/system/cpu"
#define CPU_COPY_RATE_ROUNDS 7
#define CPU_LINE_BYTES 64

struct ki_device_handle {
	cpu_set_t cpus; /* that a launch may use */
	unsigned threads;
	struct ki_crew *crew;
	struct ki_cache cache;
	struct ki_cpu_facts facts;
	unsigned char *flush_memory;
	uint64_t flush_bytes; /* whole, shared out among the crew */
	unsigned char flush_value;
	uint64_t marks[KI_DEVICE_MARKS_MAX];
};

static void *cpu_map(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The first `threads` CPUs of the mask, which then is the process's own. */
static int cpu_choose(struct ki_device_handle *h, unsigned threads, struct ki_error *e)
{
	cpu_set_t allowed;
	int cpu;

	if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
		return ki_error_errno(e, errno, "cannot read the CPU affinity");
	CPU_ZERO(&h->cpus);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && (threads == 0 || h->threads < threads)) {
			CPU_SET(cpu, &h->cpus);
			h->threads++;
		}
	if (h->threads < threads)
		return ki_error_set(e, KI_FAIL_INPUT,
				    "%u CPU threads asked for, but this process may use %u CPU%s",
				    threads, h->threads, h->threads == 1 ? "" : "s");
	if (sched_setaffinity(0, sizeof h->cpus, &h->cpus) != 0)
		return ki_error_errno(e, errno, "cannot set the CPU affinity");
	return KI_SUCCESS;
}

static void cpu_flush_share(void *context, unsigned i, unsigned n)
{
	struct ki_device_handle *h = context;
	uint64_t share = h->flush_bytes / n;

	memset(h->flush_memory + share * i, h->flush_value, share);
}

static void cpu_close(struct ki_device_handle *h)
{
	if (h == NULL)
		return;
	ki_crew_free(h->crew);
	if (h->flush_memory != NULL)
		munmap(h->flush_memory, h->flush_bytes);
	free(h);
}

static int cpu_open(struct ki_device_handle **out, const struct ki_device_request *request,
		    struct ki_error *e)
{
	struct ki_device_handle *h = calloc(1, sizeof *h);
	uint64_t each;
	int rc;

	if (h == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	rc = cpu_choose(h, request->threads, e);
	if (rc != KI_SUCCESS)
		goto out;
	ki_cache_read(&h->cache, CPU_SYSFS, &h->cpus);
	ki_cpu_facts_read(&h->facts);
	/* Every member's share also covers the caches that are its alone. */
	each = KI_DEVICE_FLUSH_MULTIPLE * h->cache.llc_bytes / h->threads;
	if (each < KI_DEVICE_FLUSH_MULTIPLE * h->cache.private_bytes)
		each = KI_DEVICE_FLUSH_MULTIPLE * h->cache.private_bytes;
	h->flush_bytes = ((each + 4095) & ~(uint64_t)4095) * h->threads;
	h->flush_memory = cpu_map(h->flush_bytes);
	if (h->flush_memory == NULL) {
		rc = ki_error_set(e, KI_FAIL_MEMORY, "no memory for a flush buffer of %llu bytes",
				  (unsigned long long)h->flush_bytes);
		goto out;
	}
	rc = ki_crew_new(&h->crew, &h->cpus, e);
	if (rc != KI_SUCCESS)
		goto out;
	ki_crew_run(h->crew, cpu_flush_share, h);
	*out = h;
out:
	if (rc != KI_SUCCESS)
		cpu_close(h);
	return rc;
}

static void cpu_describe(const struct ki_device_handle *h, struct ki_device *out)
{
	*out = (struct ki_device){
		.struct_size = sizeof *out,
		.dl = {.device_type = kDLCPU, .device_id = 0},
		.name = h->facts.product,
		.uuid = "",
		.cpu_threads = h->threads,
	};
}

static json_t *cpu_facts(const struct ki_device_handle *h)
{
	json_t *facts = ki_cpu_facts_json(&h->facts);
	json_t *evidence = json_object_get(facts, "evidence");
	json_t *cpus = json_array();
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &h->cpus))
			json_array_append_new(cpus, json_integer(cpu));
	json_object_set_new(evidence, "cpus", cpus);
	json_object_set_new(evidence, "threads", json_integer((json_int_t)h->threads));
	json_object_set_new(evidence, "llcBytes", json_integer((json_int_t)h->cache.llc_bytes));
	json_object_set_new(evidence, "llcReported", json_boolean(h->cache.llc_reported));
	json_object_set_new(evidence, "privateCacheBytes",
			    json_integer((json_int_t)h->cache.private_bytes));
	json_object_set_new(evidence, "flushBytes", json_integer((json_int_t)h->flush_bytes));
	return facts;
}

static int cpu_allocate(struct ki_device_handle *h, void **out, uint64_t bytes, struct ki_error *e)
{
	void *p = cpu_map(bytes);

	(void)h;
	if (p == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory for %llu bytes",
				    (unsigned long long)bytes);
	*out = p;
	return KI_SUCCESS;
}

static void cpu_release(struct ki_device_handle *h, void *memory, uint64_t bytes)
{
	(void)h;
	if (memory != NULL)
		munmap(memory, bytes);
}

static int cpu_copy_in(struct ki_device_handle *h, void *device, const void *host, uint64_t bytes,
		       struct ki_error *e)
{
	(void)h;
	(void)e;
	memcpy(device, host, bytes);
	return KI_SUCCESS;
}

static int cpu_copy_out(struct ki_device_handle *h, void *host, const void *device, uint64_t bytes,
			struct ki_error *e)
{
	(void)h;
	(void)e;
	memcpy(host, device, bytes);
	return KI_SUCCESS;
}

static int cpu_fill(struct ki_device_handle *h, void *device, uint64_t bytes, uint64_t key,
		    struct ki_error *e)
{
	uint64_t *words = device;
	uint64_t n = bytes / sizeof *words, i, last;

	(void)h;
	(void)e;
	for (i = 0; i < n; i++)
		words[i] = ki_seed_poison_word(key, i);
	last = ki_seed_poison_word(key, n);
	memcpy(words + n, &last, bytes % sizeof *words);
	return KI_SUCCESS;
}

static int cpu_zero(struct ki_device_handle *h, void *device, uint64_t bytes, struct ki_error *e)
{
	(void)h;
	(void)e;
	memset(device, 0, bytes);
	return KI_SUCCESS;
}

static void *cpu_stream(struct ki_device_handle *h)
{
	(void)h;
	return NULL;
}

static int cpu_flush(struct ki_device_handle *h, struct ki_error *e)
{
	(void)e;
	h->flush_value++;
	ki_crew_run(h->crew, cpu_flush_share, h);
	return KI_SUCCESS;
}

static void cpu_read_share(void *context, unsigned i, unsigned n)
{
	const struct ki_device_handle *h = context;
	uint64_t share = h->flush_bytes / n, at;
	const volatile unsigned char *p = h->flush_memory + share * i;
	unsigned char sum = 0;

	for (at = 0; at < share; at += CPU_LINE_BYTES)
		sum ^= p[at];
	(void)sum;
}

static int cpu_flush_by_reading(struct ki_device_handle *h, struct ki_error *e)
{
	(void)e;
	ki_crew_run(h->crew, cpu_read_share, h);
	return KI_SUCCESS;
}

/* Through a pointer that the compiler cannot see through, as a launch is called. */
static void cpu_nothing(void)
{
}

static int cpu_control(struct ki_device_handle *h, struct ki_error *e)
{
	void (*volatile call)(void) = cpu_nothing;

	(void)h;
	(void)e;
	call();
	return KI_SUCCESS;
}

static int cpu_mark(struct ki_device_handle *h, uint32_t index, struct ki_error *e)
{
	(void)e;
	h->marks[index] = ki_clock_raw_ns();
	return KI_SUCCESS;
}

static int cpu_synchronize(struct ki_device_handle *h, struct ki_error *e)
{
	(void)h;
	(void)e;
	return KI_SUCCESS;
}

static int cpu_elapsed(struct ki_device_handle *h, uint64_t *out_ns, uint32_t from, uint32_t to,
		       struct ki_error *e)
{
	if (h->marks[to] < h->marks[from])
		return ki_error_set(e, KI_FAIL_SYSTEM,
				    "the clock went backwards between two marks");
	*out_ns = h->marks[to] - h->marks[from];
	return KI_SUCCESS;
}

struct cpu_copy {
	unsigned char *to;
	const unsigned char *from;
	uint64_t bytes;
};

static void cpu_copy_share(void *context, unsigned i, unsigned n)
{
	const struct cpu_copy *c = context;
	uint64_t share = c->bytes / n;

	memcpy(c->to + share * i, c->from + share * i, share);
}

/* Best of a few copies between two buffers of twice the last-level cache each. */
static int cpu_copy_rate(struct ki_device_handle *h, double *out_bytes_per_s, struct ki_error *e)
{
	struct cpu_copy copy = {.bytes = h->flush_bytes};
	uint64_t best = UINT64_MAX;
	int round, rc = KI_SUCCESS;

	copy.to = cpu_map(copy.bytes);
	copy.from = cpu_map(copy.bytes);
	if (copy.to == NULL || copy.from == NULL) {
		rc = ki_error_set(e, KI_FAIL_MEMORY, "no memory to measure the copy rate");
		goto out;
	}
	/* Pages that were never written all read from one page of zeros, which would stay cached.
	 */
	memset((void *)copy.from, 1, copy.bytes);
	for (round = 0; round < CPU_COPY_RATE_ROUNDS; round++) {
		uint64_t start = ki_clock_raw_ns(), took;

		ki_crew_run(h->crew, cpu_copy_share, &copy);
		took = ki_clock_raw_ns() - start;
		if (round > 0 && took < best)
			best = took;
	}
	*out_bytes_per_s = 2.0 * (double)copy.bytes / ((double)(best > 0 ? best : 1) * 1e-9);
out:
	if (copy.to != NULL)
		munmap(copy.to, copy.bytes);
	if (copy.from != NULL)
		munmap((void *)copy.from, copy.bytes);
	return rc;
}

const struct ki_device_ops ki_device_cpu = {
	.kind = "cpu",
	.timer = "monotonic_raw",
	.synchronization = "launch_return",
	.open = cpu_open,
	.close = cpu_close,
	.describe = cpu_describe,
	.facts = cpu_facts,
	.allocate = cpu_allocate,
	.release = cpu_release,
	.copy_in = cpu_copy_in,
	.copy_out = cpu_copy_out,
	.fill = cpu_fill,
	.zero = cpu_zero,
	.stream = cpu_stream,
	.flush = cpu_flush,
	.flush_by_reading = cpu_flush_by_reading,
	.control = cpu_control,
	.mark = cpu_mark,
	.synchronize = cpu_synchronize,
	.elapsed = cpu_elapsed,
	.copy_rate = cpu_copy_rate,
};
