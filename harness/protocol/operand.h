/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a case: dtype and shape from the operation, and for inputs what fills them. */
#ifndef KI_PROTOCOL_OPERAND_H
#define KI_PROTOCOL_OPERAND_H

#include "protocol/case.h"

struct ki_operand_reader {
	const struct ki_plan *plan;
	const struct ki_reader *reader;
};

/* Appends the operand that an argument of the OperationSpec stands for; the axes are bound. */
int ki_operand_read(struct ki_case *c, const struct ki_operand_reader *b,
		    const struct ki_node *argument, enum ki_operand_role role) KI_MUST_CHECK;

/* Name of parameter a (0) or b (1) of a generator; NULL when it has none. */
const char *ki_operand_parameter(enum ki_generator_kind kind, int i);

#endif
