/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a YAML mapping, as Kernel Index's reader takes them: what is not a string becomes
 * one, as JavaScript's property names do, and only keys of one type are duplicates.  Of 1 and "1"
 * the last wins.
 */
#ifndef KI_DOCUMENT_KEY_H
#define KI_DOCUMENT_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "document/canonical.h"
#include "document/node.h"

enum ki_key_type {
	KI_KEY_STRING,
	KI_KEY_NUMBER,
	KI_KEY_BOOLEAN,
	KI_KEY_NULL,
	KI_KEY_UNIQUE /* equal to no other: not-a-number, and what an alias stands for */
};

struct ki_key {
	const struct ki_node *name; /* the string that it became */
	enum ki_key_type type;
	size_t at; /* its pair in the mapping */
};

enum ki_key_type ki_key_type(const struct ki_node *scalar, bool alias);

/* The name that a scalar gives; it is in the scalar or in buffer. */
const char *ki_key_text(size_t *size, const struct ki_node *scalar,
			char buffer[KI_CANONICAL_NUMBER_MAX]);

/* Sorts the keys; *again is the topmost that repeats another of its type, *first. */
bool ki_keys_find_duplicate(const struct ki_key **first, const struct ki_key **again,
			    struct ki_key *keys, size_t count);

/* Leaves of each name the last pair.  keys: of this mapping, sorted by the function above. */
void ki_keys_collapse(struct ki_node *mapping, const struct ki_key *keys, size_t count);

#endif
