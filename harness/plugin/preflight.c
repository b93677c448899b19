/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of an ELF file: System V gABI 4.1, chapters 4 and 5; DT_GNU_HASH is the GNU tools'. */
#include "config.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "ki_plugin.h"
#include "plugin/preflight.h"

#if defined(__x86_64__)
#define PREFLIGHT_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define PREFLIGHT_MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define PREFLIGHT_MACHINE EM_PPC64
#elif defined(__riscv)
#define PREFLIGHT_MACHINE EM_RISCV
#elif defined(__loongarch__)
#define PREFLIGHT_MACHINE 258
#else
#error "the ELF machine number of this architecture is not known here"
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PREFLIGHT_DATA ELFDATA2LSB
#else
#define PREFLIGHT_DATA ELFDATA2MSB
#endif

_Static_assert(sizeof(void *) == 8, "the harness reads 64-bit files, which are its own kind");

#define PREFLIGHT_SHOWN 5 /* bytes of a file that is something else */

/* A range of the file that was found to lie inside of it. */
struct preflight_span {
	uint64_t offset;
	uint64_t size;
};

struct preflight {
	const unsigned char *image;
	uint64_t size;
	char *why;
	size_t why_size;
	Elf64_Ehdr header;
	/* Of the dynamic section: addresses in memory, 0 when absent. */
	uint64_t symtab;
	uint64_t strtab;
	uint64_t strsz;
	uint64_t hash;
	uint64_t gnu_hash;
	bool is_pie;
	bool has_interpreter;
	struct preflight_span dynamic;
	struct preflight_span symbols;
	struct preflight_span strings;
};

static const struct {
	unsigned number;
	const char *name;
} preflight_machines[] = {
	{EM_386, "x86"},         {EM_X86_64, "x86-64"}, {EM_ARM, "ARM"},
	{EM_AARCH64, "AArch64"}, {EM_PPC64, "PowerPC"}, {EM_RISCV, "RISC-V"},
	{EM_S390, "s390"},       {EM_CUDA, "CUDA"},     {258, "LoongArch"},
};

static const char *const preflight_names[] = {
	[KI_PREFLIGHT_OK] = "ok",
	[KI_PREFLIGHT_NOT_ELF] = "not-elf",
	[KI_PREFLIGHT_TRUNCATED] = "truncated",
	[KI_PREFLIGHT_WRONG_MACHINE] = "wrong-machine",
	[KI_PREFLIGHT_NOT_SHARED_OBJECT] = "not-shared-object",
	[KI_PREFLIGHT_NO_ENTRY_SYMBOL] = "no-entry-symbol",
};

const char *ki_preflight_name(enum ki_preflight_verdict v)
{
	size_t i = (size_t)v;

	return i < sizeof preflight_names / sizeof preflight_names[0] ? preflight_names[i]
								      : "unknown";
}

static KI_PRINTF(3, 4) enum ki_preflight_verdict
	preflight_say(struct preflight *p, enum ki_preflight_verdict v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->why, p->why_size, fmt, ap);
	va_end(ap);
	return v;
}

/* ---------------------------------------------------------------- reading */

static bool preflight_fits(const struct preflight *p, uint64_t offset, uint64_t size)
{
	return offset <= p->size && size <= p->size - offset;
}

/* Copies, since nothing in a file is aligned for sure.  False when it lies beyond the file. */
static bool preflight_read(void *out, const struct preflight *p, uint64_t offset, size_t size)
{
	if (!preflight_fits(p, offset, size))
		return false;
	memcpy(out, p->image + offset, size);
	return true;
}

/* Element i of an array at offset. */
static bool preflight_read_at(void *out, const struct preflight *p, uint64_t offset, uint64_t i,
			      size_t size)
{
	uint64_t at;

	return ki_size_mul(&at, i, size) && ki_size_add(&at, at, offset) &&
	       preflight_read(out, p, at, size);
}

static bool preflight_segment(Elf64_Phdr *out, const struct preflight *p, uint64_t i)
{
	return preflight_read_at(out, p, p->header.e_phoff, i, sizeof *out);
}

/* Where in the file an address lies, and how much of its segment follows there. */
static bool preflight_locate(struct preflight_span *out, const struct preflight *p,
			     uint64_t address)
{
	unsigned i;

	for (i = 0; i < p->header.e_phnum; i++) {
		Elf64_Phdr s;

		if (!preflight_segment(&s, p, i) || s.p_type != PT_LOAD || address < s.p_vaddr ||
		    address - s.p_vaddr >= s.p_filesz)
			continue;
		out->offset = s.p_offset + (address - s.p_vaddr);
		out->size = s.p_filesz - (address - s.p_vaddr);
		return preflight_fits(p, out->offset, out->size);
	}
	return false;
}

/* ---------------------------------------------------------------- header */

static const char *preflight_machine(unsigned number)
{
	size_t i;

	for (i = 0; i < sizeof preflight_machines / sizeof preflight_machines[0]; i++)
		if (preflight_machines[i].number == number)
			return preflight_machines[i].name;
	return "another architecture";
}

static enum ki_preflight_verdict preflight_magic(struct preflight *p)
{
	char shown[PREFLIGHT_SHOWN * 4 + 1];
	size_t n = p->size < PREFLIGHT_SHOWN ? (size_t)p->size : PREFLIGHT_SHOWN, i, at = 0;

	if (p->size == 0)
		return preflight_say(p, KI_PREFLIGHT_NOT_ELF, "it is empty");
	if (p->size >= SELFMAG && memcmp(p->image, ELFMAG, SELFMAG) == 0)
		return KI_PREFLIGHT_OK;
	for (i = 0; i < n; i++) {
		unsigned char c = p->image[i];
		bool plain = c >= 0x20 && c < 0x7f && c != '\\';

		at += (size_t)snprintf(shown + at, sizeof shown - at, plain ? "%c" : "\\x%02x", c);
	}
	return preflight_say(p, KI_PREFLIGHT_NOT_ELF, "it is not an ELF file: it begins with '%s'",
			     shown);
}

static enum ki_preflight_verdict preflight_kind(struct preflight *p)
{
	const unsigned char *ident = p->image;
	uint16_t machine;

	if (p->size < EI_NIDENT + 2 * sizeof machine)
		return preflight_say(
			p, KI_PREFLIGHT_TRUNCATED,
			"truncated: the ELF header ends at byte %zu, the file has %" PRIu64,
			sizeof p->header, p->size);
	if (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB)
		return preflight_say(p, KI_PREFLIGHT_NOT_ELF,
				     "its ELF data encoding is %u, no byte order", ident[EI_DATA]);
	if (ident[EI_DATA] != PREFLIGHT_DATA)
		return preflight_say(p, KI_PREFLIGHT_WRONG_MACHINE,
				     "built for the other byte order (data encoding %u), this "
				     "machine's is %u",
				     ident[EI_DATA], (unsigned)PREFLIGHT_DATA);
	memcpy(&machine, p->image + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
	if (ident[EI_CLASS] == ELFCLASS32)
		return preflight_say(p, KI_PREFLIGHT_WRONG_MACHINE,
				     "a 32-bit file for %s (machine %u), this machine is 64-bit %s",
				     preflight_machine(machine), machine,
				     preflight_machine(PREFLIGHT_MACHINE));
	if (ident[EI_CLASS] != ELFCLASS64)
		return preflight_say(p, KI_PREFLIGHT_NOT_ELF,
				     "its ELF class is %u, neither 32-bit nor 64-bit",
				     ident[EI_CLASS]);
	if (machine != PREFLIGHT_MACHINE)
		return preflight_say(p, KI_PREFLIGHT_WRONG_MACHINE,
				     "built for %s (machine %u), this machine is %s",
				     preflight_machine(machine), machine,
				     preflight_machine(PREFLIGHT_MACHINE));
	return KI_PREFLIGHT_OK;
}

static enum ki_preflight_verdict preflight_type(struct preflight *p)
{
	switch (p->header.e_type) {
	case ET_DYN:
		return KI_PREFLIGHT_OK;
	case ET_EXEC:
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "an executable, not a shared object");
	case ET_REL:
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "an object file, not a shared object: link it with -shared");
	case ET_CORE:
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "a core dump, not a shared object");
	default:
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "ELF type %u, not a shared object", p->header.e_type);
	}
}

static enum ki_preflight_verdict preflight_header(struct preflight *p)
{
	enum ki_preflight_verdict v = preflight_kind(p);

	if (v != KI_PREFLIGHT_OK)
		return v;
	if (!preflight_read(&p->header, p, 0, sizeof p->header))
		return preflight_say(
			p, KI_PREFLIGHT_TRUNCATED,
			"truncated: the ELF header ends at byte %zu, the file has %" PRIu64,
			sizeof p->header, p->size);
	return preflight_type(p);
}

/* ---------------------------------------------------------------- tables and segments */

/* What lies at offset, size bytes long, must be in the file. */
static enum ki_preflight_verdict preflight_inside(struct preflight *p, const char *what,
						  uint64_t offset, uint64_t size)
{
	uint64_t end;

	if (preflight_fits(p, offset, size))
		return KI_PREFLIGHT_OK;
	if (!ki_size_add(&end, offset, size))
		return preflight_say(p, KI_PREFLIGHT_TRUNCATED,
				     "damaged: %s at no possible place (byte %" PRIu64 ")", what,
				     offset);
	return preflight_say(p, KI_PREFLIGHT_TRUNCATED,
			     "truncated: %s at byte %" PRIu64 ", the file has %" PRIu64, what, end,
			     p->size);
}

static enum ki_preflight_verdict preflight_program_headers(struct preflight *p)
{
	const Elf64_Ehdr *h = &p->header;

	if (h->e_phnum == 0)
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "it has no program headers, so nothing of it can be loaded");
	if (h->e_phentsize != sizeof(Elf64_Phdr))
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "damaged: its program headers are %u bytes each, not %zu",
				     h->e_phentsize, sizeof(Elf64_Phdr));
	return preflight_inside(p, "the program headers end", h->e_phoff,
				(uint64_t)h->e_phnum * sizeof(Elf64_Phdr));
}

/* No loader needs them, but linkers put them last: without them something was cut off. */
static enum ki_preflight_verdict preflight_section_headers(struct preflight *p)
{
	const Elf64_Ehdr *h = &p->header;

	if (h->e_shnum == 0)
		return KI_PREFLIGHT_OK;
	return preflight_inside(p, "the section headers end", h->e_shoff,
				(uint64_t)h->e_shnum * h->e_shentsize);
}

static enum ki_preflight_verdict preflight_segments(struct preflight *p)
{
	enum ki_preflight_verdict v = KI_PREFLIGHT_OK;
	bool has_dynamic = false;
	unsigned i;

	for (i = 0; v == KI_PREFLIGHT_OK && i < p->header.e_phnum; i++) {
		char what[32];
		Elf64_Phdr s;

		if (!preflight_segment(&s, p, i))
			break;
		if (s.p_type == PT_INTERP)
			p->has_interpreter = true;
		if (s.p_type != PT_LOAD && s.p_type != PT_DYNAMIC)
			continue;
		snprintf(what, sizeof what, "segment %u ends", i);
		v = preflight_inside(p, what, s.p_offset, s.p_filesz);
		if (s.p_type == PT_DYNAMIC) {
			has_dynamic = true;
			p->dynamic = (struct preflight_span){s.p_offset, s.p_filesz};
		}
	}
	if (v == KI_PREFLIGHT_OK && !has_dynamic)
		v = preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				  "it has no dynamic section, as a shared object has");
	return v;
}

/* ---------------------------------------------------------------- symbols */

static void preflight_dynamic(struct preflight *p)
{
	uint64_t n = p->dynamic.size / sizeof(Elf64_Dyn), i;
	Elf64_Dyn d;

	for (i = 0; i < n && preflight_read_at(&d, p, p->dynamic.offset, i, sizeof d); i++) {
		switch (d.d_tag) {
		case DT_NULL:
			return;
		case DT_SYMTAB:
			p->symtab = d.d_un.d_ptr;
			break;
		case DT_STRTAB:
			p->strtab = d.d_un.d_ptr;
			break;
		case DT_STRSZ:
			p->strsz = d.d_un.d_val;
			break;
		case DT_HASH:
			p->hash = d.d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			p->gnu_hash = d.d_un.d_ptr;
			break;
		case DT_FLAGS_1:
			p->is_pie = (d.d_un.d_val & DF_1_PIE) != 0;
			break;
		default:
			break;
		}
	}
}

/* The number of symbols, from DT_HASH: as many chains as symbols. */
static bool preflight_count_hash(uint64_t *out, const struct preflight *p)
{
	struct preflight_span table;
	uint32_t words[2];

	if (p->hash == 0 || !preflight_locate(&table, p, p->hash) ||
	    !preflight_read(words, p, table.offset, sizeof words))
		return false;
	*out = words[1];
	return true;
}

/*
 * From DT_GNU_HASH, which holds no count: the last chain begins at the greatest bucket and ends at
 * the first hash that is odd.  Each bucket and each hash is read once, and lies in the file.
 */
static bool preflight_count_gnu_hash(uint64_t *out, const struct preflight *p)
{
	struct {
		uint32_t n_buckets, first_symbol, n_blooms, shift;
	} head;
	struct preflight_span table;
	uint64_t buckets, chains, i, last = 0;
	uint32_t word = 0;

	if (!preflight_locate(&table, p, p->gnu_hash) ||
	    !preflight_read(&head, p, table.offset, sizeof head))
		return false;
	buckets = table.offset + sizeof head + (uint64_t)head.n_blooms * sizeof(uint64_t);
	chains = buckets + (uint64_t)head.n_buckets * sizeof word;
	for (i = 0; i < head.n_buckets; i++) {
		if (!preflight_read_at(&word, p, buckets, i, sizeof word))
			return false;
		last = word > last ? word : last;
	}
	if (last < head.first_symbol) {
		*out = head.first_symbol;
		return true;
	}
	do {
		if (!preflight_read_at(&word, p, chains, last - head.first_symbol, sizeof word))
			return false;
		last++;
	} while ((word & 1) == 0);
	*out = last;
	return true;
}

/* As the loader finds them; what the section headers say of them is for debuggers. */
static bool preflight_tables(struct preflight *p)
{
	uint64_t n = 0;

	if (p->symtab == 0 || p->strtab == 0 || !preflight_locate(&p->symbols, p, p->symtab) ||
	    !preflight_locate(&p->strings, p, p->strtab))
		return false;
	if (p->gnu_hash != 0 ? !preflight_count_gnu_hash(&n, p) : !preflight_count_hash(&n, p))
		return false;
	if (n > p->symbols.size / sizeof(Elf64_Sym) || p->strsz > p->strings.size)
		return false;
	p->symbols.size = n * sizeof(Elf64_Sym);
	p->strings.size = p->strsz;
	return true;
}

static bool preflight_is_entry(const struct preflight *p, const Elf64_Sym *symbol)
{
	static const char name[] = KI_ENTRY_SYMBOL;

	return symbol->st_name < p->strings.size &&
	       sizeof name <= p->strings.size - symbol->st_name &&
	       memcmp(p->image + p->strings.offset + symbol->st_name, name, sizeof name) == 0;
}

/* NULL when dlsym() gives this symbol and it can be called; else what is wrong with it. */
static const char *preflight_symbol_fault(const Elf64_Sym *s)
{
	unsigned binding = ELF64_ST_BIND(s->st_info), visibility = ELF64_ST_VISIBILITY(s->st_other);

	if (s->st_shndx == SHN_UNDEF)
		return "is used in it but not defined";
	if (binding != STB_GLOBAL && binding != STB_WEAK)
		return "is local to it, not exported";
	if (visibility == STV_HIDDEN || visibility == STV_INTERNAL)
		return "is hidden, not exported";
	if (ELF64_ST_TYPE(s->st_info) != STT_FUNC)
		return "is not a function";
	return NULL;
}

static enum ki_preflight_verdict preflight_entry(struct preflight *p)
{
	const char *fault = "is not among its dynamic symbols";
	uint64_t i;

	preflight_dynamic(p);
	if (p->is_pie)
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "an executable (position-independent), not a shared object");
	if (!preflight_tables(p))
		return preflight_say(p, KI_PREFLIGHT_NO_ENTRY_SYMBOL,
				     "its dynamic symbols cannot be read, so %s is not there",
				     KI_ENTRY_SYMBOL);
	for (i = 0; i < p->symbols.size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym s;

		if (!preflight_read_at(&s, p, p->symbols.offset, i, sizeof s))
			break;
		if (!preflight_is_entry(p, &s))
			continue;
		fault = preflight_symbol_fault(&s);
		if (fault == NULL)
			return KI_PREFLIGHT_OK;
	}
	/* The C library is a shared object that can be run too, so this alone is not enough. */
	if (p->has_interpreter)
		return preflight_say(p, KI_PREFLIGHT_NOT_SHARED_OBJECT,
				     "an executable, not a shared object");
	return preflight_say(p, KI_PREFLIGHT_NO_ENTRY_SYMBOL, "%s %s", KI_ENTRY_SYMBOL, fault);
}

enum ki_preflight_verdict ki_preflight(const void *image, size_t size, char *why, size_t why_size)
{
	static enum ki_preflight_verdict (*const steps[])(struct preflight *) = {
		preflight_magic,    preflight_header,          preflight_program_headers,
		preflight_segments, preflight_section_headers, preflight_entry};
	struct preflight p = {.image = image, .size = size, .why = why, .why_size = why_size};
	enum ki_preflight_verdict v = KI_PREFLIGHT_OK;
	size_t i;

	if (why_size > 0)
		why[0] = '\0';
	for (i = 0; v == KI_PREFLIGHT_OK && i < sizeof steps / sizeof steps[0]; i++)
		v = steps[i](&p);
	return v;
}
