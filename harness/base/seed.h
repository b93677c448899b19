/* SPDX-License-Identifier: Apache-2.0 */
/* Deriving one 64-bit seed from another, and filling with a keyed pattern. */
#ifndef KI_BASE_SEED_H
#define KI_BASE_SEED_H

#include <stdint.h>

/* One step of SplitMix64 (Steele, Lea and Flood, "Fast splittable PRNGs", OOPSLA 2014). */
static inline uint64_t ki_seed_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A seed for part `index` of whatever `seed` belongs to. */
static inline uint64_t ki_seed_derive(uint64_t seed, uint64_t index)
{
	uint64_t state = seed ^ (index * 0xd1342543de82ef95u);

	ki_seed_next(&state);
	return ki_seed_next(&state);
}

/* Word `index` of the poison pattern with this key: a buffer that was not written still holds it.
 */
static inline uint64_t ki_seed_poison_word(uint64_t key, uint64_t index)
{
	uint64_t state = key + index * 0x9e3779b97f4a7c15u;

	return ki_seed_next(&state);
}

#endif
