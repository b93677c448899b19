/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "protocol/duration.h"

static const struct {
	const char *name;
	uint64_t ns;
} duration_units[] = {
	{"ns", 1},          {"us", 1000},          {"ms", 1000000},
	{"s", 1000000000u}, {"min", 60000000000u}, {"h", 3600000000000u},
};

static bool duration_unit(uint64_t *out, const char *text)
{
	size_t i;

	for (i = 0; i < sizeof duration_units / sizeof duration_units[0]; i++)
		if (strcmp(text, duration_units[i].name) == 0) {
			*out = duration_units[i].ns;
			return true;
		}
	return false;
}

/* Digits with at most one point, in units of 10^-decimals; stops at the first other character. */
static const char *duration_digits(uint64_t *out, unsigned *decimals, const char *p)
{
	bool any = false, point = false;

	*out = 0;
	*decimals = 0;
	for (; isdigit((unsigned char)*p) || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		any = true;
		if (*out > KI_DURATION_MAX_NS / 10)
			return NULL;
		*out = *out * 10 + (uint64_t)(*p - '0');
		*decimals += point ? 1u : 0u;
	}
	return any ? p : NULL;
}

bool ki_duration_parse(uint64_t *out_ns, const char *text)
{
	uint64_t digits, unit, ns, scale = 1;
	unsigned decimals;
	const char *p = duration_digits(&digits, &decimals, text);

	if (p == NULL || decimals > 9)
		return false;
	while (*p == ' ')
		p++;
	if (!duration_unit(&unit, p))
		return false;
	while (decimals-- > 0)
		scale *= 10;
	if (__builtin_mul_overflow(digits, unit, &ns) || ns % scale != 0)
		return false;
	if (ns / scale > KI_DURATION_MAX_NS)
		return false;
	*out_ns = ns / scale;
	return true;
}

void ki_duration_text(char out[KI_DURATION_TEXT_MAX], uint64_t ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
	size_t i;

	for (i = 0; i < sizeof units / sizeof units[0]; i++) {
		double v = (double)ns / units[i].ns;

		/* The thresholds are where rounding reaches the next digit: no "1000.0 us". */
		if (v >= 0.99995) {
			int decimals = v < 9.9995 ? 3 : v < 99.995 ? 2 : v < 999.95 ? 1 : 0;

			snprintf(out, KI_DURATION_TEXT_MAX, "%.*f %s", decimals, v, units[i].name);
			return;
		}
	}
	snprintf(out, KI_DURATION_TEXT_MAX, "%llu ns", (unsigned long long)ns);
}
