/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness's own kernels: nothing, and the poison pattern.
 *
 * kernels.ptx is made from this file by build-aux/make-ptx.sh; tests/ptx.sh says when they have
 * drifted apart.
 */
typedef unsigned uint4_t __attribute__((ext_vector_type(4)));

#define KERNEL extern "C" __attribute__((global)) void

static __attribute__((device)) unsigned thread_index()
{
	return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
	       __nvvm_read_ptx_sreg_tid_x();
}

static __attribute__((device)) unsigned thread_count()
{
	return __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
}

/* What a launch costs that does nothing. */
KERNEL ki_nothing()
{
}

/* to[i] = ki_seed_poison_word(key, i) of base/seed.h: one step of SplitMix64 from key + i * gamma. */
KERNEL ki_poison(unsigned long long *to, unsigned long long n, unsigned long long key)
{
	unsigned long long i;

	for (i = thread_index(); i < n; i += thread_count()) {
		unsigned long long z = key + (i + 1) * 0x9e3779b97f4a7c15ull;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		to[i] = z ^ (z >> 31);
	}
}

/* Reads n vectors of 16 bytes; what it finds is written only when it is what no buffer holds. */
KERNEL ki_read(const uint4_t *from, unsigned long long n, unsigned *sink)
{
	unsigned long long i;
	unsigned sum = 0;

	for (i = thread_index(); i < n; i += thread_count())
		sum ^= from[i][0] ^ from[i][1] ^ from[i][2] ^ from[i][3];
	if (sum == 0x6b692d68u)
		*sink = sum;
}
