/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Canonical texts of random values, for another implementation to compare (canonical_node.js).
 *
 * Usage: canonical_texts SEED NUMBERS STRINGS.  A line is "n BITS TEXT", a double by its 64 bits;
 * "s HEX TEXT", a string by its UTF-8; or "o HEX HEX TEXT", an object of two members with those
 * keys and the values 1 and 2.
 */
#include "config.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "base/utf8.h"
#include "document/canonical.h"

#define STRING_CHARACTERS_MAX 12
#define STRING_BYTES_MAX (4 * STRING_CHARACTERS_MAX + 1)

static double from_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* Any bits; short decimals; integers; neighbours of powers of two and of ten; subnormals. */
static double draw_number(uint64_t *state)
{
	uint64_t r = ki_seed_next(state), bits = ki_seed_next(state);
	int near = (int)(r >> 32) % 3 - 1;
	double v;

	switch (r % 6) {
	case 0:
		v = ldexp((double)(bits % 1000000), -(int)(bits >> 60));
		break;
	case 1:
		v = (double)(bits % 100000) * pow(10, (int)(bits >> 40) % 40 - 20);
		break;
	case 2:
		v = (double)(int64_t)bits;
		break;
	case 3:
		v = ldexp(1, (int)(bits % 2090) - 1072);
		break;
	case 4:
		v = from_bits(bits >> (12 + bits % 40));
		break;
	default:
		v = from_bits(bits);
	}
	if (r % 6 != 5 && near != 0)
		v = nextafter(v, near * HUGE_VAL);
	return isfinite(v) ? v : 0;
}

static uint32_t draw_character(uint64_t *state)
{
	uint64_t r = ki_seed_next(state);
	uint32_t c;

	switch (r % 5) {
	case 0:
		return (uint32_t)(r >> 32) % 0x20;
	case 1:
		return 0x20 + (uint32_t)(r >> 32) % 0x60;
	case 2:
		c = (uint32_t)(r >> 32) % 0x10000;
		break;
	case 3:
		c = 0xe000 + (uint32_t)(r >> 32) % 0x2000;
		break;
	default:
		c = 0x10000 + (uint32_t)(r >> 32) % 0x100000;
	}
	return c >= 0xd800 && c < 0xe000 ? '"' : c;
}

/* Keys hold no U+0000 here: jansson before 2.14 ends them there. */
static size_t draw_string(char *out, uint64_t *state, int key)
{
	size_t characters = ki_seed_next(state) % STRING_CHARACTERS_MAX, size = 0;

	while (characters-- > 0) {
		uint32_t c = draw_character(state);

		size += ki_utf8_encode(out + size, key && c == 0 ? '\\' : c);
	}
	out[size] = '\0';
	return size;
}

static void put_hex(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		printf("%02x", (unsigned char)text[i]);
	putchar(' ');
}

static int put_canonical(json_t *v)
{
	struct ki_error e = {0};
	struct ki_buffer b;
	int rc;

	ki_buffer_init(&b, 1 << 16);
	rc = ki_canonical_write(&b, v, &e);
	if (rc == KI_SUCCESS)
		puts(b.data);
	else
		fprintf(stderr, "%s\n", e.text);
	ki_buffer_fini(&b);
	json_decref(v);
	return rc;
}

static int put_number(uint64_t *state)
{
	double v = draw_number(state);
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	printf("n %016" PRIx64 " ", bits);
	return put_canonical(json_real(v));
}

static int put_string(uint64_t *state)
{
	char text[STRING_BYTES_MAX];
	size_t size = draw_string(text, state, 0);

	printf("s ");
	put_hex(text, size);
	return put_canonical(json_stringn(text, size));
}

static int put_object(uint64_t *state)
{
	char key[2][STRING_BYTES_MAX];
	json_t *o = json_object();
	int i;

	printf("o ");
	for (i = 0; i < 2; i++) {
		put_hex(key[i], draw_string(key[i], state, 1));
		json_object_set_new(o, key[i], json_integer(i + 1));
	}
	return put_canonical(o);
}

int main(int argc, char **argv)
{
	uint64_t state;
	long numbers, strings, i;
	int rc = KI_SUCCESS;

	if (argc != 4)
		return 2;
	state = strtoull(argv[1], NULL, 10);
	numbers = strtol(argv[2], NULL, 10);
	strings = strtol(argv[3], NULL, 10);
	for (i = 0; i < numbers && rc == KI_SUCCESS; i++)
		rc = put_number(&state);
	for (i = 0; i < strings && rc == KI_SUCCESS; i++)
		rc = i % 2 == 0 ? put_string(&state) : put_object(&state);
	return rc == KI_SUCCESS && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
