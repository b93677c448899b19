/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "document/canonical.h"
#include "document/digest.h"
#include "import/liger.h"
#include "rows.h"

#define SEED_RUN "sha256:3b5c84a59072897ff201935266748b3d55531dd67bc9a0320f7ccbd411244531"

struct reading {
	char *text;
	struct ki_csv csv;
	struct ki_liger *liger;
	struct ki_liger_row row;
	struct ki_csv_row fields;
};

static void reading_open(struct reading *r, const char *text)
{
	struct ki_error e = {0};
	const char *why;

	*r = (struct reading){.text = strdup(text)};
	ki_csv_init(&r->csv, r->text, strlen(text));
	cr_assert_eq(ki_csv_next(&r->csv, &r->fields, &why), KI_CSV_ROW);
	cr_assert_eq(ki_liger_new(&r->liger, &r->fields, &e), 0, "%s", e.text);
}

static void reading_next(struct reading *r)
{
	struct ki_error e = {0};
	const char *why = "the end";

	cr_assert_eq(ki_csv_next(&r->csv, &r->fields, &why), KI_CSV_ROW, "%s", why);
	cr_assert_eq(ki_liger_read(&r->row, r->liger, &r->fields, &e), 0, "%s", e.text);
}

static void reading_close(struct reading *r)
{
	ki_liger_free(r->liger);
	free(r->text);
}

/* What becomes of the seed's row with from replaced by to. */
static void expect_outcome(const char *from, const char *to, enum ki_liger_outcome outcome,
			   const char *reason)
{
	static const char text[] = ROWS_HEADER ROWS_SEED;
	const char *at = strstr(text + sizeof ROWS_HEADER - 1, from);
	struct reading r;
	char changed[4096];

	cr_assert_not_null(at, "%s", from);
	snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to,
		 at + strlen(from));
	reading_open(&r, changed);
	reading_next(&r);
	cr_expect_eq(r.row.outcome, outcome, "%s -> %s: %s", from, to, r.row.reason);
	if (outcome != KI_LIGER_RECORD)
		cr_expect_str_eq(r.row.reason, reason, "%s", r.row.reason);
	reading_close(&r);
}

/* The record that the project pins (tests/vectors/seed-record.json), canonical. */
static char *seed_record(void)
{
	const char *root = getenv("KI_SRCDIR");
	struct ki_error e = {0};
	struct ki_buffer b;
	char path[4096];
	json_t *json;

	cr_assert_not_null(root);
	snprintf(path, sizeof path, "%s/tests/vectors/seed-record.json", root);
	json = json_load_file(path, 0, NULL);
	cr_assert_not_null(json);
	ki_buffer_init(&b, 1 << 20);
	cr_assert_eq(ki_canonical_write(&b, json, &e), 0);
	json_decref(json);
	return ki_buffer_steal(&b);
}

Test(liger, the_row_of_the_seed_gives_its_record_byte_for_byte)
{
	char *want = seed_record();
	struct reading r;

	reading_open(&r, ROWS_HEADER ROWS_SEED);
	reading_next(&r);
	cr_assert_eq(r.row.outcome, KI_LIGER_RECORD, "%s", r.row.reason);
	cr_expect_str_eq(r.row.run.text, SEED_RUN);
	cr_expect_eq(r.row.record_size, strlen(want));
	cr_expect_str_eq(r.row.record, want);
	cr_expect_str_eq(r.row.provider, "torch");
	cr_expect_str_eq(r.row.observed_at, "2025-04-28T04:46:11.000Z");
	reading_close(&r);
	free(want);
}

Test(liger, the_digest_of_a_run_is_that_of_its_document)
{
	struct ki_error e = {0};
	struct ki_digest d;
	struct reading r;
	json_t *record;

	reading_open(&r, ROWS_HEADER ROWS_SEED);
	reading_next(&r);
	record = json_loads(r.row.record, 0, NULL);
	cr_assert_eq(ki_digest_document(&d, json_object_get(record, "run"), &e), 0, "%s", e.text);
	cr_expect_str_eq(d.text, r.row.run.text);
	json_decref(record);
	reading_close(&r);
}

Test(liger, columns_are_found_by_their_names)
{
	struct reading r;

	reading_open(&r, "extra,liger_version,timestamp,gpu_name,extra_benchmark_config_str,"
			 "y_value_80,y_value_20,y_value_50,x_value,x_name,metric_unit,metric_name,"
			 "kernel_operation_mode,kernel_provider,kernel_name\n"
			 "?,0.1.1,2025-04-28 04:46:11,NVIDIA GeForce RTX 3090," ROWS_CONFIG(
				 "1", "bfloat16") ",0.7260159850120544,0.7167999744415283,"
						  "0.719871997833252,1024,L,ms,speed,forward,"
						  "torch,multi_token_attention\n");
	reading_next(&r);
	cr_assert_eq(r.row.outcome, KI_LIGER_RECORD, "%s", r.row.reason);
	cr_expect_str_eq(r.row.run.text, SEED_RUN);
	reading_close(&r);
}

Test(liger, a_file_without_a_column_is_refused)
{
	struct ki_csv_row header = {.line = 1, .count = 2, .fields = {"kernel_name", "x"}};
	struct ki_liger *liger = NULL;
	struct ki_error e = {0};

	cr_expect_eq(ki_liger_new(&liger, &header, &e), KI_FAIL_INPUT);
	cr_expect_not_null(strstr(e.text, "none named \"kernel_provider\""), "%s", e.text);
	cr_expect_null(liger);
}

Test(liger, what_is_not_known_is_left_out_by_name)
{
	expect_outcome("multi_token_attention", "fused_moe", KI_LIGER_LEFT_OUT, "kernel fused_moe");
	expect_outcome("speed,ms", "memory,MB", KI_LIGER_LEFT_OUT,
		       "metric memory of kernel multi_token_attention");
	expect_outcome("torch,", "torch_compile,", KI_LIGER_LEFT_OUT,
		       "provider torch_compile of kernel multi_token_attention");
	expect_outcome("RTX 3090", "RTX 9999", KI_LIGER_LEFT_OUT, "GPU NVIDIA GeForce RTX 9999");
	expect_outcome("torch.bfloat16", "torch.float8", KI_LIGER_LEFT_OUT, "dtype torch.float8");
	expect_outcome("\"\"groups\"\": 1", "\"\"groups\"\": 2", KI_LIGER_LEFT_OUT,
		       "configurations of kernel multi_token_attention without groups 1");
	expect_outcome("\"\"bias\"\": true", "\"\"bias\"\": false", KI_LIGER_LEFT_OUT,
		       "configurations of kernel multi_token_attention without bias");
	expect_outcome("\"\"B\"\": 2", "\"\"stride\"\": 2, \"\"B\"\": 2", KI_LIGER_LEFT_OUT,
		       "configuration \"stride\" of kernel multi_token_attention");
	expect_outcome(",L,", ",B,", KI_LIGER_LEFT_OUT,
		       "sweep over B of kernel "
		       "multi_token_attention");
	expect_outcome("RTX 3090", "RTX 4090", KI_LIGER_RECORD, NULL);
}

Test(liger, a_damaged_row_is_a_fault_that_says_what_was_expected)
{
	expect_outcome("torch,forward", "torch,,forward", KI_LIGER_FAULT,
		       "expected 15 fields, found 16");
	expect_outcome("torch,forward,", "torch,", KI_LIGER_FAULT, "expected 15 fields, found 14");
	/* Shifted by one, and cut at the end. */
	expect_outcome("speed,ms,L,sequence length,1024,0.719871997833252,",
		       "speed,ms,L,sequence length,extra,1024,", KI_LIGER_FAULT,
		       "x_value: expected a whole length, found \"extra\"");
	expect_outcome("torch,forward", "torch,sideways", KI_LIGER_FAULT,
		       "kernel_operation_mode: expected forward, backward or full, found "
		       "\"sideways\"");
	expect_outcome("speed,ms", "speed,us", KI_LIGER_FAULT,
		       "metric_unit: expected ms, found \"us\"");
	expect_outcome("0.719871997833252", "0.7198,", KI_LIGER_FAULT,
		       "expected 15 fields, found 16");
	expect_outcome("0.719871997833252", "0x1p3", KI_LIGER_FAULT,
		       "y_value_50: expected milliseconds, found \"0x1p3\"");
	expect_outcome("0.719871997833252", "-1", KI_LIGER_FAULT,
		       "y_value_50: expected milliseconds, found \"-1\"");
	expect_outcome("0.719871997833252", "", KI_LIGER_FAULT,
		       "y_value_50: expected milliseconds, found \"\"");
	expect_outcome("04:46:11", "04:46:61", KI_LIGER_FAULT,
		       "timestamp: expected a time, such as 2025-04-28 04:46:11, found "
		       "\"2025-04-28 04:46:61\"");
	expect_outcome("2025-04-28", "2025-02-29", KI_LIGER_FAULT,
		       "timestamp: expected a time, such as 2025-04-28 04:46:11, found "
		       "\"2025-02-29 04:46:11\"");
	expect_outcome(
		"\"\"B\"\": 2", "\"\"B\"\": 0", KI_LIGER_FAULT,
		"extra_benchmark_config_str: expected an object of B, C_in, C_out, K, groups, "
		"bias, dtype, found \"{\"B\": 0, \"C_in\": 4, \"C_out\": 4, \"K\": 3, "
		"\"groups\": 1, \"bias\": true, \"dtype\": \"torch.bfloat16\"}\"");
	expect_outcome("multi_token_attention,torch", "3.14,torch", KI_LIGER_FAULT,
		       "kernel_name: expected a name, found \"3.14\"");
}

Test(liger, what_the_last_row_said_does_not_reach_the_next)
{
	struct reading r;
	struct ki_digest first;

	reading_open(
		&r, ROWS_HEADER ROWS_SEED
		"multi_token_attention,torch,forward,speed,ms,L,s,64,1,1,1,oops,"
		"NVIDIA GeForce RTX 3090,2025-04-28 04:46:11,0.1.1\n"
		"sparse_multi_token_attention,liger,full,speed,ms,L,s,64,1,1,1," ROWS_CONFIG(
			"1",
			"float32") ",NVIDIA GeForce RTX 3090,2025-04-28 04:46:11,\n" ROWS_SEED);
	reading_next(&r);
	first = r.row.run;
	reading_next(&r);
	cr_expect_eq(r.row.outcome, KI_LIGER_FAULT);
	reading_next(&r);
	cr_expect_eq(r.row.outcome, KI_LIGER_RECORD, "%s", r.row.reason);
	cr_expect_null(strstr(r.row.record, "liger_version"), "an empty release is none");
	reading_next(&r);
	cr_expect_str_eq(r.row.run.text, first.text);
	reading_close(&r);
}

Test(liger, nanoseconds_are_rounded_as_javascript_does)
{
	static const struct {
		const char *ms;
		const char *text;
	} table[] = {
		{"0.0000005", "\"median\":1}"},
		{"0.00000049", "\"median\":0}"},
		{"0.0000025", "\"median\":3}"},
		{"1e3", "\"median\":1000000000}"},
	};
	char text[4096];
	struct reading r;
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		snprintf(text, sizeof text,
			 ROWS_HEADER
			 "multi_token_attention,torch,full,speed,ms,L,s,64,%s,1,1," ROWS_CONFIG(
				 "1", "float16") ",NVIDIA B200,2025-04-28 04:46:11,0.1.1\n",
			 table[i].ms);
		reading_open(&r, text);
		reading_next(&r);
		cr_assert_eq(r.row.outcome, KI_LIGER_RECORD, "%s", r.row.reason);
		cr_expect_not_null(strstr(r.row.record, table[i].text), "%s", table[i].ms);
		reading_close(&r);
	}
}
