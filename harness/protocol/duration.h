/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_PROTOCOL_DURATION_H
#define KI_PROTOCOL_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* Longest duration that a plan can state: about 104 days, in integer nanoseconds below 2^53. */
#define KI_DURATION_MAX_NS ((uint64_t)9007199254740991)

/* "25 ms", "1.5 s", "10 min", "250us": a number and one of ns, us, ms, s, min, h. */
bool ki_duration_parse(uint64_t *out_ns, const char *text);

/* Writes "719.9 us", "1.250 ms", "12.00 s", "350 ns": four significant digits, the unit that suits.
 */
#define KI_DURATION_TEXT_MAX 32
void ki_duration_text(char out[KI_DURATION_TEXT_MAX], uint64_t ns);

#endif
