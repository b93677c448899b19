/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the CUDA kernels of multi-token attention share: element types, exp, and the little of a GPU
 * that they use, without a toolkit's headers.
 *
 * The .ptx beside each .cu is made by build-aux/make-ptx.sh; tests/ptx.sh says when they have
 * drifted apart.
 */
#ifndef KI_PLUGIN_MTA_CUH
#define KI_PLUGIN_MTA_CUH

typedef unsigned short u16;
typedef unsigned long long u64;

#define DEVICE static inline __attribute__((device, always_inline))
#define KERNEL extern "C" __attribute__((global)) void

#define THREAD ((unsigned)__nvvm_read_ptx_sreg_tid_x())
#define THREADS ((unsigned)__nvvm_read_ptx_sreg_ntid_x())
#define BLOCK_X ((unsigned)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCK_Y ((unsigned)__nvvm_read_ptx_sreg_ctaid_y())
#define BLOCK_Z ((unsigned)__nvvm_read_ptx_sreg_ctaid_z())
#define BLOCKS_X ((unsigned)__nvvm_read_ptx_sreg_nctaid_x())
#define LANES 32u

DEVICE void wait_for_block()
{
	__syncthreads();
}

DEVICE float from_bits(unsigned u)
{
	return __builtin_bit_cast(float, u);
}

DEVICE unsigned to_bits(float f)
{
	return __builtin_bit_cast(unsigned, f);
}

#define MEMBER __attribute__((device, always_inline))

/* Element types: in and out by float, to nearest, ties to even; a NaN stays one. */
struct fp32 {
	float v;

	MEMBER float get() const
	{
		return v;
	}

	MEMBER void set(float f)
	{
		v = f;
	}
};

struct bf16 {
	u16 v;

	MEMBER float get() const
	{
		return from_bits((unsigned)v << 16);
	}

	MEMBER void set(float f)
	{
		unsigned u = to_bits(f);

		v = f != f ? (u16)((u >> 16) | 0x40u) : (u16)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
	}
};

struct fp16 {
	u16 v;

	MEMBER float get() const
	{
		float f;

		asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(v));
		return f;
	}

	MEMBER void set(float f)
	{
		asm("cvt.rn.f16.f32 %0, %1;" : "=h"(v) : "f"(f));
	}
};

/* exp(x) within 2 units in the last place of a float; x <= 0, or NaN. */
DEVICE float exponential(float x)
{
	return __nvvm_ex2_approx_ftz_f(x * 1.44269504088896341f);
}

/* Over the 32 threads of a warp; the result is in all of them. */
DEVICE float warp_greatest(float v)
{
	for (int i = 16; i > 0; i >>= 1) {
		float other = __nvvm_shfl_sync_bfly_f32(0xffffffffu, v, i, 31);

		v = v > other ? v : other;
	}
	return v;
}

DEVICE float warp_sum(float v)
{
	for (int i = 16; i > 0; i >>= 1)
		v += __nvvm_shfl_sync_bfly_f32(0xffffffffu, v, i, 31);
	return v;
}

#define MINUS_INFINITY from_bits(0xff800000u)

#endif
