/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../folder.h"
#include "protocol/case.h"

static const char *source_path(char *out, size_t size, const char *name)
{
	const char *root = getenv("KI_SRCDIR");

	snprintf(out, size, "%s/%s", root != NULL ? root : ".", name);
	return out;
}

static void read_shipped(struct ki_plan *plan, struct ki_case_list *list)
{
	struct ki_error e = {0};
	char path[512];

	cr_assert_eq(ki_plan_read(plan,
				  source_path(path, sizeof path, "protocols/liger-forward.yaml"),
				  &e),
		     KI_SUCCESS, "%s", e.text);
	cr_assert_eq(ki_case_list_new(list, plan, &e), KI_SUCCESS, "%s", e.text);
}

/* Digests of the seed record's operation and of its workloads (Kernel Index, Liger's importer). */
static const struct {
	int64_t seq;
	const char *digest;
} liger_workloads[] = {
	{32, "sha256:1811a30c023de9ba56b75749c6c89ee4696bd1741f2567692bda781c51838155"},
	{64, "sha256:9d10a2f70e81b02e492b0198263f1ca645d0227c8bfcc48b343a4949ce34de2d"},
	{128, "sha256:b5d0f164ca814c7b5cc83e912c852a543a6aa2310d789e355908e580ed13034f"},
	{256, "sha256:3d70cc62f438033d46c527dd71cb43ab59ba9414c17c670ace3cb67e62744cc2"},
	{512, "sha256:ba1632be2b9d2558500779a1dc10840a134627ea51f811351b6853829725bc8e"},
	{1024, "sha256:95c56ccd8ab844776371ebadf2826eae823473667906a8b56f00a458432cc14d"},
};

Test(case, shipped_protocol_reproduces_the_seed_records_digests)
{
	struct ki_plan plan;
	struct ki_case_list list;
	size_t i;

	read_shipped(&plan, &list);
	cr_assert_str_eq(plan.operation_digest.text,
			 "sha256:daed040c2d774680d72fb0502074e800085dc4a87371ae4da62b78b8db9f1935");
	cr_assert_eq(list.count, 6);
	for (i = 0; i < list.count; i++) {
		char label[32];

		snprintf(label, sizeof label, "seq=%lld bf16", (long long)liger_workloads[i].seq);
		cr_expect_str_eq(list.cases[i].label, label);
		cr_expect_str_eq(list.cases[i].workload_digest.text, liger_workloads[i].digest);
	}
	ki_case_list_free(&list);
	ki_plan_free(&plan);
}

Test(case, work_counts_the_triangle_and_the_whole_output)
{
	struct ki_plan plan;
	struct ki_case_list list;
	const struct ki_case *c;

	read_shipped(&plan, &list);
	c = &list.cases[5];
	/* 2 bytes * (2*4*1024*1025/2 + 2*4*1024*1024 + 4*4*9 + 4), 2*4*1024*1025/2 * 4*9 * 2 */
	cr_expect_eq(c->work_bytes, 25174312);
	cr_expect_eq(c->work_operations, 302284800);
	cr_expect_eq(c->n_inputs, 3);
	cr_expect_eq(c->n_operands, 4);
	cr_expect_eq(c->operands[3].rows, 2 * 4 * 1024);
	cr_expect_eq(c->operands[3].row_length, 1024);
	cr_expect_eq(c->operands[1].generator.fan_in, 36);
	ki_case_list_free(&list);
	ki_plan_free(&plan);
}

Test(case, filters_know_axes_values_and_dtype)
{
	struct ki_plan plan;
	struct ki_case_list list;

	read_shipped(&plan, &list);
	cr_expect_eq(ki_case_matches(&list.cases[0], "seq", "32"), KI_CASE_MATCH);
	cr_expect_eq(ki_case_matches(&list.cases[0], "seq", "032"), KI_CASE_NO_MATCH);
	cr_expect_eq(ki_case_matches(&list.cases[0], "dtype", "bf16"), KI_CASE_MATCH);
	cr_expect_eq(ki_case_matches(&list.cases[0], "length", "32"), KI_CASE_NO_SUCH_AXIS);
	ki_case_list_free(&list);
	ki_plan_free(&plan);
}

/* ---------------------------------------------------------------- bad files */

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 65536);

	cr_assert(f != NULL && text != NULL);
	cr_assert(fread(text, 1, 65535, f) > 0);
	fclose(f);
	return text;
}

/* Reads the shipped protocol with `from` replaced by `to`; the error is in e. */
static int read_edited(const char *from, const char *to, struct ki_error *e)
{
	char source[512], path[PATH_MAX];
	char *text = slurp(source_path(source, sizeof source, "protocols/liger-forward.yaml"));
	char *at = strstr(text, from);
	struct ki_plan plan;
	struct ki_case_list list;
	int fd = file_make(path), rc;
	FILE *f = fdopen(fd, "wb");

	cr_assert(at != NULL, "\"%s\" is not in the protocol", from);
	cr_assert(f != NULL);
	fwrite(text, 1, (size_t)(at - text), f);
	fputs(to, f);
	fputs(at + strlen(from), f);
	fclose(f);
	free(text);
	rc = ki_plan_read(&plan, path, e);
	if (rc == KI_SUCCESS) {
		rc = ki_case_list_new(&list, &plan, e);
		if (rc == KI_SUCCESS)
			ki_case_list_free(&list);
		ki_plan_free(&plan);
	}
	unlink(path);
	return rc;
}

static const struct {
	const char *from;
	const char *to;
	const char *message; /* a part of it */
} bad_edits[] = {
	{"seq: [32, 64, 128, 256, 512, 1024], ", "", "axis seq is not bound"},
	{"seq: [32,", "sequence: [32,", "the operation has no axis \"sequence\""},
	{"seq: [32,", "seq: [\"32\",", "seq: expected an integer, found"},
	{"seq: [32,", "seq: [-32,", "axis seq: -32 is not a size"},
	{"seq: [32,", "seq: [0,", "expected an axis or a size of 1 or more"},
	{"seq: [32, 64, 128, 256, 512, 1024]", "seq: []", "axis seq: the list is empty"},
	{"seq: [32, 64,", "seq: [32, 32,", "is there twice"},
	{"batch: 2,", "batch: 4611686018427387904,", "is not a size"},
	{"batch: 2,", "batch: 9007199254740991,", "would be too large"},
	{"dtype: bf16\n", "dtype: bf17\n", "dtype: expected one of bf16, fp16, fp32, fp64"},
	{"scores: {generator: normal", "scores: {generator: gaussian", "unknown generator"},
	{"parameters: {a: 2.2", "parameters: {b: 2.2", "unknown key \"b\"; known are a"},
	{"    bias: {generator", "    bia: {generator", "nothing says how input \"bias\""},
	{"method: do_bench", "method: do_benchh", "unknown method \"do_benchh\""},
	{"segments: 8", "segments: 5", "expected an even number"},
	{"warmup: 25 ms", "warmup: 25 minutes", "expected a duration"},
	{"warmup: 25 ms", "warmup: -1", "expected a duration"},
	{"minimumSamples: 20", "minimumSamples: 0", "below the minimum of 1"},
	{"minimumSamples: 20", "minimumSample: 20", "unknown key \"minimumSample\""},
	{"rowLimit: 4", "rowLimit: 0", "must be above 0"},
	{"threads: all", "threads: none", "expected \"all\" or an integer from 1 to 4096"},
	{"groups: 1", "pass: backward", "the pass is spec.pass"},
	{"  pass: forward\n", "", "missing key \"pass\""},
	{"kind: Plan", "kind: Plans", "expected BenchmarkProtocol, OperationSpec or Plan"},
	{"apiVersion: ki-harness/v1", "apiVersion: ki-harness/v9", "expected \"ki-harness/v1\""},
	{"bytes: element_bytes", "bytes: element_byte", "nothing is called \"element_byte\""},
	{"operations: batch", "operations: 0 * batch", "not above 0"},
	{"  operation: multi-token-attention/1", "  operation: mta", "a name with a revision"},
};

Test(case, bad_protocols_are_refused_with_a_place_and_a_reason)
{
	size_t i;

	for (i = 0; i < sizeof bad_edits / sizeof bad_edits[0]; i++) {
		struct ki_error e = {0};
		int rc = read_edited(bad_edits[i].from, bad_edits[i].to, &e);

		cr_expect_eq(rc, KI_FAIL_INPUT, "%s -> %s was accepted", bad_edits[i].from,
			     bad_edits[i].to);
		cr_expect(strstr(e.text, bad_edits[i].message) != NULL,
			  "%s -> %s: \"%s\" lacks \"%s\"", bad_edits[i].from, bad_edits[i].to,
			  e.text, bad_edits[i].message);
	}
}

Test(case, a_sweep_over_two_axes_and_dtypes_gives_every_combination)
{
	struct ki_error e = {0};

	cr_expect_eq(read_edited("dtype: bf16\n", "dtype: [bf16, fp32]\n", &e), KI_SUCCESS, "%s",
		     e.text);
	cr_expect_eq(read_edited("batch: 2,", "batch: [1, 2],", &e), KI_SUCCESS, "%s", e.text);
}
