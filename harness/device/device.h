/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker needs of an execution device, as a table of functions: one implementation a file
 * (cpu.c, cuda/cuda.c).  Timing methods, placement and checks are written against this table alone,
 * so that a CPU and a GPU are measured by the same code.
 *
 * All calls come from one thread.  Pointers into device memory are opaque to the caller except
 * through copy_in, copy_out and fill.
 */
#ifndef KI_DEVICE_DEVICE_H
#define KI_DEVICE_DEVICE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ki_plugin.h"

/* Bytes that a flush goes over, in multiples of the last-level cache. */
#define KI_DEVICE_FLUSH_MULTIPLE 2

/* Most marks that may be outstanding between two calls of `elapsed_reset`. */
#define KI_DEVICE_MARKS_MAX 32768

struct ki_device_request {
	const char *kind;     /* "cpu", "cuda" */
	const char *selector; /* which of them: an index, a UUID; NULL or "": the first */
	unsigned threads; /* that a launch may keep busy; 0: every CPU that the process may use */
};

struct ki_device_handle;

struct ki_device_ops {
	const char *kind;            /* "cpu", "cuda" */
	const char *timer;           /* Kernel Index's token: "monotonic_raw", "cuda_events" */
	const char *synchronization; /* what ends a sample: "launch_return", "stream_event" */

	int (*open)(struct ki_device_handle **out, const struct ki_device_request *request,
		    struct ki_error *e);
	void (*close)(struct ki_device_handle *h);

	/* Fills in what a plugin sees; the strings live until close. */
	void (*describe)(const struct ki_device_handle *h, struct ki_device *out);

	/*
	 * Facts for the record: {"hardware": {...}, "software": {...}, "settings": {...}} as
	 * ExecutionEnvironment holds them (the last is optional), and "evidence": {...} for the
	 * rest.  A new reference, NULL without memory.
	 */
	json_t *(*facts)(const struct ki_device_handle *h);

	/* Device memory, 4096-byte aligned at least. */
	int (*allocate)(struct ki_device_handle *h, void **out, uint64_t bytes, struct ki_error *e);
	void (*release)(struct ki_device_handle *h, void *memory, uint64_t bytes);

	/* Blocking copies between host and device memory. */
	int (*copy_in)(struct ki_device_handle *h, void *device, const void *host, uint64_t bytes,
		       struct ki_error *e);
	int (*copy_out)(struct ki_device_handle *h, void *host, const void *device, uint64_t bytes,
			struct ki_error *e);
	/*
	 * Fills with the poison pattern of key: the 8-byte words of ki_seed_poison_word(key, 0..),
	 * the last one cut when bytes is no multiple of 8.  device is 8-byte aligned.
	 */
	int (*fill)(struct ki_device_handle *h, void *device, uint64_t bytes, uint64_t key,
		    struct ki_error *e);

	/* Enqueues a write of zeros. */
	int (*zero)(struct ki_device_handle *h, void *device, uint64_t bytes, struct ki_error *e);

	/* The stream that a launch gets; NULL on a CPU. */
	void *(*stream)(struct ki_device_handle *h);

	/* Enqueues a write over KI_DEVICE_FLUSH_MULTIPLE times the last-level cache. */
	int (*flush)(struct ki_device_handle *h, struct ki_error *e);
	/* The same by reading: what is evicted need not be written back while a launch runs. */
	int (*flush_by_reading)(struct ki_device_handle *h, struct ki_error *e);
	/* Enqueues the smallest launch there is: an empty kernel, on a CPU an empty call. */
	int (*control)(struct ki_device_handle *h, struct ki_error *e);

	/* Enqueues a time mark; index < KI_DEVICE_MARKS_MAX. */
	int (*mark)(struct ki_device_handle *h, uint32_t index, struct ki_error *e);
	/* Waits for everything that was enqueued. */
	int (*synchronize)(struct ki_device_handle *h, struct ki_error *e);
	/* Nanoseconds between two marks, after synchronize; never negative. */
	int (*elapsed)(struct ki_device_handle *h, uint64_t *out_ns, uint32_t from, uint32_t to,
		       struct ki_error *e);

	/*
	 * Measured here and now: bytes a second of a large copy (read and written bytes both
	 * counted) by as many threads as a launch may use.
	 */
	int (*copy_rate)(struct ki_device_handle *h, double *out_bytes_per_s, struct ki_error *e);

	/* For plugins, as struct ki_host_cuda of ki_plugin.h has them; NULL on a CPU. */
	void *(*proc)(struct ki_device_handle *h, const char *symbol);
	int (*module_load)(struct ki_device_handle *h, void **out, const void *image,
			   struct ki_error *e);
};

/* The implementation of this kind, or NULL. */
const struct ki_device_ops *ki_device_ops(const char *kind);

#endif
