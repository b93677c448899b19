/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

void ki_clock_instant(char out[KI_CLOCK_INSTANT_MAX])
{
	struct timespec now;
	struct tm utc;
	char text[96];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900,
		 utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
		 (int)(now.tv_nsec / 1000000));
	memcpy(out, text, KI_CLOCK_INSTANT_MAX - 1);
	out[KI_CLOCK_INSTANT_MAX - 1] = '\0';
}
