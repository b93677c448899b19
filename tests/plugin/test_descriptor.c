/* SPDX-License-Identifier: Apache-2.0 */
/* Each string of a descriptor: what it may look like, and the sentence when it does not. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plugin/descriptor.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define HEX40 "0123456789abcdef0123456789abcdef01234567"
#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define A32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static char why[256];

/* ---------------------------------------------------------------- descriptors that are right */

static ki_status never_supports(const struct ki_host *host, const struct ki_device *dev,
				const struct ki_workload *w)
{
	(void)host, (void)dev, (void)w;
	return KI_E_INTERNAL;
}

static ki_status never_create(ki_instance **out, const struct ki_host *host,
			      const struct ki_device *dev, const struct ki_workload *w)
{
	(void)out, (void)host, (void)dev, (void)w;
	return KI_E_INTERNAL;
}

static ki_status never_launch(ki_instance *k, const struct ki_launch *l)
{
	(void)k, (void)l;
	return KI_E_INTERNAL;
}

static void never_destroy(ki_instance *k)
{
	(void)k;
}

static struct ki_kernel right_kernel(void)
{
	return (struct ki_kernel){.id = "tiled-128",
				  .op = "gemm/1",
				  .language = "c",
				  .license = "MIT",
				  .supports = never_supports,
				  .create = never_create,
				  .launch = never_launch,
				  .destroy = never_destroy};
}

static struct ki_plugin right_plugin(void)
{
	static const struct ki_kernel *const kernels[] = {NULL};

	return (struct ki_plugin){
		.id = "org.example.gemm", .version = "1.0", .license = "MIT", .kernels = kernels};
}

/* Whether a descriptor with s in the string at an offset is right; why is checked. */
static bool kernel_with(size_t offset, const char *s)
{
	struct ki_kernel k = right_kernel();
	bool ok;

	memcpy((char *)&k + offset, &s, sizeof s);
	memset(why, 'x', sizeof why);
	ok = ki_descriptor_check_kernel(&k, why, sizeof why);
	cr_assert_eq(ok, why[0] == '\0');
	return ok;
}

static bool plugin_with(size_t offset, const char *s)
{
	struct ki_plugin p = right_plugin();
	bool ok;

	memcpy((char *)&p + offset, &s, sizeof s);
	memset(why, 'x', sizeof why);
	ok = ki_descriptor_check_plugin(&p, why, sizeof why);
	cr_assert_eq(ok, why[0] == '\0');
	return ok;
}

#define KERNEL(field) offsetof(struct ki_kernel, field)
#define PLUGIN(field) offsetof(struct ki_plugin, field)

/* ---------------------------------------------------------------- text */

Test(descriptor, text_is_bounded_utf8_without_control_characters)
{
	static const struct {
		const char *text;
		const char *fault;
	} cases[] = {
		{"", NULL},
		{"plain", NULL},
		{"Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80", NULL},
		{"\xc2\xa0", NULL},
		{"\xed\x9f\xbf\xee\x80\x80", NULL},
		{"\xf4\x8f\xbf\xbf", NULL},
		{"tab\t", "holds a control character"},
		{"\x1b[2J", "holds a control character"},
		{"\x7f", "holds a control character"},
		{"\xc2\x9b", "holds a control character"},
		{"\x80", "is not UTF-8"},
		{"\xff", "is not UTF-8"},
		{"cut \xe2\x82", "is not UTF-8"},
		{"overlong \xc0\xaf", "is not UTF-8"},
		{"overlong \xe0\x80\xaf", "is not UTF-8"},
		{"overlong \xf0\x80\x80\xaf", "is not UTF-8"},
		{"surrogate \xed\xa0\x80", "is not UTF-8"},
		{"beyond Unicode \xf4\x90\x80\x80", "is not UTF-8"},
		{"\xf5\x80\x80\x80", "is not UTF-8"},
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		const char *fault = ki_descriptor_text_fault(cases[i].text);

		if (cases[i].fault == NULL)
			cr_expect_null(fault, "case %zu", i);
		else
			cr_expect(fault != NULL && strcmp(fault, cases[i].fault) == 0, "case %zu",
				  i);
	}
}

/* The string ends where a page does that nobody may touch. */
Test(descriptor, text_is_read_up_to_its_end_or_4097_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = 4 * page;
	char *wall =
		mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(wall, MAP_FAILED);
	cr_assert_eq(mprotect(wall + room, page, PROT_NONE), 0);
	wall += room;
	memset(wall - 4097, 'x', 4097);
	cr_expect_str_eq(ki_descriptor_text_fault(wall - 4097), "is longer than 4096 bytes");
	wall[-1] = '\0';
	cr_expect_null(ki_descriptor_text_fault(wall - 4097));
	wall[-2] = (char)0xf0;
	cr_expect_str_eq(ki_descriptor_text_fault(wall - 4097), "is not UTF-8");
}

/* ---------------------------------------------------------------- shapes */

static void expect_shapes(bool (*with)(size_t, const char *), size_t offset,
			  const char *const *right, size_t n_right, const char *const *wrong,
			  size_t n_wrong)
{
	size_t i;

	for (i = 0; i < n_right; i++)
		cr_expect(with(offset, right[i]), "\"%s\": %s", right[i], why);
	for (i = 0; i < n_wrong; i++) {
		cr_expect_not(with(offset, wrong[i]), "\"%s\"", wrong[i]);
		cr_expect(strstr(why, "\" does not match ") != NULL ||
				  strstr(why, "\" is not ") != NULL,
			  "\"%s\": %s", wrong[i], why);
	}
}

#define EXPECT_SHAPES(with, offset, right, wrong)                                                  \
	expect_shapes(with, offset, right, COUNT(right), wrong, COUNT(wrong))

Test(descriptor, ids_have_their_shape)
{
	static const char *const right[] = {"abc", "org.example.gemm", "0_-.", A32 A32 A32 A32};
	static const char *const wrong[] = {"ab",  "Abc", ".abc",      "-abc",
					    "a/b", "a b", "z\xc3\xbc", A32 A32 A32 A32 "a"};
	static const char *const right_kernels[] = {"a", "7", "tiled-128"};

	EXPECT_SHAPES(plugin_with, PLUGIN(id), right, wrong);
	expect_shapes(kernel_with, KERNEL(id), right_kernels, COUNT(right_kernels), wrong + 1,
		      COUNT(wrong) - 1);
}

Test(descriptor, an_operation_is_a_name_and_a_revision)
{
	static const char *const right[] = {"gemm/1", "multi-token-attention/12", "a/999999999"};
	static const char *const wrong[] = {"gemm",    "gemm/",   "gemm/0",      "gemm/01",
					    "gemm/1a", "/1",      "gemm/1/2",    "Gemm/1",
					    "gemm/-1", "gemm/ 1", "a/1000000000"};

	EXPECT_SHAPES(kernel_with, KERNEL(op), right, wrong);
}

Test(descriptor, a_language_is_a_word)
{
	static const char *const right[] = {"c", "cuda_cpp", "f77"};
	static const char *const wrong[] = {"C", "c++", "_c", "7c", "cuda cpp"};

	EXPECT_SHAPES(kernel_with, KERNEL(language), right, wrong);
}

Test(descriptor, a_licence_is_an_expression)
{
	static const char *const right[] = {
		"MIT",
		"GPL-2.0+",
		"LicenseRef-Own",
		"DocumentRef-spdx:LicenseRef-Own",
		"GPL-2.0-only WITH Classpath-exception-2.0",
		"MIT AND Apache-2.0 OR BSD-3-Clause",
		"Apache-2.0 OR (MIT AND BSD-3-Clause)",
		"((MIT))",
		"(MIT)AND(X11)",
		"  MIT  ",
	};
	static const char *const wrong[] = {
		"see the file COPYING",
		"MIT AND",
		"AND MIT",
		"MIT AND OR X11",
		"MIT (X11)",
		"(MIT) X11",
		"(MIT",
		"MIT)",
		")MIT(",
		"()",
		"(MIT) WITH Classpath-exception-2.0",
		"MIT WITH (X11)",
		"MIT WITH A WITH B",
		"MIT WITH",
		"MIT/X11",
		"+",
		"A+B",
		" ",
	};

	EXPECT_SHAPES(kernel_with, KERNEL(license), right, wrong);
	EXPECT_SHAPES(plugin_with, PLUGIN(license), right, wrong);
}

Test(descriptor, digests_and_revisions_are_hexadecimal)
{
	static const char *const digests[] = {"sha256:" HEX64};
	static const char *const no_digests[] = {HEX64, "sha256:" HEX40, "sha256:" HEX64 "0",
						 "md5:" HEX64,
						 "sha256:" HEX40 "ABCDEF0123456789abcdef01"};
	static const char *const revisions[] = {HEX40, HEX64, HEX40 "+dirty", HEX64 "+dirty"};
	static const char *const no_revisions[] = {"main",    "0123456",       HEX40 "0",
						   HEX40 "+", HEX40 "+dirty?", "v1.0"};

	EXPECT_SHAPES(kernel_with, KERNEL(source_digest), digests, no_digests);
	EXPECT_SHAPES(kernel_with, KERNEL(project_revision), revisions, no_revisions);
}

/* ---------------------------------------------------------------- what has to be there */

Test(descriptor, what_is_required_is_there_and_the_rest_may_be_missing)
{
	static const struct {
		const char *name;
		bool (*with)(size_t, const char *);
		size_t offset;
		bool required;
	} fields[] = {
		{"id", plugin_with, PLUGIN(id), true},
		{"version", plugin_with, PLUGIN(version), true},
		{"vendor", plugin_with, PLUGIN(vendor), false},
		{"license", plugin_with, PLUGIN(license), true},
		{"url", plugin_with, PLUGIN(url), false},
		{"toolchain", plugin_with, PLUGIN(toolchain), false},
		{"kernels", plugin_with, PLUGIN(kernels), true},
		{"id", kernel_with, KERNEL(id), true},
		{"op", kernel_with, KERNEL(op), true},
		{"summary", kernel_with, KERNEL(summary), false},
		{"language", kernel_with, KERNEL(language), true},
		{"license", kernel_with, KERNEL(license), true},
		{"source_digest", kernel_with, KERNEL(source_digest), false},
		{"source_uri", kernel_with, KERNEL(source_uri), false},
		{"project_revision", kernel_with, KERNEL(project_revision), false},
		{"supports", kernel_with, KERNEL(supports), true},
		{"create", kernel_with, KERNEL(create), true},
		{"needs", kernel_with, KERNEL(needs), false},
		{"prepare", kernel_with, KERNEL(prepare), false},
		{"launch", kernel_with, KERNEL(launch), true},
		{"destroy", kernel_with, KERNEL(destroy), true},
		{"extension", kernel_with, KERNEL(extension), false},
	};
	char want[64];
	size_t i;

	for (i = 0; i < COUNT(fields); i++) {
		snprintf(want, sizeof want, "%s is NULL", fields[i].name);
		cr_expect_eq(fields[i].with(fields[i].offset, NULL), !fields[i].required, "%s",
			     fields[i].name);
		cr_expect_str_eq(why, fields[i].required ? want : "");
	}
	cr_expect_not(plugin_with(PLUGIN(version), ""));
	cr_expect_str_eq(why, "version is empty");
	cr_expect(kernel_with(KERNEL(summary), ""), "an empty one is as good as none");
}

Test(descriptor, each_string_is_text_of_any_shape)
{
	static const size_t of_plugin[] = {PLUGIN(id),      PLUGIN(version), PLUGIN(vendor),
					   PLUGIN(license), PLUGIN(url),     PLUGIN(toolchain)};
	static const size_t of_kernel[] = {KERNEL(id),         KERNEL(op),
					   KERNEL(summary),    KERNEL(language),
					   KERNEL(license),    KERNEL(source_digest),
					   KERNEL(source_uri), KERNEL(project_revision)};
	size_t i;

	for (i = 0; i < COUNT(of_plugin); i++) {
		cr_expect_not(plugin_with(of_plugin[i], "\x1b[2J"));
		cr_expect(strstr(why, "holds a control character") != NULL, "%s", why);
	}
	for (i = 0; i < COUNT(of_kernel); i++) {
		cr_expect_not(kernel_with(of_kernel[i], "caf\xe9"));
		cr_expect(strstr(why, "is not UTF-8") != NULL, "%s", why);
	}
}

Test(descriptor, a_bad_value_is_repeated_up_to_a_whole_character)
{
	/* The 60th byte is the first half of the last character that is not shown. */
	cr_expect_not(
		kernel_with(KERNEL(language), A32 "aaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xbc and more"));
	cr_expect_str_eq(why, "language \"" A32
			      "aaaaaaaaaaaaaaaaaaaaaaaaaaa\" does not match [a-z][a-z0-9_]*");
	cr_expect_not(kernel_with(KERNEL(op), "gemm"));
	cr_expect_str_eq(why, "op \"gemm\" is not a name and a revision, as in \"gemm/1\"");
}

Test(descriptor, a_sentence_ends_where_its_buffer_does)
{
	struct ki_kernel k = right_kernel();
	char small[10] = "xxxxxxxxx";

	k.launch = NULL;
	cr_expect_not(ki_descriptor_check_kernel(&k, small, 7));
	cr_expect_str_eq(small, "launch");
	cr_expect_eq(small[7], 'x');
	cr_expect_not(ki_descriptor_check_kernel(&k, NULL, 0));
}
