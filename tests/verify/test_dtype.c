/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "verify/dtype.h"

#define CODES 65536

static uint16_t code16(double x, enum ki_dtype t)
{
	uint16_t code;

	ki_dtype_from_double(&code, &x, t, 1);
	return code;
}

static double value16(uint16_t code, enum ki_dtype t)
{
	double x;

	ki_dtype_to_double(&x, &code, t, 1);
	return x;
}

/* The value of a finite code by the definition of the format. */
static double defined_value(uint16_t code, int fraction_bits, int bias)
{
	int exponent = (code & 0x7fff) >> fraction_bits;
	int fraction = code & ((1 << fraction_bits) - 1);
	double x = exponent == 0 ? ldexp(fraction, 1 - bias - fraction_bits)
				 : ldexp(fraction + (1 << fraction_bits),
					 exponent - bias - fraction_bits);

	return code & 0x8000 ? -x : x;
}

Test(dtype, a_name_that_is_none_is_refused)
{
	static const char *const names[] = {"", "bf", "bf160", "BF16", "float", "fp8", "int32"};
	enum ki_dtype t = KI_DTYPE_FP64;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		cr_assert_not(ki_dtype_from_name(&t, names[i]), "%s", names[i]);
	cr_assert_eq(t, KI_DTYPE_FP64, "out was touched");
}

Test(dtype, each_type_knows_its_name_size_and_dlpack_code)
{
	static const struct {
		const char *name;
		size_t bytes;
		uint8_t code;
		double unit;
	} types[KI_DTYPE_COUNT] = {
		[KI_DTYPE_BF16] = {"bf16", 2, kDLBfloat, 0x1p-9},
		[KI_DTYPE_FP16] = {"fp16", 2, kDLFloat, 0x1p-12},
		[KI_DTYPE_FP32] = {"fp32", 4, kDLFloat, 0x1p-25},
		[KI_DTYPE_FP64] = {"fp64", 8, kDLFloat, 0x1p-54},
	};

	for (unsigned i = 0; i < KI_DTYPE_COUNT; i++) {
		enum ki_dtype t = KI_DTYPE_COUNT;

		cr_assert(ki_dtype_from_name(&t, types[i].name));
		cr_assert_eq((unsigned)t, i);
		cr_assert_str_eq(ki_dtype_name(t), types[i].name);
		cr_assert_eq(ki_dtype_bytes(t), types[i].bytes);
		cr_assert_eq(ki_dtype_dlpack(t).code, types[i].code);
		cr_assert_eq(ki_dtype_dlpack(t).bits, 8 * types[i].bytes);
		cr_assert_eq(ki_dtype_dlpack(t).lanes, 1);
		cr_assert_eq(ki_dtype_unit(t), types[i].unit);
	}
}

static void check_all_codes(enum ki_dtype t, int fraction_bits, int bias)
{
	static uint16_t codes[CODES], again[CODES];
	static double values[CODES];
	const unsigned infinity = (0x7fffu >> fraction_bits) << fraction_bits;

	for (unsigned i = 0; i < CODES; i++)
		codes[i] = (uint16_t)i;
	ki_dtype_to_double(values, codes, t, CODES);
	ki_dtype_from_double(again, values, t, CODES);
	for (unsigned i = 0; i < CODES; i++) {
		if ((i & 0x7fff) > infinity) {
			cr_assert(isnan(values[i]), "%04x", i);
			cr_assert((again[i] & 0x7fffu) > infinity, "%04x became %04x", i, again[i]);
			cr_assert_eq(again[i] & 0x8000u, i & 0x8000u);
			continue;
		}
		cr_assert_eq(again[i], i, "%04x became %04x", i, again[i]);
		if ((i & 0x7fff) == infinity)
			cr_assert(isinf(values[i]) && (values[i] < 0) == (i >= 0x8000), "%04x", i);
		else
			cr_assert_eq(values[i], defined_value((uint16_t)i, fraction_bits, bias),
				     "%04x is %a", i, values[i]);
	}
}

Test(dtype, all_65536_bf16_codes_survive_the_way_to_double_and_back)
{
	check_all_codes(KI_DTYPE_BF16, 7, 127);
}

Test(dtype, all_65536_fp16_codes_survive_the_way_to_double_and_back)
{
	check_all_codes(KI_DTYPE_FP16, 10, 15);
}

/* Between each two neighbours: the tie goes to the even one, and what is beside it to the nearer.
 */
static void check_all_ties(enum ki_dtype t, unsigned infinity)
{
	for (unsigned i = 0; i + 1 < infinity; i++) {
		double low = value16((uint16_t)i, t), high = value16((uint16_t)(i + 1), t);
		double tie = low + (high - low) / 2;
		unsigned even = i % 2 == 0 ? i : i + 1;

		cr_assert_eq(code16(tie, t), even, "tie above %04x", i);
		cr_assert_eq(code16(nextafter(tie, 0), t), i, "below the tie above %04x", i);
		cr_assert_eq(code16(nextafter(tie, high), t), i + 1, "above the tie above %04x", i);
		cr_assert_eq(code16(-tie, t), even | 0x8000u, "tie below -%04x", i);
	}
}

Test(dtype, every_bf16_tie_goes_to_even)
{
	check_all_ties(KI_DTYPE_BF16, 0x7f80);
}

Test(dtype, every_fp16_tie_goes_to_even)
{
	check_all_ties(KI_DTYPE_FP16, 0x7c00);
}

Test(dtype, rounding_from_double_has_the_right_edges)
{
	static const struct {
		enum ki_dtype t;
		double x;
		uint16_t code;
	} edges[] = {
		{KI_DTYPE_BF16, 0x1.fefffffffffffp127, 0x7f7f}, /* just below the overflow's tie */
		{KI_DTYPE_BF16, 0x1.ffp127, 0x7f80},            /* on it: to infinity */
		{KI_DTYPE_BF16, DBL_MAX, 0x7f80},
		{KI_DTYPE_BF16, -DBL_MAX, 0xff80},
		{KI_DTYPE_BF16, 0x1p-134, 0x0000}, /* half the least subnormal */
		{KI_DTYPE_BF16, 0x1.0000000000001p-134, 0x0001},
		{KI_DTYPE_BF16, -0x1p-134, 0x8000},
		{KI_DTYPE_BF16, DBL_TRUE_MIN, 0x0000},
		{KI_DTYPE_BF16, 0x1.fep-127, 0x0080}, /* rounds up into the normals */
		/* By way of float this would first become a tie, and then 1. */
		{KI_DTYPE_BF16, 0x1.01000000001p0, 0x3f81},
		{KI_DTYPE_FP16, 65519.999999, 0x7bff},
		{KI_DTYPE_FP16, 65520, 0x7c00},
		{KI_DTYPE_FP16, -1e300, 0xfc00},
		{KI_DTYPE_FP16, 0x1p-25, 0x0000},
		{KI_DTYPE_FP16, 0x1.8p-24, 0x0002},
		{KI_DTYPE_FP16, 0x1.ffcp-15, 0x0400},
		{KI_DTYPE_FP16, 0x1.00200000001p0, 0x3c01},
		{KI_DTYPE_FP16, 1e-300, 0x0000},
	};

	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		cr_assert_eq(code16(edges[i].x, edges[i].t), edges[i].code,
			     "%s of %a is %04x, not %04x", ki_dtype_name(edges[i].t), edges[i].x,
			     code16(edges[i].x, edges[i].t), edges[i].code);
}

Test(dtype, a_nan_stays_a_nan_whatever_its_payload)
{
	static const uint64_t payloads[] = {
		UINT64_C(0x7ff0000000000001), UINT64_C(0x7ff8000000000000),
		UINT64_C(0x7fffffffffffffff), UINT64_C(0xfff0000000000001),
		UINT64_C(0xffffffffffffffff), UINT64_C(0x7ff0000080000000),
	};

	for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
		for (unsigned t = 0; t < KI_DTYPE_COUNT; t++) {
			double x, y;
			uint64_t stored = 0;

			memcpy(&x, &payloads[i], sizeof x);
			ki_dtype_from_double(&stored, &x, (enum ki_dtype)t, 1);
			ki_dtype_to_double(&y, &stored, (enum ki_dtype)t, 1);
			cr_assert(isnan(y), "payload %zu as %s", i,
				  ki_dtype_name((enum ki_dtype)t));
		}
	}
}

Test(dtype, fp32_and_fp64_round_as_ieee_says)
{
	static const struct {
		double x;
		float y;
	} cases[] = {
		{0x1.000001p0, 0x1p0f}, {0x1.000003p0, 0x1.000004p0f}, {0x1.ffffffp127, INFINITY},
		{0x1p-150, 0},          {0x1.8p-149, 0x1p-148f},       {-0.0, -0.0f},
		{-INFINITY, -INFINITY},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		float y = 42;
		double back;

		ki_dtype_from_double(&y, &cases[i].x, KI_DTYPE_FP32, 1);
		cr_assert(memcmp(&y, &cases[i].y, sizeof y) == 0, "%a became %a", cases[i].x,
			  (double)y);
		ki_dtype_to_double(&back, &y, KI_DTYPE_FP32, 1);
		cr_assert_eq(back, (double)cases[i].y);
		ki_dtype_from_double(&back, &cases[i].x, KI_DTYPE_FP64, 1);
		cr_assert(memcmp(&back, &cases[i].x, sizeof back) == 0);
	}
}

Test(dtype, an_array_is_converted_to_its_last_element_and_no_further)
{
	for (unsigned t = 0; t < KI_DTYPE_COUNT; t++) {
		for (size_t n = 0; n <= 9; n++) {
			double x[10], y[10];
			double stored[10] = {0};

			for (size_t i = 0; i < 10; i++) {
				x[i] = (double)i - 4.5;
				y[i] = 1000;
			}
			ki_dtype_from_double(stored, x, (enum ki_dtype)t, n);
			ki_dtype_to_double(y, stored, (enum ki_dtype)t, n);
			for (size_t i = 0; i < 10; i++)
				cr_assert_eq(y[i], i < n ? x[i] : 1000);
		}
	}
}
