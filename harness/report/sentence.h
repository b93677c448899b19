/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as a sentence for a person. */
#ifndef KI_REPORT_SENTENCE_H
#define KI_REPORT_SENTENCE_H

#include <stddef.h>

#include "stats/comparison.h"

#define KI_SENTENCE_MAX 400

/* The effect with its sign and its interval: "+3.1 % [2.4, 3.9]"; "" when there is none. */
void ki_sentence_effect(char *out, size_t size, const struct ki_comparison *c);

/*
 * "slower by 3.1 % [2.4, 3.9], floor 0.8 %, 6 pairs"; without a verdict also why there is none and
 * what would help.
 */
void ki_sentence_comparison(char out[KI_SENTENCE_MAX], const struct ki_comparison *c,
			    enum ki_outcome outcome, enum ki_doubt doubt,
			    const struct ki_comparison_rule *rule);

#endif
