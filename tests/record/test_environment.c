/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "parts.h"

static struct ki_identified make(const char *facts)
{
	struct ki_identified d = {0};
	struct ki_error e = {0};
	json_t *json = parts_json(facts);

	cr_assert_eq(ki_document_environment(&d, json, &e), KI_SUCCESS, "%s: %s", facts, e.text);
	json_decref(json);
	return d;
}

Test(environment, it_holds_hardware_and_software_and_no_evidence)
{
	struct ki_identified d = make(PARTS_FACTS);
	json_t *facts = parts_json(PARTS_FACTS);

	cr_expect_str_eq(parts_text(d.document, "kind"), "ExecutionEnvironment");
	cr_expect_str_eq(parts_text(d.document, "metadata.name"),
			 "amd-epyc-9654-debian-gnu-linux-12-bookworm");
	json_object_del(facts, "evidence");
	cr_expect(json_equal(parts_at(d.document, "spec"), facts));
	json_decref(facts);
	ki_identified_free(&d);
	cr_expect_null(d.document);
}

/* Another machine of the same build writes its facts in another order and has other volatile ones.
 */
Test(environment, equal_machines_have_equal_digests)
{
	struct ki_identified a = make(PARTS_FACTS);
	struct ki_identified b =
		make("{\"evidence\": {\"governor\": \"powersave\", \"cpus\": [3]},"
		     " \"software\": {\"libraries\": {\"glibc\": \"2.36\"}, \"kernel\": \"6.1.0\","
		     " \"operatingSystem\": \"Debian GNU/Linux 12 (bookworm)\"},"
		     " \"hardware\": {\"count\": 1, \"architecture\": \"x86_64\","
		     " \"product\": \"AMD EPYC 9654\", \"vendor\": \"amd\"}}");

	cr_expect_str_eq(a.digest.text, b.digest.text);
	cr_expect(json_equal(a.document, b.document));
	ki_identified_free(&a);
	ki_identified_free(&b);
}

Test(environment, each_fact_tells_machines_apart)
{
	static const char *const changes[][2] = {
		{"hardware", "product"},      {"hardware", "vendor"},
		{"hardware", "architecture"}, {"software", "operatingSystem"},
		{"software", "kernel"},       {"software", "driver"},
	};
	struct ki_identified a = make(PARTS_FACTS), b = {0};
	struct ki_error e = {0};
	size_t i;

	for (i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		json_t *facts = parts_json(PARTS_FACTS);

		json_object_set_new(json_object_get(facts, changes[i][0]), changes[i][1],
				    json_string("other"));
		cr_assert_eq(ki_document_environment(&b, facts, &e), KI_SUCCESS, "%s", e.text);
		cr_expect_str_neq(a.digest.text, b.digest.text, "%s", changes[i][1]);
		ki_identified_free(&b);
		json_decref(facts);
	}
	ki_identified_free(&a);
}

Test(environment, settings_and_a_gpu_have_their_fields)
{
	struct ki_identified d =
		make("{\"hardware\": {\"vendor\": \"nvidia\", \"product\": \"NVIDIA H200\","
		     " \"architecture\": \"sm_90\", \"formFactor\": \"SXM5\","
		     " \"memoryBytes\": 150754820096, \"interconnect\": \"NVLink\"},"
		     " \"software\": {\"driver\": \"580.82.07\", \"cudaToolkit\": \"13.0\","
		     " \"compiler\": \"nvcc\"}, \"settings\": {\"clocksLocked\": false,"
		     " \"powerLimitWatts\": 700.5, \"persistenceMode\": true,"
		     " \"eccEnabled\": true}}");

	cr_expect_eq(json_object_size(parts_at(d.document, "spec.hardware")), 6);
	cr_expect_eq(json_object_size(parts_at(d.document, "spec.software")), 3);
	cr_expect_eq(json_object_size(parts_at(d.document, "spec.settings")), 4);
	cr_expect_eq(json_real_value(parts_at(d.document, "spec.settings.powerLimitWatts")), 700.5);
	ki_identified_free(&d);
}

/* A defect of this program: no plugin ran in the process that asked. */
Test(environment, facts_that_the_schema_would_refuse_are_refused)
{
	static const struct {
		const char *facts;
		const char *what;
	} table[] = {
		{"{}", "hardware"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"x\","
		 " \"architecture\": \"x86_64\"}}",
		 "software"},
		{"{\"hardware\": {\"product\": \"x\", \"architecture\": \"x86_64\"},"
		 " \"software\": {}}",
		 "hardware.vendor"},
		{"{\"hardware\": {\"vendor\": \"AMD Inc.\", \"product\": \"x\","
		 " \"architecture\": \"x86_64\"}, \"software\": {}}",
		 "hardware.vendor"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"\","
		 " \"architecture\": \"x86_64\"}, \"software\": {}}",
		 "hardware.product"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"x\","
		 " \"architecture\": \"\"}, \"software\": {}}",
		 "hardware.architecture"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"x\","
		 " \"architecture\": \"x86_64\", \"count\": 0}, \"software\": {}}",
		 "hardware.count"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"x\","
		 " \"architecture\": \"x86_64\", \"count\": 9007199254740992}, \"software\": {}}",
		 "hardware.count"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"x\","
		 " \"architecture\": \"x86_64\", \"hostName\": \"mine\"}, \"software\": {}}",
		 "no field"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"x\","
		 " \"architecture\": \"x86_64\"}, \"software\": {\"libraries\": {\"g-libc\":"
		 " \"2\"}}}",
		 "software.libraries"},
		{"{\"hardware\": {\"vendor\": \"amd\", \"product\": \"x\","
		 " \"architecture\": \"x86_64\"}, \"software\": {}, \"settings\":"
		 " {\"powerLimitWatts\": 0}}",
		 "settings.powerLimitWatts"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct ki_identified d = {0};
		struct ki_error e = {0};
		json_t *facts = parts_json(table[i].facts);

		cr_expect_eq(ki_document_environment(&d, facts, &e), KI_FAIL_INTERNAL, "%s",
			     table[i].facts);
		cr_expect_not_null(strstr(e.text, table[i].what), "%s", e.text);
		cr_expect_null(d.document);
		json_decref(facts);
	}
}

/* 100 letters of two bytes are 200 bytes: one more and the last would be torn. */
Test(environment, what_is_unknown_or_too_long_is_left_out_and_a_name_is_cut_between_letters)
{
	char facts[2000], product[500] = "x", kernel[300];
	struct ki_identified d;
	size_t i;

	for (i = 0; i < 150; i++)
		strcat(product, "é");
	memset(kernel, 'k', sizeof kernel - 1);
	kernel[sizeof kernel - 1] = '\0';
	snprintf(facts, sizeof facts,
		 "{\"hardware\": {\"vendor\": \"amd\", \"product\": \"%s\", \"architecture\":"
		 " \"x86_64\"}, \"software\": {\"operatingSystem\": \"\", \"kernel\": \"%s\"}}",
		 product, kernel);
	d = make(facts);
	cr_expect_eq(strlen(parts_text(d.document, "spec.hardware.product")), 199);
	cr_expect_eq(json_object_size(parts_at(d.document, "spec.software")), 0);
	cr_expect_str_eq(parts_text(d.document, "metadata.name"), "x-unknown-system");
	cr_expect_leq(strlen(parts_text(d.document, "metadata.title")), 200);
	ki_identified_free(&d);
}
