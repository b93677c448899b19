/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "document/url.h"

#define URL_HOST_MAX 2048
#define URL_PORT_MAX 65535

/* Without white space and controls at the ends, and without tabs and line ends anywhere. */
static size_t url_clean(char *out, const char *text, size_t size)
{
	size_t i, n = 0;

	while (size > 0 && (unsigned char)text[size - 1] <= ' ')
		size--;
	while (size > 0 && (unsigned char)*text <= ' ') {
		text++;
		size--;
	}
	for (i = 0; i < size; i++)
		if (text[i] != '\t' && text[i] != '\n' && text[i] != '\r')
			out[n++] = text[i];
	out[n] = '\0';
	return n;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF";
	const char *p = c != '\0' ? strchr(digits, c) : NULL;

	return p == NULL ? -1 : (int)((p - digits) % 16);
}

static size_t percent_decode(char *out, const char *text, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < size; i++) {
		bool escape = text[i] == '%' && i + 2 < size && hex_digit(text[i + 1]) >= 0 &&
			      hex_digit(text[i + 2]) >= 0;

		out[n++] = escape ? (char)(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]))
				  : text[i];
		i += escape ? 2 : 0;
	}
	out[n] = '\0';
	return n;
}

/* Decimal, 0x hexadecimal or 0 octal, as IPv4 addresses spell numbers; all of text. */
static bool ipv4_number(uint64_t *out, const char *text, size_t size)
{
	unsigned base = 10;
	size_t i;

	if (size >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
		size -= 2;
	} else if (size >= 2 && text[0] == '0') {
		base = 8;
		text++;
		size--;
	}
	*out = 0;
	for (i = 0; i < size; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0 || (unsigned)digit >= base)
			return false;
		if (*out <= UINT32_MAX)
			*out = *out * base + (unsigned)digit;
	}
	return true;
}

static bool all_digits(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return size > 0;
}

/* "ends in a number checker": such a host must be an IPv4 address. */
static bool ends_in_number(const char *host, size_t size)
{
	const char *last;
	uint64_t value;
	size_t n;

	if (size > 0 && host[size - 1] == '.')
		size--;
	last = memrchr(host, '.', size);
	last = last != NULL ? last + 1 : host;
	n = size - (size_t)(last - host);
	if (all_digits(last, n))
		return true;
	return n >= 2 && last[0] == '0' && (last[1] == 'x' || last[1] == 'X') &&
	       ipv4_number(&value, last, n);
}

static bool is_ipv4(const char *host, size_t size)
{
	uint64_t part = 0, limit = UINT64_C(1) << 32;
	size_t at = 0, parts = 0;

	if (size > 0 && host[size - 1] == '.')
		size--;
	while (at <= size) {
		size_t n = 0;

		/* Only the last part may be larger than a byte. */
		if (parts >= 4 || (parts > 0 && part > 255))
			return false;
		while (at + n < size && host[at + n] != '.')
			n++;
		if (n == 0 || !ipv4_number(&part, host + at, n))
			return false;
		limit = parts++ > 0 ? limit >> 8 : limit;
		at += n + 1;
	}
	return part < limit;
}

static bool is_ipv6(const char *host, size_t size)
{
	char text[INET6_ADDRSTRLEN + 1];
	struct in6_addr address;

	if (size >= sizeof text)
		return false;
	memcpy(text, host, size);
	text[size] = '\0';
	return strlen(text) == size && inet_pton(AF_INET6, text, &address) == 1;
}

static bool is_domain(const char *host, size_t size)
{
	size_t i, n;
	uint32_t c;

	for (i = 0; i < size; i += n) {
		n = ki_utf8_decode(&c, host + i, size - i);
		if (n == 0 || c <= ' ' || c == 0x7f)
			return false;
		if (c < 0x80 && strchr("#%/:<>?@[\\]^|", (int)c) != NULL)
			return false;
	}
	return size > 0;
}

static bool is_host(const char *text, size_t size)
{
	char host[URL_HOST_MAX + 1];
	size_t n;

	if (size == 0 || size > URL_HOST_MAX)
		return false;
	if (text[0] == '[')
		return text[size - 1] == ']' && is_ipv6(text + 1, size - 2);
	n = percent_decode(host, text, size);
	if (!is_domain(host, n))
		return false;
	return !ends_in_number(host, n) || is_ipv4(host, n);
}

static bool is_port(const char *text, size_t size)
{
	return size == 0 || (all_digits(text, size) && strtoul(text, NULL, 10) <= URL_PORT_MAX);
}

/* user:password@host:port; a colon inside of brackets belongs to the host. */
static bool is_authority(const char *text, size_t size)
{
	const char *at = memrchr(text, '@', size);
	const char *host = at != NULL ? at + 1 : text;
	size_t n = size - (size_t)(host - text), i;
	bool brackets = false;

	for (i = 0; i < n && (host[i] != ':' || brackets); i++) {
		if (host[i] == '[')
			brackets = true;
		if (host[i] == ']')
			brackets = false;
	}
	return is_host(host, i) && (i == n || is_port(host + i + 1, n - i - 1));
}

bool ki_url_is_https(const char *text, size_t size)
{
	static const char scheme[] = "https:";
	char *url = malloc(size + 1);
	bool good = false;

	if (url == NULL)
		return false;
	size = url_clean(url, text, size);
	if (strlen(url) >= sizeof scheme - 1 && strncasecmp(url, scheme, sizeof scheme - 1) == 0) {
		const char *p = url + sizeof scheme - 1;
		size_t n;

		p += strspn(p, "/\\");
		/* To the path, or to a NUL, which no host has. */
		n = strcspn(p, "/\\?#");
		good = is_authority(p, n) && (p[n] != '\0' || p + n == url + size);
	}
	free(url);
	return good;
}
