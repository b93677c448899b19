/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "protocol/expression.h"

#define EXPRESSION_NAME_MAX 64
#define EXPRESSION_DEPTH_MAX 64

struct expression_parser {
	const char *text;
	const char *p;
	unsigned depth;
	ki_expression_lookup lookup;
	void *context;
	struct ki_error *error;
};

static int expression_sum(int64_t *out, struct expression_parser *x);

static int expression_fail(struct expression_parser *x, const char *what)
{
	return ki_error_set(x->error, KI_FAIL_INPUT, "expression \"%.200s\": %s at character %zu",
			    x->text, what, (size_t)(x->p - x->text) + 1);
}

static void expression_skip(struct expression_parser *x)
{
	while (*x->p == ' ')
		x->p++;
}

static int expression_number(int64_t *out, struct expression_parser *x)
{
	int64_t v = 0;

	for (; isdigit((unsigned char)*x->p); x->p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (int64_t)(*x->p - '0'), &v))
			return expression_fail(x, "a number beyond 64 bits");
	*out = v;
	return KI_SUCCESS;
}

static int expression_name(int64_t *out, struct expression_parser *x)
{
	char name[EXPRESSION_NAME_MAX];
	const char *start = x->p;
	size_t n = strspn(start, "abcdefghijklmnopqrstuvwxyz0123456789_");

	if (n >= sizeof name)
		return expression_fail(x, "a name that is too long");
	memcpy(name, start, n);
	name[n] = '\0';
	if (!x->lookup(out, name, x->context))
		return ki_error_set(x->error, KI_FAIL_INPUT,
				    "expression \"%.200s\": nothing is called \"%s\"", x->text,
				    name);
	x->p += n;
	return KI_SUCCESS;
}

static int expression_factor(int64_t *out, struct expression_parser *x)
{
	int rc;

	expression_skip(x);
	if (++x->depth > EXPRESSION_DEPTH_MAX)
		return expression_fail(x, "nesting that is too deep");
	if (*x->p == '-') {
		x->p++;
		rc = expression_factor(out, x);
		if (rc == KI_SUCCESS && __builtin_sub_overflow((int64_t)0, *out, out))
			rc = expression_fail(x, "a value beyond 64 bits");
	} else if (*x->p == '(') {
		x->p++;
		rc = expression_sum(out, x);
		expression_skip(x);
		if (rc == KI_SUCCESS && *x->p != ')')
			rc = expression_fail(x, "expected ')'");
		else if (rc == KI_SUCCESS)
			x->p++;
	} else if (isdigit((unsigned char)*x->p)) {
		rc = expression_number(out, x);
	} else if (islower((unsigned char)*x->p)) {
		rc = expression_name(out, x);
	} else {
		rc = expression_fail(x, "expected a number, a name or '('");
	}
	x->depth--;
	return rc;
}

static int expression_apply(int64_t *out, int64_t b, char op, struct expression_parser *x)
{
	bool overflow = false;

	if ((op == '/' || op == '%') && b == 0)
		return expression_fail(x, "division by zero");
	if (op == '+')
		overflow = __builtin_add_overflow(*out, b, out);
	else if (op == '-')
		overflow = __builtin_sub_overflow(*out, b, out);
	else if (op == '*')
		overflow = __builtin_mul_overflow(*out, b, out);
	else if (*out == INT64_MIN && b == -1)
		overflow = true;
	else
		*out = op == '/' ? *out / b : *out % b;
	return overflow ? expression_fail(x, "a value beyond 64 bits") : KI_SUCCESS;
}

static int expression_product(int64_t *out, struct expression_parser *x)
{
	int rc = expression_factor(out, x);

	while (rc == KI_SUCCESS) {
		int64_t b;
		char op;

		expression_skip(x);
		op = *x->p;
		if (op != '*' && op != '/' && op != '%')
			break;
		x->p++;
		rc = expression_factor(&b, x);
		if (rc == KI_SUCCESS)
			rc = expression_apply(out, b, op, x);
	}
	return rc;
}

static int expression_sum(int64_t *out, struct expression_parser *x)
{
	int rc = expression_product(out, x);

	while (rc == KI_SUCCESS) {
		int64_t b;
		char op;

		expression_skip(x);
		op = *x->p;
		if (op != '+' && op != '-')
			break;
		x->p++;
		rc = expression_product(&b, x);
		if (rc == KI_SUCCESS)
			rc = expression_apply(out, b, op, x);
	}
	return rc;
}

int ki_expression_evaluate(int64_t *out, const char *text, ki_expression_lookup lookup,
			   void *context, struct ki_error *e)
{
	struct expression_parser x = {
		.text = text, .p = text, .lookup = lookup, .context = context, .error = e};
	int64_t v;
	int rc = expression_sum(&v, &x);

	if (rc != KI_SUCCESS)
		return rc;
	expression_skip(&x);
	if (*x.p != '\0')
		return expression_fail(&x, "unexpected text");
	*out = v;
	return KI_SUCCESS;
}
