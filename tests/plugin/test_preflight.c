/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on files that were built for this, whole and with one thing damaged. */
#include "config.h"

#include <criterion/criterion.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

/* ---------------------------------------------------------------- damage, one at a time */

/* size bytes of value at an offset; what was there is back after the verdict. */
static void expect_damaged(struct image *image, size_t at, const void *value, size_t size,
			   const char *verdict, const char *sentence)
{
	unsigned char before[16];

	cr_assert(size <= sizeof before && at + size <= image->size);
	memcpy(before, image->bytes + at, size);
	memcpy(image->bytes + at, value, size);
	expect_verdict(image, verdict, sentence);
	memcpy(image->bytes + at, before, size);
}

static void expect_damaged8(struct image *image, size_t at, uint8_t value, const char *verdict,
			    const char *sentence)
{
	expect_damaged(image, at, &value, sizeof value, verdict, sentence);
}

static void expect_damaged16(struct image *image, size_t at, uint16_t value, const char *verdict,
			     const char *sentence)
{
	expect_damaged(image, at, &value, sizeof value, verdict, sentence);
}

static void expect_damaged32(struct image *image, size_t at, uint32_t value, const char *verdict,
			     const char *sentence)
{
	expect_damaged(image, at, &value, sizeof value, verdict, sentence);
}

static void expect_damaged64(struct image *image, size_t at, uint64_t value, const char *verdict,
			     const char *sentence)
{
	expect_damaged(image, at, &value, sizeof value, verdict, sentence);
}

#define HEADER(field) offsetof(Elf64_Ehdr, field)
#define SEGMENT(field) offsetof(Elf64_Phdr, field)
#define SYMBOL(field) offsetof(Elf64_Sym, field)
#define DYNAMIC_VALUE offsetof(Elf64_Dyn, d_un)

Test(preflight, a_plugin_is_one_whichever_hash_table_it_has)
{
	static const char *const names[] = {"good", "sysv-hash", "gnu-hash", "undefined-symbol"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct image image = read_fixture(names[i]);

		expect_verdict(&image, "ok", "");
		free(image.bytes);
	}
}

Test(preflight, what_is_no_elf_file_is_shown_as_what_it_begins_with)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *sentence;
	} cases[] = {
		{"", 0, "it is empty"},
		{"#!/bin/sh\n", 10, "begins with '#!/bi'"},
		{"\x7f"
		 "EL",
		 3, "begins with '\\x7fEL'"},
		{"!<arch>\n", 8, "begins with '!<arc'"},
		{"\0\x1b\xff\\\n", 5, "begins with '\\x00\\x1b\\xff\\x5c\\x0a'"},
		{"a", 1, "begins with 'a'"},
	};
	struct image good = read_fixture("good");
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct image image = {(unsigned char *)(uintptr_t)cases[i].bytes, cases[i].size};

		expect_verdict(&image, "not-elf", cases[i].sentence);
	}
	expect_damaged8(&good, EI_CLASS, 3, "not-elf", "ELF class is 3");
	expect_damaged8(&good, EI_DATA, 0, "not-elf", "data encoding is 0");
	free(good.bytes);
}

Test(preflight, a_foreign_machine_is_named_beside_this_one)
{
	struct image image = read_fixture("good");
	uint8_t other = image.bytes[EI_DATA] == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
	bool is_arm = header_of(&image).e_machine == EM_AARCH64;

	expect_damaged16(&image, HEADER(e_machine), is_arm ? EM_X86_64 : EM_AARCH64,
			 "wrong-machine",
			 is_arm ? "built for x86-64 (machine 62), this machine is AArch64"
				: "built for AArch64 (machine 183), this machine is");
	expect_damaged16(&image, HEADER(e_machine), 9999, "wrong-machine",
			 "another architecture (machine 9999)");
	expect_damaged8(&image, EI_DATA, other, "wrong-machine", "the other byte order");
	expect_damaged8(&image, EI_CLASS, ELFCLASS32, "wrong-machine", "a 32-bit file for");
	free(image.bytes);
}

Test(preflight, another_kind_of_elf_file_is_called_by_its_name)
{
	struct image image = read_fixture("good"), program = read_image("/proc/self/exe");
	size_t spare = dynamic_at(&image, DT_STRSZ);
	const Elf64_Dyn pie = {.d_tag = DT_FLAGS_1, .d_un.d_val = DF_1_PIE | DF_1_NOW};

	expect_damaged16(&image, HEADER(e_type), ET_EXEC, "not-shared-object", "an executable");
	expect_damaged16(&image, HEADER(e_type), ET_REL, "not-shared-object", "an object file");
	expect_damaged16(&image, HEADER(e_type), ET_CORE, "not-shared-object", "a core dump");
	expect_damaged16(&image, HEADER(e_type), 0xfe01, "not-shared-object", "ELF type 65025");
	expect_damaged16(&image, HEADER(e_phnum), 0, "not-shared-object", "no program headers");
	expect_damaged16(&image, HEADER(e_phentsize), 32, "not-shared-object", "32 bytes each");
	expect_damaged32(&image, segment_of(&image, PT_DYNAMIC), PT_NULL, "not-shared-object",
			 "no dynamic section");
	expect_damaged(&image, spare, &pie, sizeof pie, "not-shared-object", "an executable");
	expect_verdict(&program, "not-shared-object", "an executable");
	free(program.bytes);
	free(image.bytes);
}

/* As the C library is: it can be run as well, and is a shared object all the same. */
Test(preflight, an_interpreter_makes_an_executable_of_what_has_no_entry_symbol)
{
	struct image plugin = read_fixture("good"), other = read_fixture("no-entry");

	expect_damaged32(&plugin, segment_of(&plugin, PT_GNU_STACK), PT_INTERP, "ok", "");
	expect_damaged32(&other, segment_of(&other, PT_GNU_STACK), PT_INTERP, "not-shared-object",
			 "an executable");
	free(plugin.bytes);
	free(other.bytes);
}

Test(preflight, what_lies_beyond_the_file_or_at_no_place_at_all_is_truncated)
{
	struct image image = read_fixture("good");
	size_t load = segment_of(&image, PT_LOAD), dynamic = segment_of(&image, PT_DYNAMIC);
	const uint64_t end = image.size;

	expect_damaged64(&image, HEADER(e_phoff), end - 1, "truncated", "the program headers end");
	expect_damaged64(&image, HEADER(e_phoff), UINT64_MAX - 7, "truncated", "no possible place");
	expect_damaged64(&image, HEADER(e_shoff), end - 1, "truncated", "the section headers end");
	expect_damaged64(&image, HEADER(e_shoff), UINT64_MAX, "truncated", "no possible place");
	expect_damaged64(&image, load + SEGMENT(p_filesz), end + 1, "truncated", "segment 0 ends");
	expect_damaged64(&image, load + SEGMENT(p_offset), UINT64_MAX, "truncated",
			 "no possible place");
	expect_damaged64(&image, dynamic + SEGMENT(p_filesz), UINT64_MAX, "truncated", "segment");
	free(image.bytes);
}

Test(preflight, without_an_entry_symbol_that_can_be_called_it_is_no_plugin)
{
	static const struct {
		const char *name;
		const char *sentence;
	} cases[] = {
		{"no-entry", "ki_plugin_entry is not among its dynamic symbols"},
		{"no-entry-hidden", "ki_plugin_entry is not among its dynamic symbols"},
		{"no-entry-data", "ki_plugin_entry is not a function"},
		{"no-entry-used", "ki_plugin_entry is used in it but not defined"},
	};
	struct image image = read_fixture("good");
	size_t i, at = entry_symbol_at(&image);
	size_t strsz = dynamic_at(&image, DT_STRSZ) + DYNAMIC_VALUE;
	uint32_t name;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct image other = read_fixture(cases[i].name);

		expect_verdict(&other, "no-entry-symbol", cases[i].sentence);
		free(other.bytes);
	}
	expect_damaged8(&image, at + SYMBOL(st_other), STV_HIDDEN, "no-entry-symbol", "is hidden");
	expect_damaged8(&image, at + SYMBOL(st_info), ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			"no-entry-symbol", "is local");
	expect_damaged8(&image, at + SYMBOL(st_info), ELF64_ST_INFO(STB_WEAK, STT_FUNC), "ok", "");
	expect_damaged32(&image, at + SYMBOL(st_name), UINT32_MAX, "no-entry-symbol", "not among");
	memcpy(&name, image.bytes + at + SYMBOL(st_name), sizeof name);
	expect_damaged64(&image, strsz, name + sizeof "ki_plugin_entry" - 1, "no-entry-symbol",
			 "not among");
	expect_damaged64(&image, strsz, name + sizeof "ki_plugin_entry", "ok", "");
	free(image.bytes);
}

/* Counts, buckets and addresses that lead elsewhere, in either hash table. */
Test(preflight, symbols_that_cannot_be_found_are_not_looked_for_elsewhere)
{
	struct image gnu = read_fixture("gnu-hash"), sysv = read_fixture("sysv-hash");
	size_t hash = table_at(&gnu, DT_GNU_HASH);

	expect_damaged32(&gnu, hash, UINT32_MAX, "no-entry-symbol", "cannot be read");
	expect_damaged32(&gnu, hash + 4, UINT32_MAX, "no-entry-symbol", "cannot be read");
	expect_damaged32(&gnu, hash + 8, UINT32_MAX, "no-entry-symbol", "cannot be read");
	expect_damaged64(&gnu, dynamic_at(&gnu, DT_GNU_HASH) + DYNAMIC_VALUE, UINT64_MAX,
			 "no-entry-symbol", "cannot be read");
	expect_damaged64(&gnu, dynamic_at(&gnu, DT_GNU_HASH), DT_DEBUG, "no-entry-symbol",
			 "cannot be read");
	expect_damaged64(&gnu, dynamic_at(&gnu, DT_SYMTAB) + DYNAMIC_VALUE, (uint64_t)1 << 40,
			 "no-entry-symbol", "cannot be read");
	expect_damaged64(&gnu, dynamic_at(&gnu, DT_STRTAB), DT_DEBUG, "no-entry-symbol",
			 "cannot be read");
	expect_damaged64(&gnu, dynamic_at(&gnu, DT_STRSZ) + DYNAMIC_VALUE, UINT64_MAX,
			 "no-entry-symbol", "cannot be read");
	expect_damaged64(&gnu, segment_of(&gnu, PT_DYNAMIC) + SEGMENT(p_filesz), 0,
			 "no-entry-symbol", "cannot be read");
	expect_damaged32(&sysv, table_at(&sysv, DT_HASH) + 4, UINT32_MAX, "no-entry-symbol",
			 "cannot be read");
	expect_damaged32(&sysv, table_at(&sysv, DT_HASH) + 4, 0, "no-entry-symbol", "not among");
	free(gnu.bytes);
	free(sysv.bytes);
}

/* ---------------------------------------------------------------- nothing else */

static int count_one(struct dl_phdr_info *info, size_t size, void *count)
{
	(void)info;
	(void)size;
	++*(int *)count;
	return 0;
}

static int count_loaded(void)
{
	int count = 0;

	dl_iterate_phdr(count_one, &count);
	return count;
}

/* Loading any of these ends this process, or holds it up, or refuses. */
Test(preflight, nothing_of_the_file_runs, .timeout = 10)
{
	static const char *const names[] = {
		"constructor-crash", "constructor-hang", "constructor-exit0", "constructor-forge",
		"entry-crash",       "entry-hang",       "refuses",           "undefined-symbol"};
	int before = count_loaded();
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct image image = read_fixture(names[i]);

		expect_verdict(&image, "ok", "");
		free(image.bytes);
	}
	cr_expect_eq(count_loaded(), before);
}

Test(preflight, a_sentence_ends_where_its_buffer_does)
{
	char small[8] = "xxxxxxx";

	cr_expect_eq(ki_preflight("", 0, NULL, 0), KI_PREFLIGHT_NOT_ELF);
	cr_expect_eq(ki_preflight("", 0, small, 6), KI_PREFLIGHT_NOT_ELF);
	cr_expect_str_eq(small, "it is");
	cr_expect_eq(small[6], 'x');
}

Test(preflight, every_verdict_has_a_name_of_its_own)
{
	int a, b;

	for (a = KI_PREFLIGHT_OK; a <= KI_PREFLIGHT_NO_ENTRY_SYMBOL; a++)
		for (b = KI_PREFLIGHT_OK; b < a; b++)
			cr_expect_str_neq(ki_preflight_name((enum ki_preflight_verdict)a),
					  ki_preflight_name((enum ki_preflight_verdict)b));
	cr_expect_str_eq(ki_preflight_name((enum ki_preflight_verdict)99), "unknown");
}
