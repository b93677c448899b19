/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../folder.h"
#include "run/backend.h"

static char path[PATH_MAX];

static void setup(void)
{
	snprintf(path, sizeof path, "%s/tests/fixtures/scale.so", build_folder());
}

TestSuite(backend, .init = setup);

/* Opens prefix + path + suffix. */
static int open_it(struct ki_backend *b, const char *prefix, const char *suffix, struct ki_error *e)
{
	char text[PATH_MAX + 100];

	snprintf(text, sizeof text, "%s%s%s", prefix, path, suffix);
	return ki_backend_open(b, text, e);
}

Test(backend, is_called_by_its_file_unless_it_is_given_a_name)
{
	static const struct {
		const char *prefix;
		const char *suffix;
		const char *label;
		const char *kernel;
	} cases[] = {
		{"", "", "scale", NULL},
		{"", "#fast", "scale#fast", "fast"},
		{"new=", "", "new", NULL},
		{"a.b_c-d+1=", "#fast", "a.b_c-d+1", "fast"},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ki_backend b;

		cr_assert_eq(open_it(&b, cases[i].prefix, cases[i].suffix, NULL), KI_SUCCESS);
		cr_expect_str_eq(b.label, cases[i].label);
		cr_expect_str_eq(b.file_name, "scale.so");
		if (cases[i].kernel == NULL)
			cr_expect_null(b.kernel_asked);
		else
			cr_expect_str_eq(b.kernel_asked, cases[i].kernel);
		ki_backend_close(&b);
	}
}

Test(backend, a_name_or_a_kernel_that_is_empty_is_refused)
{
	static const char *const bad[] = {"=", "x=#y", "#y", "x=", ""};
	struct ki_backend b;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ki_error e = {0};

		cr_expect_neq(ki_backend_open(&b, bad[i], &e), KI_SUCCESS, "\"%s\"", bad[i]);
		cr_expect_str_not_empty(e.text);
	}
	cr_expect_neq(open_it(&b, "", "#", NULL), KI_SUCCESS);
}

Test(backend, its_digest_is_that_of_the_file)
{
	struct ki_digest digest;
	struct ki_backend b;
	uint64_t bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(open_it(&b, "", "", NULL), KI_SUCCESS);
	cr_assert_eq(ki_digest_file(&digest, &bytes, fd, NULL), KI_SUCCESS);
	cr_expect_str_eq(b.digest.text, digest.text);
	cr_expect_eq(b.bytes, bytes);
	close(fd);
	ki_backend_close(&b);
}

Test(backend, the_copy_that_is_loaded_can_no_longer_change)
{
	struct ki_backend b;

	cr_assert_eq(open_it(&b, "", "", NULL), KI_SUCCESS);
	cr_expect_eq(pwrite(b.image, "x", 1, 0), -1);
	cr_expect_neq(ftruncate(b.image, 0), 0);
	cr_expect_eq(fcntl(b.image, F_ADD_SEALS, F_SEAL_WRITE), -1);
	ki_backend_close(&b);
}

Test(backend, a_file_name_that_is_no_label_becomes_one)
{
	char folder[PATH_MAX], odd[PATH_MAX];
	struct ki_backend b;
	FILE *in, *out;
	int c;

	folder_make(folder);
	snprintf(odd, sizeof odd, "%s/a b\xc3\xa9\xff.so", folder);
	in = fopen(path, "rb");
	out = fopen(odd, "wb");
	cr_assert(in != NULL && out != NULL);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	fclose(out);
	cr_assert_eq(ki_backend_open(&b, odd, NULL), KI_SUCCESS);
	cr_expect_str_eq(b.label, "a_b___");
	ki_backend_close(&b);
	folder_remove(folder);
}
