/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of ABI 1.0, pinned.  Compiles to nothing; a change of ki_plugin.h that moves, resizes
 * or renumbers anything does not compile.  Editing a line here is changing the ABI: a minor may
 * only add lines, and new sizes of structs that may grow.
 */
#include "ki_plugin.h"

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define FIELD(type, field, offset, bytes)                                                          \
	_Static_assert(offsetof(type, field) == (offset) && sizeof(((type *)0)->field) == (bytes), \
		       "place of " #type "." #field)
#define CALL(type, field, ...)                                                                     \
	_Static_assert(_Generic(((type *)0)->field, __VA_ARGS__ : 1, default : 0),                 \
		       "signature of " #type "." #field)
#define VALUE(name, value) _Static_assert((name) == (value), "value of " #name)

/* ---------------------------------------------------------------- DLPack, borrowed */

SIZE(DLDevice, 8);
SIZE(DLDataType, 4);
SIZE(DLTensor, 48);
FIELD(DLDevice, device_type, 0, 4);
FIELD(DLDevice, device_id, 4, 4);
FIELD(DLDataType, code, 0, 1);
FIELD(DLDataType, bits, 1, 1);
FIELD(DLDataType, lanes, 2, 2);
FIELD(DLTensor, data, 0, 8);
FIELD(DLTensor, device, 8, 8);
FIELD(DLTensor, ndim, 16, 4);
FIELD(DLTensor, dtype, 20, 4);
FIELD(DLTensor, shape, 24, 8);
FIELD(DLTensor, strides, 32, 8);
FIELD(DLTensor, byte_offset, 40, 8);
VALUE(kDLCPU, 1);
VALUE(kDLCUDA, 2);
VALUE(kDLInt, 0);
VALUE(kDLUInt, 1);
VALUE(kDLFloat, 2);
VALUE(kDLBfloat, 4);

/* ---------------------------------------------------------------- numbers */

VALUE(KI_ABI_MAJOR, 1);
VALUE(KI_ABI_MINOR, 0);
VALUE(KI_ABI_VERSION, 0x10000);
VALUE(KI_ABI_PACK(2, 3), 0x20003);
VALUE(KI_ABI_MAJOR_OF(0x20003), 2);
VALUE(KI_ABI_MINOR_OF(0x20003), 3);

SIZE(ki_status, 4);
_Static_assert((ki_status)-1 < 0, "ki_status is signed");
VALUE(KI_OK, 0);
VALUE(KI_E_UNSUPPORTED, 1);
VALUE(KI_E_INVALID, 2);
VALUE(KI_E_NOMEM, 3);
VALUE(KI_E_BUILD, 4);
VALUE(KI_E_DEVICE, 5);
VALUE(KI_E_ABI, 6);
VALUE(KI_E_INTERNAL, 7);
VALUE(KI_E_POISONED, 8);

VALUE(KI_LOG_DEBUG, 0);
VALUE(KI_LOG_INFO, 1);
VALUE(KI_LOG_WARN, 2);
VALUE(KI_LOG_ERROR, 3);

VALUE(KI_DT_BOOL, 6);
VALUE(KI_DT_F8_E4M3FN, 10);
VALUE(KI_DT_F8_E5M2, 12);
VALUE(KI_DT_F8_E8M0FNU, 14);
VALUE(KI_DT_F4_E2M1FN, 17);

VALUE(KI_ROLE_IN, 1);
VALUE(KI_ROLE_OUT, 2);
VALUE(KI_ROLE_INOUT, 3);

VALUE(KI_ATTR_I64, 1);
VALUE(KI_ATTR_F64, 2);
VALUE(KI_ATTR_STR, 3);

VALUE(KI_NEED_ZEROED, 1);
VALUE(KI_NEED_NOT_CAPTURABLE, 2);
VALUE(KI_NEED_SYNCS, 4);

/* ---------------------------------------------------------------- structs */

SIZE(struct ki_host, 56);
FIELD(struct ki_host, struct_size, 0, 4);
FIELD(struct ki_host, abi_version, 4, 4);
FIELD(struct ki_host, self, 8, 8);
FIELD(struct ki_host, name, 16, 8);
FIELD(struct ki_host, version, 24, 8);
FIELD(struct ki_host, log, 32, 8);
FIELD(struct ki_host, fail, 40, 8);
FIELD(struct ki_host, extension, 48, 8);
CALL(struct ki_host, log, void (*)(const struct ki_host *, int32_t, const char *));
CALL(struct ki_host, fail, ki_status (*)(const struct ki_host *, ki_status, int64_t, const char *));
CALL(struct ki_host, extension, const void *(*)(const struct ki_host *, const char *));

/* Frozen for the major: used in arrays. */
SIZE(struct ki_operand, 24);
FIELD(struct ki_operand, name, 0, 8);
FIELD(struct ki_operand, role, 8, 4);
FIELD(struct ki_operand, flags, 12, 4);
FIELD(struct ki_operand, tensor, 16, 8);

/* Frozen for the major: used in arrays. */
SIZE(struct ki_attr, 24);
FIELD(struct ki_attr, name, 0, 8);
FIELD(struct ki_attr, type, 8, 4);
FIELD(struct ki_attr, reserved0, 12, 4);
FIELD(struct ki_attr, v, 16, 8);
FIELD(struct ki_attr, v.i64, 16, 8);
FIELD(struct ki_attr, v.f64, 16, 8);
FIELD(struct ki_attr, v.str, 16, 8);

SIZE(struct ki_workload, 40);
FIELD(struct ki_workload, struct_size, 0, 4);
FIELD(struct ki_workload, n_operands, 4, 4);
FIELD(struct ki_workload, op, 8, 8);
FIELD(struct ki_workload, operands, 16, 8);
FIELD(struct ki_workload, attrs, 24, 8);
FIELD(struct ki_workload, n_attrs, 32, 4);
FIELD(struct ki_workload, flags, 36, 4);

SIZE(struct ki_device, 64);
FIELD(struct ki_device, struct_size, 0, 4);
FIELD(struct ki_device, driver_version, 4, 4);
FIELD(struct ki_device, dl, 8, 8);
FIELD(struct ki_device, context, 16, 8);
FIELD(struct ki_device, stream, 24, 8);
FIELD(struct ki_device, cc_major, 32, 4);
FIELD(struct ki_device, cc_minor, 36, 4);
FIELD(struct ki_device, name, 40, 8);
FIELD(struct ki_device, uuid, 48, 8);
FIELD(struct ki_device, cpu_threads, 56, 4);
FIELD(struct ki_device, reserved0, 60, 4);

SIZE(struct ki_needs, 24);
FIELD(struct ki_needs, struct_size, 0, 4);
FIELD(struct ki_needs, flags, 4, 4);
FIELD(struct ki_needs, scratch_bytes, 8, 8);
FIELD(struct ki_needs, scratch_align, 16, 8);

SIZE(struct ki_prepare, 32);
FIELD(struct ki_prepare, struct_size, 0, 4);
FIELD(struct ki_prepare, reserved0, 4, 4);
FIELD(struct ki_prepare, stream, 8, 8);
FIELD(struct ki_prepare, scratch, 16, 8);
FIELD(struct ki_prepare, budget_ns, 24, 8);

SIZE(struct ki_launch, 32);
FIELD(struct ki_launch, struct_size, 0, 4);
FIELD(struct ki_launch, n_operands, 4, 4);
FIELD(struct ki_launch, operands, 8, 8);
FIELD(struct ki_launch, stream, 16, 8);
FIELD(struct ki_launch, scratch, 24, 8);

SIZE(struct ki_kernel, 128);
FIELD(struct ki_kernel, struct_size, 0, 4);
FIELD(struct ki_kernel, flags, 4, 4);
FIELD(struct ki_kernel, id, 8, 8);
FIELD(struct ki_kernel, op, 16, 8);
FIELD(struct ki_kernel, summary, 24, 8);
FIELD(struct ki_kernel, language, 32, 8);
FIELD(struct ki_kernel, license, 40, 8);
FIELD(struct ki_kernel, source_digest, 48, 8);
FIELD(struct ki_kernel, source_uri, 56, 8);
FIELD(struct ki_kernel, project_revision, 64, 8);
FIELD(struct ki_kernel, supports, 72, 8);
FIELD(struct ki_kernel, create, 80, 8);
FIELD(struct ki_kernel, needs, 88, 8);
FIELD(struct ki_kernel, prepare, 96, 8);
FIELD(struct ki_kernel, launch, 104, 8);
FIELD(struct ki_kernel, destroy, 112, 8);
FIELD(struct ki_kernel, extension, 120, 8);
CALL(struct ki_kernel, supports,
     ki_status (*)(const struct ki_host *, const struct ki_device *, const struct ki_workload *));
CALL(struct ki_kernel, create,
     ki_status (*)(ki_instance **, const struct ki_host *, const struct ki_device *,
		   const struct ki_workload *));
CALL(struct ki_kernel, needs, ki_status (*)(ki_instance *, struct ki_needs *));
CALL(struct ki_kernel, prepare, ki_status (*)(ki_instance *, const struct ki_prepare *));
CALL(struct ki_kernel, launch, ki_status (*)(ki_instance *, const struct ki_launch *));
CALL(struct ki_kernel, destroy, void (*)(ki_instance *));
CALL(struct ki_kernel, extension, const void *(*)(const char *));

SIZE(struct ki_plugin, 88);
FIELD(struct ki_plugin, struct_size, 0, 4);
FIELD(struct ki_plugin, abi_version, 4, 4);
FIELD(struct ki_plugin, min_host_abi, 8, 4);
FIELD(struct ki_plugin, reserved0, 12, 4);
FIELD(struct ki_plugin, id, 16, 8);
FIELD(struct ki_plugin, version, 24, 8);
FIELD(struct ki_plugin, vendor, 32, 8);
FIELD(struct ki_plugin, license, 40, 8);
FIELD(struct ki_plugin, url, 48, 8);
FIELD(struct ki_plugin, toolchain, 56, 8);
FIELD(struct ki_plugin, kernels, 64, 8);
FIELD(struct ki_plugin, init, 72, 8);
FIELD(struct ki_plugin, deinit, 80, 8);
CALL(struct ki_plugin, init, ki_status (*)(const struct ki_host *));
CALL(struct ki_plugin, deinit, void (*)(void));
_Static_assert(_Generic(&ki_plugin_entry, ki_plugin_entry_fn : 1, default : 0) &&
		       _Generic(&ki_plugin_entry,
				const struct ki_plugin *(*)(uint32_t, char *, size_t) : 1,
				default : 0),
	       "signature of ki_plugin_entry");

SIZE(struct ki_host_cuda, 24);
FIELD(struct ki_host_cuda, struct_size, 0, 4);
FIELD(struct ki_host_cuda, reserved0, 4, 4);
FIELD(struct ki_host_cuda, proc, 8, 8);
FIELD(struct ki_host_cuda, module_load, 16, 8);
CALL(struct ki_host_cuda, proc, void *(*)(const struct ki_host *, const char *));
CALL(struct ki_host_cuda, module_load,
     ki_status (*)(const struct ki_host *, void **, const void *));

SIZE(struct ki_kernel_rows, 16);
FIELD(struct ki_kernel_rows, struct_size, 0, 4);
FIELD(struct ki_kernel_rows, reserved0, 4, 4);
FIELD(struct ki_kernel_rows, launch_rows, 8, 8);
CALL(struct ki_kernel_rows, launch_rows,
     ki_status (*)(ki_instance *, const struct ki_launch *, uint32_t, uint64_t, uint64_t));
