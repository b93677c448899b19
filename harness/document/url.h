/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_DOCUMENT_URL_H
#define KI_DOCUMENT_URL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether `new URL(text).protocol === "https:"` in JavaScript, by the URL Standard
 * (https://url.spec.whatwg.org, "basic URL parser").  Only the host can be wrong in such a URL.
 * Not done: IDNA's tables.  A host with characters beyond ASCII passes when it is UTF-8, and one
 * with a label "xn--..." whatever that stands for.
 */
bool ki_url_is_https(const char *text, size_t size);

#endif
