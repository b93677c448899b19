/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element types: their Kernel Index names, their DLPack codes, and exact conversions to and from
 * double (round to nearest, ties to even; overflow to infinity; any NaN stays a NaN).
 */
#ifndef KI_VERIFY_DTYPE_H
#define KI_VERIFY_DTYPE_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ki_dtype { KI_DTYPE_BF16, KI_DTYPE_FP16, KI_DTYPE_FP32, KI_DTYPE_FP64, KI_DTYPE_COUNT };

/* "bf16", "fp16", "fp32", "fp64"; false when name is none of them. */
bool ki_dtype_from_name(enum ki_dtype *out, const char *name);
const char *ki_dtype_name(enum ki_dtype t);
size_t ki_dtype_bytes(enum ki_dtype t);
DLDataType ki_dtype_dlpack(enum ki_dtype t);

/*
 * Relative error of one rounding, as the noise rule counts it: 2^-9 for bf16, 2^-12 for fp16,
 * 2^-25 for fp32, 2^-54 for fp64 (half a unit in the last place of a value just below a power of
 * two).
 */
double ki_dtype_unit(enum ki_dtype t);

/* n elements; src and dst do not overlap, and each is aligned for its type. */
void ki_dtype_to_double(double *dst, const void *src, enum ki_dtype t, size_t n);
void ki_dtype_from_double(void *dst, const double *src, enum ki_dtype t, size_t n);

#endif
