/* SPDX-License-Identifier: Apache-2.0 */
/* Fixtures as bytes, where things are in them, and verdicts on them that are held to the rules. */
#ifndef KI_TESTS_IMAGE_H
#define KI_TESTS_IMAGE_H

#include <criterion/criterion.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../folder.h"
#include "base/file.h"
#include "plugin/descriptor.h"
#include "plugin/preflight.h"

#define IMAGE_MAX ((size_t)64 << 20)

/* What the last verdict said. */
static char why[256];

/* ---------------------------------------------------------------- files */

struct image {
	unsigned char *bytes;
	size_t size;
};

static inline struct image read_image(const char *path)
{
	struct image image;
	struct ki_error e = {0};
	char *data;

	cr_assert_eq(ki_file_read(&data, &image.size, path, IMAGE_MAX, &e), 0, "%s", e.text);
	image.bytes = (unsigned char *)data;
	return image;
}

static inline struct image read_fixture(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/tests/fixtures/%s.so", build_folder(), name);
	return read_image(path);
}

/* The size bytes with a page behind them that nobody may touch. */
static inline const void *against_a_wall(const void *bytes, size_t size)
{
	static unsigned char *wall;

	if (wall == NULL) {
		wall = mmap(NULL, 2 * IMAGE_MAX, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		cr_assert_neq(wall, MAP_FAILED);
		wall += IMAGE_MAX;
		cr_assert_eq(mprotect(wall, IMAGE_MAX, PROT_NONE), 0);
	}
	return memcpy(wall - size, bytes, size);
}

/* The verdict on the bytes, after what holds of each: a byte beyond them is a crash. */
static inline enum ki_preflight_verdict judge(const void *bytes, size_t size)
{
	enum ki_preflight_verdict v;

	memset(why, 'x', sizeof why);
	v = ki_preflight(against_a_wall(bytes, size), size, why, sizeof why);
	cr_assert_lt((unsigned)v, (unsigned)KI_PREFLIGHT_NO_ENTRY_SYMBOL + 1);
	cr_assert_not_null(memchr(why, '\0', sizeof why));
	cr_assert_eq(why[0] == '\0', v == KI_PREFLIGHT_OK, "\"%s\"", why);
	cr_assert_null(ki_descriptor_text_fault(why), "\"%s\"", why);
	return v;
}

static inline void expect_verdict(const struct image *image, const char *verdict,
				  const char *sentence)
{
	const char *name = ki_preflight_name(judge(image->bytes, image->size));

	cr_expect_str_eq(name, verdict, "%s, expected %s: %s", name, verdict, why);
	cr_expect(strstr(why, sentence) != NULL, "\"%s\" is not in \"%s\"", sentence, why);
}

/* ---------------------------------------------------------------- places in a file */

static inline Elf64_Ehdr header_of(const struct image *image)
{
	Elf64_Ehdr h;

	memcpy(&h, image->bytes, sizeof h);
	return h;
}

static inline size_t segment_at(const struct image *image, unsigned i)
{
	return header_of(image).e_phoff + i * sizeof(Elf64_Phdr);
}

/* Where the first segment of this type is described. */
static inline size_t segment_of(const struct image *image, uint32_t type)
{
	unsigned i;

	for (i = 0; i < header_of(image).e_phnum; i++)
		if (memcmp(image->bytes + segment_at(image, i), &type, sizeof type) == 0)
			return segment_at(image, i);
	cr_assert_fail("no segment of type %u", type);
	return 0;
}

static inline Elf64_Phdr segment_read(const struct image *image, uint32_t type)
{
	Elf64_Phdr s;

	memcpy(&s, image->bytes + segment_of(image, type), sizeof s);
	return s;
}

/* Where the entry of the dynamic section with this tag is; 0 when there is none. */
static inline size_t dynamic_at(const struct image *image, int64_t tag)
{
	Elf64_Phdr s = segment_read(image, PT_DYNAMIC);
	size_t at;
	Elf64_Dyn d;

	for (at = s.p_offset; at < s.p_offset + s.p_filesz; at += sizeof d) {
		memcpy(&d, image->bytes + at, sizeof d);
		if (d.d_tag == tag)
			return at;
	}
	return 0;
}

static inline uint64_t dynamic_value(const struct image *image, int64_t tag)
{
	Elf64_Dyn d;

	cr_assert_neq(dynamic_at(image, tag), 0, "no tag %ld", (long)tag);
	memcpy(&d, image->bytes + dynamic_at(image, tag), sizeof d);
	return d.d_un.d_val;
}

/* Where an address that the dynamic section gives is in the file. */
static inline size_t table_at(const struct image *image, int64_t tag)
{
	uint64_t address = dynamic_value(image, tag);
	unsigned i;

	for (i = 0; i < header_of(image).e_phnum; i++) {
		Elf64_Phdr s;

		memcpy(&s, image->bytes + segment_at(image, i), sizeof s);
		if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
			return s.p_offset + (address - s.p_vaddr);
	}
	cr_assert_fail("address %lx is nowhere", (unsigned long)address);
	return 0;
}

/* Where the symbol of the entry point is. */
static inline size_t entry_symbol_at(const struct image *image)
{
	size_t at = table_at(image, DT_SYMTAB), names = table_at(image, DT_STRTAB);
	Elf64_Sym s;

	for (;; at += sizeof s) {
		cr_assert_leq(at + sizeof s, image->size);
		memcpy(&s, image->bytes + at, sizeof s);
		if (s.st_name < image->size - names &&
		    strcmp((const char *)image->bytes + names + s.st_name, "ki_plugin_entry") == 0)
			return at;
	}
}

#endif
