/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ki_plugin.h - the kernel plugin ABI of ki-harness, major 1.
 *
 * A plugin is a shared object that exports exactly one symbol, ki_plugin_entry().  It links against
 * nothing of the harness: everything it may ask of the host is in the struct ki_host that it is
 * handed.
 *
 * Ground rules, which hold for every struct below unless it says otherwise:
 *
 *   - struct_size is the size, in bytes, of the struct as the side that FILLS it was compiled: its
 *     sizeof.  The reading side never touches a byte beyond it.
 *   - A field that is absent, zero or NULL means "not provided".  Zero is always the old behaviour.
 *   - Every struct has fixed-width members and no implicit padding, so that an appended field never
 *     lands in an old struct's tail padding.
 *   - Pointers handed to a call are borrowed until it returns; pointers found in a plugin's static
 *     descriptors live until the process ends.
 *   - Strings are UTF-8 without control characters, NUL-terminated, of at most 4096 bytes.  A
 *     field that is marked [req] is neither NULL nor empty.
 *
 * The life of a plugin, in a process of its own:
 *
 *     ki_plugin_entry -> init
 *       -> supports -> create -> needs -> prepare -> launch, many times -> destroy
 *     -> deinit
 *
 * No two calls into a plugin overlap.  Thread tags: [load] the loading thread, before any device
 * work; [work] the one thread that runs this instance; [any] any thread.
 *
 * A plugin does not fork, exit, install signal handlers, write to standard output, change the
 * environment, the device's clocks or the current context, nor time anything.  Threads that it
 * makes are idle outside of a call and joined by destroy.
 */
#ifndef KI_PLUGIN_H
#define KI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include <dlpack/dlpack.h> /* DLTensor, DLDevice, DLDataType; 0.5 or later */

#ifdef __cplusplus
extern "C" {
#endif

#define KI_ABI_MAJOR 1u
#define KI_ABI_MINOR 0u
#define KI_ABI_PACK(major, minor) (((uint32_t)(major) << 16) | (uint32_t)(minor))
#define KI_ABI_VERSION KI_ABI_PACK(KI_ABI_MAJOR, KI_ABI_MINOR)
#define KI_ABI_MAJOR_OF(v) ((uint32_t)(v) >> 16)
#define KI_ABI_MINOR_OF(v) ((uint32_t)(v)&0xffffu)

#define KI_ENTRY_SYMBOL "ki_plugin_entry"

#if defined(__GNUC__)
#define KI_EXPORT __attribute__((visibility("default")))
#else
#define KI_EXPORT
#endif

/* True when the filler of *p, a struct type, knew its field f: KI_HAS(dev, struct ki_device, f). */
#define KI_HAS(p, type, f) ((p)->struct_size >= offsetof(type, f) + sizeof((p)->f))

/* ------------------------------------------------------------------ status */

typedef int32_t ki_status;

enum {
	KI_OK = 0,
	KI_E_UNSUPPORTED = 1, /* expected: this workload or device is not for us */
	KI_E_INVALID = 2,     /* the caller broke the contract */
	KI_E_NOMEM = 3,       /* host or device memory ran out */
	KI_E_BUILD = 4,       /* run-time compilation or module load failed */
	KI_E_DEVICE = 5,      /* a device API call failed; see the native code */
	KI_E_ABI = 6,         /* the two sides cannot work together */
	KI_E_INTERNAL = 7,    /* a defect in the plugin */
	KI_E_POISONED = 8     /* the device context is beyond use: end the process */
			      /* Readers take any other value for KI_E_INTERNAL. */
};

/* -------------------------------------------------------------------- host */

enum { KI_LOG_DEBUG = 0, KI_LOG_INFO = 1, KI_LOG_WARN = 2, KI_LOG_ERROR = 3 };

struct ki_host {
	uint32_t struct_size;
	uint32_t abi_version;
	void *self;          /* opaque; pass the table back, not this */
	const char *name;    /* [req] "ki-harness" */
	const char *version; /* [req] "0.3.1" */

	/* [any] Copies msg.  Never writes to standard output. */
	void (*log)(const struct ki_host *host, int32_t level, const char *msg);

	/*
	 * [any] Record why the call in progress fails, and return code, so that a plugin can write
	 *     return host->fail(host, KI_E_DEVICE, rc, "cuLaunchKernel");
	 * The host copies msg; the first record of a call is reported as the cause.  This is the
	 * only error channel: there is nothing to free, and nothing dangles after the plugin is
	 * gone.
	 */
	ki_status (*fail)(const struct ki_host *host, ki_status code, int64_t native_code,
			  const char *msg);

	/* [any] A host interface by name, "ki.cuda/1", or NULL. */
	const void *(*extension)(const struct ki_host *host, const char *id);
};

/* ---------------------------------------------------------------- workload */

/*
 * DLDataType.code is a byte.  These are codes of DLPack 1.1 that an older dlpack.h (Debian 12 ships
 * 0.6) does not name.
 */
enum {
	KI_DT_BOOL = 6,
	KI_DT_F8_E4M3FN = 10,
	KI_DT_F8_E5M2 = 12,
	KI_DT_F8_E8M0FNU = 14,
	KI_DT_F4_E2M1FN = 17
};

enum { KI_ROLE_IN = 1, KI_ROLE_OUT = 2, KI_ROLE_INOUT = 3 };

/*
 * ki_operand and ki_attr are used in arrays, so their size is FROZEN for the whole major.  What is
 * new about an operand goes into an attribute or an extension.
 *
 * A tensor's strides are always given; it is compact and row-major unless the operation says
 * otherwise, and byte_offset is 0.  Its data is NULL until launch and aligned to 256 bytes then.
 */
struct ki_operand {
	const char *name; /* [req] as the operation defines it: "A" */
	uint32_t role;
	uint32_t flags; /* none defined yet: 0 */
	const DLTensor *tensor;
};

enum { KI_ATTR_I64 = 1, KI_ATTR_F64 = 2, KI_ATTR_STR = 3 };

struct ki_attr {
	const char *name;
	uint32_t type;
	uint32_t reserved0;
	union {
		int64_t i64;
		double f64;
		const char *str;
	} v;
};

/*
 * What is to be computed.  op names an operation and the revision of its definition: "gemm/1".  A
 * definition never changes; other numerics, operands or meanings are another revision.  Which pass
 * of the operation is meant is the string attribute "pass": "forward", "backward".
 */
struct ki_workload {
	uint32_t struct_size;
	uint32_t n_operands;
	const char *op; /* [req] */
	const struct ki_operand *operands;
	const struct ki_attr *attrs;
	uint32_t n_attrs;
	uint32_t flags; /* none defined yet: 0 */
};

struct ki_device {
	uint32_t struct_size;
	int32_t driver_version; /* as cuDriverGetVersion(); 0 on CPU */
	DLDevice dl;            /* kDLCPU or kDLCUDA, and the ordinal */
	void *context;          /* CUcontext, primary, current; NULL on CPU */
	void *stream;           /* CUstream for create and prepare; NULL on CPU */
	int32_t cc_major;       /* compute capability; 0 on CPU */
	int32_t cc_minor;
	const char *name;
	const char *uuid;
	uint32_t cpu_threads; /* that a launch may keep busy, the caller's included; at least 1 */
	uint32_t reserved0;
};

/* ---------------------------------------------------------------- instance */

typedef struct ki_instance ki_instance; /* the plugin's own */

#define KI_NEED_ZEROED (1u << 0)         /* scratch is zeroed before every launch */
#define KI_NEED_NOT_CAPTURABLE (1u << 1) /* launch cannot be stream-captured */
#define KI_NEED_SYNCS (1u << 2)          /* launch waits for the device before it returns */

/* Filled by the plugin; the host zeroes it and sets struct_size first. */
struct ki_needs {
	uint32_t struct_size;
	uint32_t flags; /* KI_NEED_* */
	uint64_t scratch_bytes;
	uint64_t scratch_align; /* a power of two of at most 4096; 0 means 256 */
};

struct ki_prepare {
	uint32_t struct_size;
	uint32_t reserved0;
	void *stream;
	void *scratch;      /* what is left in it is lost before the first launch */
	uint64_t budget_ns; /* wall time that the host allows for tuning; 0: none */
};

struct ki_launch {
	uint32_t struct_size;
	uint32_t n_operands;
	const struct ki_operand *operands; /* in the workload's order */
	void *stream;
	void *scratch;
};

/* ------------------------------------------------------------------ kernel */

/*
 * One implementation of one operation.  op is the name that a workload's op has to equal, revision
 * and all ("gemm/1"); supports then decides by the attributes, of which "pass" is one, and by the
 * shapes and dtypes of the operands.
 *
 * A kernel that breaks a rule of its descriptor is left out; the plugin's others stay.
 */
struct ki_kernel {
	uint32_t struct_size;
	uint32_t flags; /* none defined yet: 0 */
	const char *id; /* [req] unique in the plugin, [a-z0-9][a-z0-9._-]{0,127}: "tiled-128" */
	const char *op; /* [req] [a-z0-9][a-z0-9._-]{0,127}, "/" and a number from 1: "gemm/1" */
	const char *summary;          /* one line */
	const char *language;         /* [req] [a-z][a-z0-9_]*: "c", "cuda_cpp", "ptx", "triton" */
	const char *license;          /* [req] SPDX expression of this kernel's source */
	const char *source_digest;    /* "sha256:" and 64 hexadecimal digits, of its source */
	const char *source_uri;       /* where that source is */
	const char *project_revision; /* its commit, 40 or 64 hexadecimal digits; "+dirty" behind
					 when there were changes */

	/* [work] Pure and quick: no device memory, no compilation.  KI_OK binds create to succeed
	 * unless memory or the device fails. */
	ki_status (*supports)(const struct ki_host *host, const struct ki_device *dev,
			      const struct ki_workload *w);
	/* [work] */
	ki_status (*create)(ki_instance **out, const struct ki_host *host,
			    const struct ki_device *dev, const struct ki_workload *w);
	/* [work] Optional; NULL means no scratch and no special needs. */
	ki_status (*needs)(ki_instance *k, struct ki_needs *out);
	/* [work] Optional.  Compile, tune, upload constants; may block.  The inputs that the timed
	 * launches will see are not written yet. */
	ki_status (*prepare)(ki_instance *k, const struct ki_prepare *p);
	/* [work] Enqueue on l->stream and return: no synchronisation, no allocation, no other
	 * stream, no clock, no pointer kept from the last call.  On kDLCPU the work is done when
	 * this returns. */
	ki_status (*launch)(ki_instance *k, const struct ki_launch *l);
	/* [work] Cannot fail.  NULL is not passed. */
	void (*destroy)(ki_instance *k);
	/* [any] Optional: a kernel interface by name, or NULL. */
	const void *(*extension)(const char *id);
};

/* ------------------------------------------------------------------ plugin */

struct ki_plugin {
	/* These 16 bytes never change, in any major. */
	uint32_t struct_size;
	uint32_t abi_version;  /* KI_ABI_VERSION of the header it was built with */
	uint32_t min_host_abi; /* the oldest host it works with, same packing */
	uint32_t reserved0;    /* 0 */

	const char *id;      /* [req] reverse-DNS, [a-z0-9][a-z0-9._-]{2,127}: "org.example.gemm" */
	const char *version; /* [req] the plugin's own, "1.2.0" */
	const char *vendor;
	const char *license; /* [req] SPDX expression, of the shared object as a whole */
	const char *url;
	const char *toolchain;                  /* compiler, version and flags, free text */
	const struct ki_kernel *const *kernels; /* [req] NULL-terminated, 1 to 256 of them */

	ki_status (*init)(const struct ki_host *host); /* [load] optional */
	void (*deinit)(void);                          /* [load] optional */
};

/*
 * The entry point.  host_abi is the host's KI_ABI_VERSION.  Returns NULL to refuse, with the reason
 * in why (always NUL-terminated by the callee when why_size is not 0).  Must not allocate, start
 * threads or touch a device.
 */
KI_EXPORT const struct ki_plugin *ki_plugin_entry(uint32_t host_abi, char *why, size_t why_size);
typedef const struct ki_plugin *(*ki_plugin_entry_fn)(uint32_t host_abi, char *why,
						      size_t why_size);

/* ---------------------------------------------- extension: "ki.cuda/1" (host) */

#define KI_EXT_CUDA "ki.cuda/1"

struct ki_host_cuda {
	uint32_t struct_size;
	uint32_t reserved0;
	/* [work] A driver function by its exported name ("cuMemAlloc_v2"), or NULL. */
	void *(*proc)(const struct ki_host *host, const char *symbol);
	/* [work] Load PTX or cubin into the current context; on failure the JIT log is kept with
	 * the error.  *out is a CUmodule. */
	ki_status (*module_load)(const struct ki_host *host, void **out, const void *image);
};

/* -------------------------------------------- extension: "ki.rows/1" (kernel) */

#define KI_EXT_ROWS "ki.rows/1"

/*
 * What a float64 oracle offers, so that its output need never exist whole: the host asks for a span
 * of rows at a time.  A row is the last axis of an output; rows are numbered in row-major order
 * over the axes before it.
 */
struct ki_kernel_rows {
	uint32_t struct_size;
	uint32_t reserved0;
	/* [work] As launch, but computes rows first_row to first_row + n_rows - 1 of one output,
	 * operand number output.  The inputs are whole; that output has the shape [n_rows, length
	 * of a row], and the data of the others is NULL. */
	ki_status (*launch_rows)(ki_instance *k, const struct ki_launch *l, uint32_t output,
				 uint64_t first_row, uint64_t n_rows);
};

#ifdef __cplusplus
}
#endif
#endif /* KI_PLUGIN_H */
