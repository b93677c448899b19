/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was found out about one backend on one case, and the status that follows.
 *
 * Findings are data, with the sentence that holds their numbers; the status is a pure function of
 * them: the highest in Kernel Index's precedence that any finding calls for.  Nothing is dropped.
 */
#ifndef KI_RECORD_FINDING_H
#define KI_RECORD_FINDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* In order of precedence: the first that applies is the status. */
enum ki_verdict {
	KI_VERDICT_UNSUPPORTED, /* the backend says that the case is not for it: no record */
	KI_VERDICT_COMPILE_ERROR,
	KI_VERDICT_INVALID_REFERENCE,
	KI_VERDICT_SUSPECTED_REWARD_HACK,
	KI_VERDICT_TIMEOUT,
	KI_VERDICT_RESOURCE_EXCEEDED,
	KI_VERDICT_RUNTIME_ERROR,
	KI_VERDICT_POLICY_VIOLATION,
	KI_VERDICT_INCORRECT_SHAPE,
	KI_VERDICT_INCORRECT_DTYPE,
	KI_VERDICT_INCORRECT_NUMERICAL,
	KI_VERDICT_INCOMPLETE_EVIDENCE,
	KI_VERDICT_PASSED,
	KI_VERDICT_COUNT
};

/* Kernel Index's name of it: "passed", "runtime_error", ...; "unsupported" is ours alone. */
const char *ki_verdict_name(enum ki_verdict v);

enum ki_finding_code {
	KI_FINDING_UNSUPPORTED,      /* supports() said no */
	KI_FINDING_BUILD_FAILED,     /* KI_E_BUILD, or the plugin did not load */
	KI_FINDING_REFERENCE_FAILED, /* the oracle or the eager reference did not answer */
	KI_FINDING_SELF_TEST_BLIND,  /* the comparison cannot tell right from wrong here */
	KI_FINDING_DEADLINE,         /* a phase took longer than the plan allows */
	KI_FINDING_OUT_OF_MEMORY,    /* KI_E_NOMEM, or scratch that cannot be had */
	KI_FINDING_CRASH,            /* a signal */
	KI_FINDING_EARLY_EXIT,       /* the process ended before it answered */
	KI_FINDING_PROTOCOL_BROKEN,  /* a message that no worker of ours sends */
	KI_FINDING_KERNEL_ERROR,     /* a call of the plugin returned an error */
	KI_FINDING_CONTRACT_BROKEN,  /* supports() said yes and create() said unsupported, ... */
	KI_FINDING_UNCLEAN_END,      /* measured, but the process did not end in order */
	KI_FINDING_GUARD_WRITTEN,    /* bytes beside a buffer changed */
	KI_FINDING_INPUT_MUTATED,    /* an input changed */
	KI_FINDING_POISON_SURVIVED,  /* part of an output was not written */
	KI_FINDING_CLASS_MISMATCH,   /* NaN or infinity where there should be none, or vice versa */
	KI_FINDING_NOISE_RATIO,      /* further from the oracle than rounding explains */
	KI_FINDING_HARNESS_FAILED,   /* this side failed */
	KI_FINDING_CODE_COUNT
};

const char *ki_finding_name(enum ki_finding_code c);

#define KI_FINDINGS_MAX 32
#define KI_FINDING_TEXT_MAX 600

struct ki_finding {
	enum ki_finding_code code;
	const char *phase; /* static: "load", "create", "launch", "before timing", "timed", ... */
	char text[KI_FINDING_TEXT_MAX];
};

/* Beyond KI_FINDINGS_MAX they are counted; one that changes the verdict takes the last place. */
struct ki_findings {
	size_t count;
	size_t dropped;
	struct ki_finding items[KI_FINDINGS_MAX];
};

void ki_findings_add(struct ki_findings *f, enum ki_finding_code code, const char *phase,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

bool ki_findings_has(const struct ki_findings *f, enum ki_finding_code code);

/* KI_VERDICT_PASSED when there are none. */
enum ki_verdict ki_findings_verdict(const struct ki_findings *f);

/* The finding that decides the verdict, or NULL. */
const struct ki_finding *ki_findings_cause(const struct ki_findings *f);

/* [{"code", "phase", "text"}], and {"code": "dropped", "count"} when some were; or NULL. */
json_t *ki_findings_json(const struct ki_findings *f);

#endif
