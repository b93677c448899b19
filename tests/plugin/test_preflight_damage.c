/* SPDX-License-Identifier: Apache-2.0 */
/* Files cut off and damaged everywhere: there is a verdict, and no byte beyond them is read. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "image.h"

Test(preflight_damage, cut_off_at_any_length_it_is_truncated)
{
	struct image image = read_fixture("good");
	Elf64_Ehdr h = header_of(&image);
	size_t n;

	/* What is behind the last table may be missed by nobody. */
	cr_assert_eq(h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize, image.size);
	for (n = 0; n < image.size; n++) {
		unsigned char *exact = malloc(n);
		enum ki_preflight_verdict v = judge(image.bytes, n);

		cr_assert_eq(v, n < SELFMAG ? KI_PREFLIGHT_NOT_ELF : KI_PREFLIGHT_TRUNCATED,
			     "%zu bytes: %s", n, ki_preflight_name(v));
		/* A sanitizer sees what lies before the bytes, too. */
		cr_assert(exact != NULL || n == 0);
		if (n > 0)
			memcpy(exact, image.bytes, n);
		cr_assert_eq(ki_preflight(exact, n, why, sizeof why), v);
		free(exact);
	}
	free(image.bytes);
}

/* Every byte of size from an offset takes some other values. */
static void flip_all(struct image *image, size_t at, size_t size)
{
	static const unsigned char flips[] = {0x01, 0x02, 0x10, 0x80, 0xff};
	size_t i, k;

	cr_assert(at <= image->size && size <= image->size - at);
	for (i = at; i < at + size; i++) {
		for (k = 0; k < sizeof flips; k++) {
			image->bytes[i] ^= flips[k];
			judge(image->bytes, image->size);
			image->bytes[i] ^= flips[k];
		}
	}
}

static void flip_tables(const char *name, int64_t hash)
{
	struct image image = read_fixture(name);
	Elf64_Ehdr h = header_of(&image);
	Elf64_Phdr dynamic = segment_read(&image, PT_DYNAMIC);

	flip_all(&image, 0, sizeof h);
	flip_all(&image, h.e_phoff, (size_t)h.e_phnum * sizeof(Elf64_Phdr));
	flip_all(&image, h.e_shoff, (size_t)h.e_shnum * sizeof(Elf64_Shdr));
	flip_all(&image, dynamic.p_offset, dynamic.p_filesz);
	flip_all(&image, table_at(&image, hash), 128);
	flip_all(&image, table_at(&image, DT_SYMTAB), 10 * sizeof(Elf64_Sym));
	flip_all(&image, table_at(&image, DT_STRTAB), dynamic_value(&image, DT_STRSZ));
	expect_verdict(&image, "ok", "");
	free(image.bytes);
}

Test(preflight_damage, any_damaged_byte_of_its_tables_gets_a_verdict)
{
	flip_tables("gnu-hash", DT_GNU_HASH);
	flip_tables("sysv-hash", DT_HASH);
}

/* One to eight numbers of any width, more often than not where a table is; and sometimes a cut. */
static size_t mutate(struct image *image, const struct image *original, uint64_t *state)
{
	static const uint64_t nasty[] = {0,          1,          7,          0x7fff,    0xffff,
					 0x7fffffff, 0xffffffff, UINT64_MAX, INT64_MAX, 1u << 20};
	const size_t places[] = {0, header_of(original).e_phoff, header_of(original).e_shoff,
				 segment_read(original, PT_DYNAMIC).p_offset,
				 table_at(original, DT_SYMTAB)};
	const size_t n_nasty = sizeof nasty / sizeof nasty[0];
	uint64_t n = 1 + ki_seed_next(state) % 8;

	memcpy(image->bytes, original->bytes, original->size);
	while (n-- > 0) {
		uint64_t r = ki_seed_next(state), value = ki_seed_next(state);
		size_t width = (size_t)1 << (r % 4), place = (size_t)(r >> 2) % 7, at;

		at = place < 5 ? places[place] + (size_t)(r >> 8) % 512 / width * width
			       : (size_t)(r >> 8) % original->size;
		if ((r >> 60) % 2 == 0)
			value = nasty[value % n_nasty];
		if (at + width <= original->size)
			memcpy(image->bytes + at, &value, width);
	}
	return ki_seed_next(state) % 8 == 0 ? (size_t)(ki_seed_next(state) % original->size)
					    : original->size;
}

Test(preflight_damage, random_damage_gets_a_verdict)
{
	static const char *const names[] = {"gnu-hash", "sysv-hash"};
	uint64_t state = 20240229;
	unsigned counts[KI_PREFLIGHT_NO_ENTRY_SYMBOL + 1] = {0};
	size_t i, k;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct image original = read_fixture(names[i]);
		struct image image = {malloc(original.size), original.size};

		cr_assert_not_null(image.bytes);
		for (k = 0; k < 3000; k++) {
			size_t size = mutate(&image, &original, &state);

			counts[judge(image.bytes, size)]++;
		}
		free(image.bytes);
		free(original.bytes);
	}
	/* Else the damage was of one kind, and most of the code was never reached. */
	for (k = 0; k < sizeof counts / sizeof counts[0]; k++)
		cr_expect_gt(counts[k], 10, "%s", ki_preflight_name((enum ki_preflight_verdict)k));
}
