/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int(ki_error_set)(struct ki_error *e, enum ki_code code, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL || e->code != KI_SUCCESS)
		return (int)code;
	e->code = code;
	e->native = 0;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return (int)code;
}

int(ki_error_errno)(struct ki_error *e, int errnum, const char *fmt, ...)
{
	char what[KI_ERROR_TEXT_MAX / 2];
	char reason[128];
	va_list ap;

	if (e == NULL || e->code != KI_SUCCESS)
		return KI_FAIL_SYSTEM;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	ki_error_set(e, KI_FAIL_SYSTEM, "%s: %s", what, strerror_r(errnum, reason, sizeof reason));
	e->native = errnum;
	return KI_FAIL_SYSTEM;
}

void ki_error_prefix(struct ki_error *e, const char *fmt, ...)
{
	char old[KI_ERROR_TEXT_MAX];
	char front[KI_ERROR_TEXT_MAX / 2];
	va_list ap;

	if (e == NULL || e->code == KI_SUCCESS)
		return;
	memcpy(old, e->text, sizeof old);
	va_start(ap, fmt);
	vsnprintf(front, sizeof front, fmt, ap);
	va_end(ap);
	snprintf(e->text, sizeof e->text, "%s: %.*s", front,
		 (int)(sizeof e->text - sizeof front - 2), old);
}

void ki_error_clear(struct ki_error *e)
{
	e->code = KI_SUCCESS;
	e->native = 0;
	e->text[0] = '\0';
}
