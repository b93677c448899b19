/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/seed.h"
#include "device/cpu_facts.h"
#include "device/cuda/choose.h"
#include "device/cuda/cuda.h"
#include "device/cuda/driver.h"
#include "device/cuda/kernels_ptx.h"
#include "device/cuda/module.h"
#include "device/cuda/nvml.h"

/* When the driver does not say how large the L2 cache is: larger than that of any GPU so far. */
#define CUDA_L2_BYTES_UNKNOWN ((uint64_t)128 << 20)
#define CUDA_THREADS 256u
#define CUDA_BLOCKS_MAX 8192u
#define CUDA_VECTOR_BYTES 16u
#define CUDA_COPY_BYTES ((uint64_t)512 << 20)
#define CUDA_COPY_ROUNDS 7

struct ki_device_handle {
	struct ki_cuda_driver driver;
	struct ki_nvml *nvml;
	ki_cu_device device;
	bool retained; /* the primary context */
	ki_cu_context context;
	ki_cu_stream stream;
	ki_cu_module module;
	ki_cu_function nothing;
	ki_cu_function poison;
	ki_cu_function read;
	ki_cu_event *events; /* KI_DEVICE_MARKS_MAX, made when they are first used */
	ki_cu_ptr flush_memory;
	uint64_t flush_bytes;
	unsigned flush_value;
	uint64_t l2_bytes; /* as reported; 0: not */
	uint64_t memory_bytes;
	int multiprocessors;
	int major;
	int minor;
	struct ki_cpu_facts cpu;
	char name[128];
	char uuid[KI_CUDA_UUID_MAX];
};

static int cuda_check(const struct ki_device_handle *h, ki_cu_result r, const char *what,
		      struct ki_error *e)
{
	return ki_cuda_check(&h->driver, r, what, e);
}

/* ---------------------------------------------------------------- open and close */

static void cuda_close(struct ki_device_handle *h)
{
	const struct ki_cu_api *api = &h->driver.api;
	uint32_t i;

	for (i = 0; h->events != NULL && i < KI_DEVICE_MARKS_MAX; i++)
		if (h->events[i] != NULL)
			api->event_destroy(h->events[i]);
	free(h->events);
	if (h->flush_memory != 0)
		api->mem_free(h->flush_memory);
	if (h->module != NULL)
		api->module_unload(h->module);
	if (h->stream != NULL)
		api->stream_destroy(h->stream);
	if (h->retained)
		api->primary_ctx_release(h->device);
	ki_nvml_close(h->nvml);
	free(h);
}

static int cuda_attribute(const struct ki_device_handle *h, int *out, int attribute,
			  struct ki_error *e)
{
	return cuda_check(h, h->driver.api.device_get_attribute(out, attribute, h->device),
			  "cuDeviceGetAttribute", e);
}

static int cuda_read(struct ki_device_handle *h, struct ki_error *e)
{
	size_t total = 0;
	int l2 = 0;
	int rc = cuda_attribute(h, &h->major, KI_CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, e);

	if (rc == KI_SUCCESS)
		rc = cuda_attribute(h, &h->minor, KI_CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, e);
	if (rc == KI_SUCCESS)
		rc = cuda_attribute(h, &h->multiprocessors, KI_CU_ATTRIBUTE_MULTIPROCESSOR_COUNT,
				    e);
	if (rc == KI_SUCCESS)
		rc = cuda_attribute(h, &l2, KI_CU_ATTRIBUTE_L2_CACHE_SIZE, e);
	if (rc == KI_SUCCESS)
		rc = cuda_check(
			h,
			h->driver.api.device_get_name(h->name, (int)sizeof h->name - 1, h->device),
			"cuDeviceGetName", e);
	if (rc == KI_SUCCESS)
		rc = cuda_check(h, h->driver.api.device_total_mem(&total, h->device),
				"cuDeviceTotalMem", e);
	h->l2_bytes = l2 > 0 ? (uint64_t)l2 : 0;
	h->memory_bytes = total;
	return rc;
}

static int cuda_context(struct ki_device_handle *h, struct ki_error *e)
{
	const struct ki_cu_api *api = &h->driver.api;
	int rc;

	/* Refused when somebody in this process has started the context; then it stays as it is. */
	(void)api->primary_ctx_set_flags(h->device, KI_CU_CONTEXT_SCHED_SPIN);
	rc = cuda_check(h, api->primary_ctx_retain(&h->context, h->device),
			"cuDevicePrimaryCtxRetain", e);
	if (rc != KI_SUCCESS)
		return rc;
	h->retained = true;
	rc = cuda_check(h, api->ctx_set_current(h->context), "cuCtxSetCurrent", e);
	if (rc == KI_SUCCESS)
		rc = cuda_check(h, api->stream_create(&h->stream, KI_CU_STREAM_NON_BLOCKING),
				"cuStreamCreate", e);
	return rc;
}

/*
 * Nothing may stay in the L2 cache across a flush because somebody asked for it: no part is set
 * aside, and what was is given back.  GPUs before sm_80 have no such thing and refuse.
 */
static void cuda_reset_persisting(struct ki_device_handle *h)
{
	(void)h->driver.api.ctx_set_limit(KI_CU_LIMIT_PERSISTING_L2_CACHE, 0);
	if (h->driver.api.ctx_reset_persisting != NULL)
		(void)h->driver.api.ctx_reset_persisting();
}

static int cuda_flush_memory(struct ki_device_handle *h, struct ki_error *e)
{
	uint64_t l2 = h->l2_bytes > 0 ? h->l2_bytes : CUDA_L2_BYTES_UNKNOWN;
	int rc;

	h->flush_bytes = KI_DEVICE_FLUSH_MULTIPLE * l2;
	rc = cuda_check(h, h->driver.api.mem_alloc(&h->flush_memory, h->flush_bytes), "cuMemAlloc",
			e);
	if (rc != KI_SUCCESS)
		ki_error_prefix(e, "no GPU memory for a flush buffer of %" PRIu64 " bytes",
				h->flush_bytes);
	return rc;
}

static int cuda_prepare(struct ki_device_handle *h, struct ki_error *e)
{
	int rc = cuda_context(h, e);

	if (rc == KI_SUCCESS)
		rc = ki_cuda_module_load(&h->module, &h->driver, kernels_ptx, e);
	if (rc == KI_SUCCESS)
		rc = ki_cuda_module_kernel(&h->nothing, &h->driver, h->module, "ki_nothing", e);
	if (rc == KI_SUCCESS)
		rc = ki_cuda_module_kernel(&h->poison, &h->driver, h->module, "ki_poison", e);
	if (rc == KI_SUCCESS)
		rc = ki_cuda_module_kernel(&h->read, &h->driver, h->module, "ki_read", e);
	if (rc == KI_SUCCESS)
		rc = cuda_flush_memory(h, e);
	if (rc == KI_SUCCESS)
		cuda_reset_persisting(h);
	return rc;
}

static int cuda_open(struct ki_device_handle **out, const struct ki_device_request *request,
		     struct ki_error *e)
{
	struct ki_device_handle *h = calloc(1, sizeof *h);
	enum ki_cuda_state state;
	int rc;

	if (h == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	h->events = calloc(KI_DEVICE_MARKS_MAX, sizeof(ki_cu_event));
	rc = h->events != NULL ? ki_cuda_driver_open(&h->driver, &state, e)
			       : ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	if (rc == KI_SUCCESS)
		rc = ki_cuda_choose(&h->device, h->uuid, &h->driver, request->selector, e);
	if (rc == KI_SUCCESS)
		rc = cuda_read(h, e);
	if (rc == KI_SUCCESS)
		rc = cuda_prepare(h, e);
	if (rc != KI_SUCCESS) {
		cuda_close(h);
		return rc;
	}
	ki_cpu_facts_read(&h->cpu);
	h->nvml = ki_nvml_open(h->uuid);
	*out = h;
	return KI_SUCCESS;
}

static void cuda_describe(const struct ki_device_handle *h, struct ki_device *out)
{
	*out = (struct ki_device){
		.struct_size = sizeof *out,
		.driver_version = h->driver.version,
		.dl = {.device_type = kDLCUDA, .device_id = h->device},
		.context = h->context,
		.stream = h->stream,
		.cc_major = h->major,
		.cc_minor = h->minor,
		.name = h->name,
		.uuid = h->uuid,
		.cpu_threads = ki_parallel_cpus(),
	};
}

/* ---------------------------------------------------------------- facts */

static json_t *cuda_software(const struct ki_device_handle *h)
{
	json_t *o = json_pack("{s:s, s:s, s:{s:s}}", "operatingSystem", h->cpu.system, "kernel",
			      h->cpu.kernel, "libraries", "glibc", h->cpu.libc);
	char version[32];

	snprintf(version, sizeof version, "%d.%d", h->driver.version / 1000,
		 h->driver.version % 1000 / 10);
	/* Without NVML only the API that the driver speaks is known. */
	json_object_set_new(o, "driver",
			    ki_nvml_driver(h->nvml)[0] != '\0'
				    ? json_string(ki_nvml_driver(h->nvml))
				    : json_sprintf("CUDA %s", version));
	json_object_set_new(json_object_get(o, "libraries"), "cuda_driver_api",
			    json_string(version));
	return o;
}

static json_t *cuda_facts(const struct ki_device_handle *h)
{
	char architecture[16];
	json_t *evidence, *facts, *settings = ki_nvml_settings(h->nvml);

	snprintf(architecture, sizeof architecture, "sm_%d%d", h->major, h->minor);
	evidence = json_pack("{s:s, s:s, s:i, s:I, s:b, s:I, s:s, s:o}", "uuid", h->uuid, "library",
			     h->driver.path, "multiprocessors", h->multiprocessors, "l2Bytes",
			     (json_int_t)h->l2_bytes, "l2Reported", h->l2_bytes > 0, "flushBytes",
			     (json_int_t)h->flush_bytes, "elapsedTime",
			     h->driver.api.event_elapsed_v2 != NULL ? "cuEventElapsedTime_v2"
								    : "cuEventElapsedTime",
			     "state", ki_nvml_state(h->nvml));
	facts = json_pack("{s:{s:s, s:s, s:s, s:I, s:i}, s:o, s:o}", "hardware", "vendor", "nvidia",
			  "product", h->name, "architecture", architecture, "memoryBytes",
			  (json_int_t)h->memory_bytes, "count", 1, "software", cuda_software(h),
			  "evidence", evidence);
	if (facts != NULL && json_object_size(settings) > 0)
		json_object_set(facts, "settings", settings);
	json_decref(settings);
	return facts;
}

/* ---------------------------------------------------------------- memory */

/* Copies and what the stream does are not ordered by themselves: the stream is not the default. */
static int cuda_synchronize(struct ki_device_handle *h, struct ki_error *e)
{
	return cuda_check(h, h->driver.api.stream_synchronize(h->stream), "cuStreamSynchronize", e);
}

static int cuda_allocate(struct ki_device_handle *h, void **out, uint64_t bytes, struct ki_error *e)
{
	ki_cu_ptr p = 0;
	int rc = cuda_check(h, h->driver.api.mem_alloc(&p, bytes), "cuMemAlloc", e);

	/* Device addresses are numbers to this side.  NOLINTNEXTLINE(performance-no-int-to-ptr) */
	*out = rc == KI_SUCCESS ? (void *)(uintptr_t)p : NULL;
	return rc;
}

static void cuda_release(struct ki_device_handle *h, void *memory, uint64_t bytes)
{
	(void)bytes;
	h->driver.api.mem_free((ki_cu_ptr)(uintptr_t)memory);
}

static int cuda_copy_in(struct ki_device_handle *h, void *device, const void *host, uint64_t bytes,
			struct ki_error *e)
{
	int rc = cuda_synchronize(h, e);

	if (rc == KI_SUCCESS)
		rc = cuda_check(
			h,
			h->driver.api.memcpy_to_device((ki_cu_ptr)(uintptr_t)device, host, bytes),
			"cuMemcpyHtoD", e);
	/* From pageable memory it may return with the last piece still on its way. */
	if (rc == KI_SUCCESS)
		rc = cuda_check(h, h->driver.api.ctx_synchronize(), "cuCtxSynchronize", e);
	return rc;
}

static int cuda_copy_out(struct ki_device_handle *h, void *host, const void *device, uint64_t bytes,
			 struct ki_error *e)
{
	int rc = cuda_synchronize(h, e);

	if (rc == KI_SUCCESS)
		rc = cuda_check(
			h, h->driver.api.memcpy_to_host(host, (ki_cu_ptr)(uintptr_t)device, bytes),
			"cuMemcpyDtoH", e);
	return rc;
}

static int cuda_fill(struct ki_device_handle *h, void *device, uint64_t bytes, uint64_t key,
		     struct ki_error *e)
{
	ki_cu_ptr to = (ki_cu_ptr)(uintptr_t)device;
	uint64_t words = bytes / sizeof(uint64_t), last = ki_seed_poison_word(key, words);
	uint64_t blocks = (words + CUDA_THREADS - 1) / CUDA_THREADS;
	void *parameters[] = {&to, &words, &key};
	int rc = KI_SUCCESS;

	if (words > 0)
		rc = cuda_check(
			h,
			h->driver.api.launch_kernel(
				h->poison,
				(unsigned)(blocks < CUDA_BLOCKS_MAX ? blocks : CUDA_BLOCKS_MAX), 1,
				1, CUDA_THREADS, 1, 1, 0, h->stream, parameters, NULL),
			"cuLaunchKernel", e);
	if (rc == KI_SUCCESS && bytes % sizeof last != 0)
		rc = cuda_copy_in(h, (char *)device + words * sizeof last, &last,
				  bytes % sizeof last, e);
	return rc;
}

static int cuda_zero(struct ki_device_handle *h, void *device, uint64_t bytes, struct ki_error *e)
{
	return cuda_check(
		h, h->driver.api.memset_d8((ki_cu_ptr)(uintptr_t)device, 0, bytes, h->stream),
		"cuMemsetD8Async", e);
}

/* ---------------------------------------------------------------- launches */

static void *cuda_stream(struct ki_device_handle *h)
{
	return h->stream;
}

static int cuda_flush(struct ki_device_handle *h, struct ki_error *e)
{
	return cuda_check(h,
			  h->driver.api.memset_d32(h->flush_memory, ++h->flush_value,
						   h->flush_bytes / sizeof(uint32_t), h->stream),
			  "cuMemsetD32Async", e);
}

static int cuda_flush_by_reading(struct ki_device_handle *h, struct ki_error *e)
{
	uint64_t vectors = h->flush_bytes / CUDA_VECTOR_BYTES;
	uint64_t blocks = (vectors + CUDA_THREADS - 1) / CUDA_THREADS;
	/* What is read is never what makes the kernel write there. */
	void *parameters[] = {&h->flush_memory, &vectors, &h->flush_memory};

	return cuda_check(h,
			  h->driver.api.launch_kernel(
				  h->read,
				  (unsigned)(blocks < CUDA_BLOCKS_MAX ? blocks : CUDA_BLOCKS_MAX),
				  1, 1, CUDA_THREADS, 1, 1, 0, h->stream, parameters, NULL),
			  "cuLaunchKernel", e);
}

static int cuda_control(struct ki_device_handle *h, struct ki_error *e)
{
	return cuda_check(
		h,
		h->driver.api.launch_kernel(h->nothing, 1, 1, 1, 1, 1, 1, 0, h->stream, NULL, NULL),
		"cuLaunchKernel", e);
}

static int cuda_mark(struct ki_device_handle *h, uint32_t index, struct ki_error *e)
{
	int rc = KI_SUCCESS;

	if (h->events[index] == NULL)
		rc = cuda_check(h,
				h->driver.api.event_create(&h->events[index], KI_CU_EVENT_DEFAULT),
				"cuEventCreate", e);
	if (rc == KI_SUCCESS)
		rc = cuda_check(h, h->driver.api.event_record(h->events[index], h->stream),
				"cuEventRecord", e);
	return rc;
}

static int cuda_elapsed(struct ki_device_handle *h, uint64_t *out_ns, uint32_t from, uint32_t to,
			struct ki_error *e)
{
	const struct ki_cu_api *api = &h->driver.api;
	float ms = NAN;
	int rc = cuda_check(h,
			    api->event_elapsed_v2 != NULL
				    ? api->event_elapsed_v2(&ms, h->events[from], h->events[to])
				    : api->event_elapsed(&ms, h->events[from], h->events[to]),
			    "cuEventElapsedTime", e);

	if (rc != KI_SUCCESS)
		return rc;
	/* Two events with a launch between them are never at the same time. */
	if (!(ms > 0) || ms > 1e9f)
		return ki_error_set(e, KI_FAIL_SYSTEM,
				    "two events with a launch between them are %g ms apart",
				    (double)ms);
	*out_ns = (uint64_t)llround((double)ms * 1e6);
	return KI_SUCCESS;
}

/* ---------------------------------------------------------------- copy rate */

static int cuda_copy(struct ki_device_handle *h, uint64_t *best_ns, ki_cu_ptr to, ki_cu_ptr from,
		     uint64_t bytes, struct ki_error *e)
{
	int round, rc = KI_SUCCESS;

	*best_ns = UINT64_MAX;
	for (round = 0; rc == KI_SUCCESS && round < CUDA_COPY_ROUNDS; round++) {
		uint64_t took = 0;

		rc = cuda_mark(h, 0, e);
		if (rc == KI_SUCCESS)
			rc = cuda_check(h,
					h->driver.api.memcpy_on_device(to, from, bytes, h->stream),
					"cuMemcpyDtoDAsync", e);
		if (rc == KI_SUCCESS)
			rc = cuda_mark(h, 1, e);
		if (rc == KI_SUCCESS)
			rc = cuda_synchronize(h, e);
		if (rc == KI_SUCCESS)
			rc = cuda_elapsed(h, &took, 0, 1, e);
		if (rc == KI_SUCCESS && round > 0 && took < *best_ns)
			*best_ns = took;
	}
	return rc;
}

static int cuda_copy_rate(struct ki_device_handle *h, double *out_bytes_per_s, struct ki_error *e)
{
	size_t available = 0, total = 0;
	uint64_t bytes = CUDA_COPY_BYTES, best;
	ki_cu_ptr to = 0, from = 0;
	int rc = cuda_check(h, h->driver.api.mem_get_info(&available, &total), "cuMemGetInfo", e);

	if (rc != KI_SUCCESS)
		return rc;
	if (bytes > available / 4)
		bytes = available / 4 / 4096 * 4096;
	rc = cuda_check(h, h->driver.api.mem_alloc(&to, bytes), "cuMemAlloc", e);
	if (rc == KI_SUCCESS)
		rc = cuda_check(h, h->driver.api.mem_alloc(&from, bytes), "cuMemAlloc", e);
	if (rc == KI_SUCCESS)
		rc = cuda_copy(h, &best, to, from, bytes, e);
	if (rc == KI_SUCCESS)
		*out_bytes_per_s = 2.0 * (double)bytes / ((double)best * 1e-9);
	if (to != 0)
		h->driver.api.mem_free(to);
	if (from != 0)
		h->driver.api.mem_free(from);
	return rc;
}

/* ---------------------------------------------------------------- for plugins */

static void *cuda_proc(struct ki_device_handle *h, const char *symbol)
{
	return ki_cuda_driver_proc(&h->driver, symbol);
}

static int cuda_module_load(struct ki_device_handle *h, void **out, const void *image,
			    struct ki_error *e)
{
	ki_cu_module module = NULL;
	int rc = ki_cuda_module_load(&module, &h->driver, image, e);

	if (rc == KI_SUCCESS)
		*out = module;
	return rc;
}

const struct ki_device_ops ki_device_cuda = {
	.kind = "cuda",
	.timer = "cuda_events",
	.synchronization = "stream_event",
	.open = cuda_open,
	.close = cuda_close,
	.describe = cuda_describe,
	.facts = cuda_facts,
	.allocate = cuda_allocate,
	.release = cuda_release,
	.copy_in = cuda_copy_in,
	.copy_out = cuda_copy_out,
	.fill = cuda_fill,
	.zero = cuda_zero,
	.stream = cuda_stream,
	.flush = cuda_flush,
	.flush_by_reading = cuda_flush_by_reading,
	.control = cuda_control,
	.mark = cuda_mark,
	.synchronize = cuda_synchronize,
	.elapsed = cuda_elapsed,
	.copy_rate = cuda_copy_rate,
	.proc = cuda_proc,
	.module_load = cuda_module_load,
};
