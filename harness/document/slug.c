/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stddef.h>

#include "document/slug.h"

void ki_slug(char out[KI_SLUG_MAX], const char *text)
{
	size_t n = 0;

	for (; *text != '\0' && n < KI_SLUG_MAX - 1; text++) {
		char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			out[n++] = c;
		else if (n > 0 && out[n - 1] != '-')
			out[n++] = '-';
	}
	/* One that the cut left at the end stays: it is cut last. */
	if (*text == '\0' && n > 0 && out[n - 1] == '-')
		n--;
	out[n] = '\0';
}
