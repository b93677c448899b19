/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the CUDA driver API that is used here, in our own words: names, values and signatures
 * as NVIDIA documents them (CUDA Driver API reference, and cuda.h of CUDA 11.0 to 13.0, against
 * which tests/device/cuda_api.c holds this file).  Symbols carry their version suffix, so that the
 * signature is the one that is declared, whatever the driver's age.
 */
#ifndef KI_DEVICE_CUDA_API_H
#define KI_DEVICE_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t ki_cu_result;
typedef int32_t ki_cu_device;
typedef uint64_t ki_cu_ptr;
typedef struct ki_cu_context_st *ki_cu_context;
typedef struct ki_cu_stream_st *ki_cu_stream;
typedef struct ki_cu_event_st *ki_cu_event;
typedef struct ki_cu_module_st *ki_cu_module;
typedef struct ki_cu_function_st *ki_cu_function;

struct ki_cu_uuid {
	unsigned char bytes[16];
};

enum {
	KI_CU_SUCCESS = 0,
	KI_CU_INVALID_VALUE = 1,
	KI_CU_OUT_OF_MEMORY = 2,
	KI_CU_NOT_INITIALIZED = 3,
	KI_CU_DEINITIALIZED = 4,
	KI_CU_STUB_LIBRARY = 34,
	KI_CU_DEVICE_UNAVAILABLE = 46,
	KI_CU_NO_DEVICE = 100,
	KI_CU_INVALID_DEVICE = 101,
	KI_CU_NO_BINARY_FOR_GPU = 209,
	KI_CU_ECC_UNCORRECTABLE = 214,
	KI_CU_INVALID_PTX = 218,
	KI_CU_JIT_COMPILER_NOT_FOUND = 221,
	KI_CU_UNSUPPORTED_PTX_VERSION = 222,
	KI_CU_NOT_READY = 600,
	KI_CU_ILLEGAL_ADDRESS = 700,
	KI_CU_LAUNCH_OUT_OF_RESOURCES = 701,
	KI_CU_LAUNCH_TIMEOUT = 702,
	KI_CU_ASSERT = 710,
	KI_CU_HARDWARE_STACK_ERROR = 714,
	KI_CU_ILLEGAL_INSTRUCTION = 715,
	KI_CU_MISALIGNED_ADDRESS = 716,
	KI_CU_INVALID_ADDRESS_SPACE = 717,
	KI_CU_INVALID_PC = 718,
	KI_CU_LAUNCH_FAILED = 719,
	KI_CU_SYSTEM_DRIVER_MISMATCH = 803,
	KI_CU_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
	KI_CU_UNKNOWN = 999
};

/* cuDeviceGetAttribute */
enum {
	KI_CU_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	KI_CU_ATTRIBUTE_INTEGRATED = 18,
	KI_CU_ATTRIBUTE_ECC_ENABLED = 32,
	KI_CU_ATTRIBUTE_L2_CACHE_SIZE = 38,
	KI_CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	KI_CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
};

/* cuModuleLoadDataEx; the values travel in the pointers of the option array */
enum {
	KI_CU_JIT_INFO_LOG_BUFFER = 3,
	KI_CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
	KI_CU_JIT_ERROR_LOG_BUFFER = 5,
	KI_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
	KI_CU_JIT_LOG_VERBOSE = 12
};

enum { KI_CU_CONTEXT_SCHED_SPIN = 1 };        /* cuDevicePrimaryCtxSetFlags */
enum { KI_CU_STREAM_NON_BLOCKING = 1 };       /* cuStreamCreate */
enum { KI_CU_EVENT_DEFAULT = 0 };             /* cuEventCreate */
enum { KI_CU_LIMIT_PERSISTING_L2_CACHE = 6 }; /* cuCtxSetLimit */

/*
 * The one list of driver functions: X(need, field, symbol, parameters).  REQUIRED since CUDA 11.0;
 * OPTIONAL with the version that brought it.
 */
#define KI_CU_FUNCTIONS(X)                                                                         \
	X(REQUIRED, init, "cuInit", (unsigned))                                                    \
	X(REQUIRED, driver_get_version, "cuDriverGetVersion", (int *))                             \
	X(REQUIRED, get_error_name, "cuGetErrorName", (ki_cu_result, const char **))               \
	X(REQUIRED, get_error_string, "cuGetErrorString", (ki_cu_result, const char **))           \
	X(REQUIRED, device_get_count, "cuDeviceGetCount", (int *))                                 \
	X(REQUIRED, device_get, "cuDeviceGet", (ki_cu_device *, int))                              \
	X(REQUIRED, device_get_name, "cuDeviceGetName", (char *, int, ki_cu_device))               \
	X(REQUIRED, device_get_attribute, "cuDeviceGetAttribute", (int *, int, ki_cu_device))      \
	X(REQUIRED, device_total_mem, "cuDeviceTotalMem_v2", (size_t *, ki_cu_device))             \
	X(OPTIONAL, device_get_uuid_v2, "cuDeviceGetUuid_v2", /* 11.4: MIG has its own */          \
	  (struct ki_cu_uuid *, ki_cu_device))                                                     \
	X(REQUIRED, device_get_uuid, "cuDeviceGetUuid", (struct ki_cu_uuid *, ki_cu_device))       \
	X(REQUIRED, primary_ctx_set_flags, "cuDevicePrimaryCtxSetFlags_v2",                        \
	  (ki_cu_device, unsigned))                                                                \
	X(REQUIRED, primary_ctx_retain, "cuDevicePrimaryCtxRetain",                                \
	  (ki_cu_context *, ki_cu_device))                                                         \
	X(REQUIRED, primary_ctx_release, "cuDevicePrimaryCtxRelease_v2", (ki_cu_device))           \
	X(REQUIRED, ctx_set_current, "cuCtxSetCurrent", (ki_cu_context))                           \
	X(REQUIRED, ctx_synchronize, "cuCtxSynchronize", (void))                                   \
	X(REQUIRED, ctx_set_limit, "cuCtxSetLimit", (int, size_t))                                 \
	X(OPTIONAL, ctx_reset_persisting, "cuCtxResetPersistingL2Cache", (void)) /* 11.0 */        \
	X(REQUIRED, stream_create, "cuStreamCreate", (ki_cu_stream *, unsigned))                   \
	X(REQUIRED, stream_destroy, "cuStreamDestroy_v2", (ki_cu_stream))                          \
	X(REQUIRED, stream_synchronize, "cuStreamSynchronize", (ki_cu_stream))                     \
	X(REQUIRED, event_create, "cuEventCreate", (ki_cu_event *, unsigned))                      \
	X(REQUIRED, event_destroy, "cuEventDestroy_v2", (ki_cu_event))                             \
	X(REQUIRED, event_record, "cuEventRecord", (ki_cu_event, ki_cu_stream))                    \
	X(OPTIONAL, event_elapsed_v2, "cuEventElapsedTime_v2", /* 12.8 */                          \
	  (float *, ki_cu_event, ki_cu_event))                                                     \
	X(REQUIRED, event_elapsed, "cuEventElapsedTime", (float *, ki_cu_event, ki_cu_event))      \
	X(REQUIRED, mem_get_info, "cuMemGetInfo_v2", (size_t *, size_t *))                         \
	X(REQUIRED, mem_alloc, "cuMemAlloc_v2", (ki_cu_ptr *, size_t))                             \
	X(REQUIRED, mem_free, "cuMemFree_v2", (ki_cu_ptr))                                         \
	X(REQUIRED, memcpy_to_device, "cuMemcpyHtoD_v2", (ki_cu_ptr, const void *, size_t))        \
	X(REQUIRED, memcpy_to_host, "cuMemcpyDtoH_v2", (void *, ki_cu_ptr, size_t))                \
	X(REQUIRED, memcpy_on_device, "cuMemcpyDtoDAsync_v2",                                      \
	  (ki_cu_ptr, ki_cu_ptr, size_t, ki_cu_stream))                                            \
	X(REQUIRED, memset_d32, "cuMemsetD32Async", (ki_cu_ptr, unsigned, size_t, ki_cu_stream))   \
	X(REQUIRED, memset_d8, "cuMemsetD8Async",                                                  \
	  (ki_cu_ptr, unsigned char, size_t, ki_cu_stream))                                        \
	X(REQUIRED, module_load_data, "cuModuleLoadDataEx",                                        \
	  (ki_cu_module *, const void *, unsigned, int *, void **))                                \
	X(REQUIRED, module_unload, "cuModuleUnload", (ki_cu_module))                               \
	X(REQUIRED, module_get_function, "cuModuleGetFunction",                                    \
	  (ki_cu_function *, ki_cu_module, const char *))                                          \
	X(OPTIONAL, func_load, "cuFuncLoad", (ki_cu_function)) /* 12.4 */                          \
	X(REQUIRED, launch_kernel, "cuLaunchKernel",                                               \
	  (ki_cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
	   ki_cu_stream, void **, void **))

struct ki_cu_api {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator */
#define KI_CU_MEMBER(need, field, symbol, parameters) ki_cu_result(*field) parameters;
	KI_CU_FUNCTIONS(KI_CU_MEMBER)
#undef KI_CU_MEMBER
};

#endif
