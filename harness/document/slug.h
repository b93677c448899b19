/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_DOCUMENT_SLUG_H
#define KI_DOCUMENT_SLUG_H

/*
 * Kernel Index's slug of a name: lower case, everything else a hyphen, none at the ends, cut at 100
 * (packages/schema, kebab; its commit e6c5a71).
 */
#define KI_SLUG_MAX 101
void ki_slug(char out[KI_SLUG_MAX], const char *text);

#endif
