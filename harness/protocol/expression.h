/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integer expressions over axes: + - * / % and parentheses, unary minus, names and decimal
 * integers; the grammar that Kernel Index allows for derived axes
 * (OperationSpec.axes.*.expression). Division rounds toward zero.
 */
#ifndef KI_PROTOCOL_EXPRESSION_H
#define KI_PROTOCOL_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Looks a name up; false when there is none. */
typedef bool (*ki_expression_lookup)(int64_t *out, const char *name, void *context);

/* An error says what is wrong and at which character (from 1). */
int ki_expression_evaluate(int64_t *out, const char *text, ki_expression_lookup lookup,
			   void *context, struct ki_error *e) KI_MUST_CHECK;

#endif
