/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong, filled in once, by the function that noticed.
 *
 * The first failure is the cause: a later ki_error_set() on an error that is
 * already set leaves it alone.  Callers that know more put it in front with
 * ki_error_prefix().
 */
#ifndef KI_BASE_ERROR_H
#define KI_BASE_ERROR_H

#include <stdbool.h>

#define KI_ERROR_TEXT_MAX 1024

#define KI_MUST_CHECK __attribute__((warn_unused_result))
#define KI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* 0 is success everywhere; a function that can fail returns one of these. */
enum ki_code {
	KI_SUCCESS = 0,
	KI_FAIL_USAGE,     /* the command line is wrong */
	KI_FAIL_INPUT,     /* a file that the user gave is wrong */
	KI_FAIL_SYSTEM,    /* the operating system refused */
	KI_FAIL_MEMORY,    /* memory ran out */
	KI_FAIL_LIMIT,     /* a stated limit was reached */
	KI_FAIL_BACKEND,   /* a plugin or its worker misbehaved */
	KI_FAIL_TIMEOUT,   /* a deadline passed */
	KI_FAIL_INTERRUPT, /* the user asked to stop */
	KI_FAIL_INTERNAL   /* a defect of the harness */
};

struct ki_error {
	enum ki_code code;
	int native; /* errno, or 0 */
	char text[KI_ERROR_TEXT_MAX];
};

/* Each returns code, so that a caller can write `return ki_error_set(...)`.  e may be NULL. */
int ki_error_set(struct ki_error *e, enum ki_code code, const char *fmt, ...) KI_PRINTF(3, 4);

/* As ki_error_set() with KI_FAIL_SYSTEM, and ": <text of errnum>" behind. */
int ki_error_errno(struct ki_error *e, int errnum, const char *fmt, ...) KI_PRINTF(3, 4);

/* Puts text and ": " in front of an error that is set. */
void ki_error_prefix(struct ki_error *e, const char *fmt, ...) KI_PRINTF(2, 3);

void ki_error_clear(struct ki_error *e);

#ifdef __clang_analyzer__
/* It sees one file at a time: it cannot know that these return what they are given. */
#define ki_error_set(e, code, ...) (ki_error_set((e), (code), __VA_ARGS__), (code))
#define ki_error_errno(e, errnum, ...) (ki_error_errno((e), (errnum), __VA_ARGS__), KI_FAIL_SYSTEM)
#endif

#endif
