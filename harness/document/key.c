/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/key.h"

enum ki_key_type ki_key_type(const struct ki_node *scalar, bool alias)
{
	if (alias)
		return KI_KEY_UNIQUE;
	switch (scalar->type) {
	case KI_NODE_NULL:
		return KI_KEY_NULL;
	case KI_NODE_BOOLEAN:
		return KI_KEY_BOOLEAN;
	case KI_NODE_INTEGER:
	case KI_NODE_REAL:
		return isnan(scalar->real) ? KI_KEY_UNIQUE : KI_KEY_NUMBER;
	default:
		return KI_KEY_STRING;
	}
}

static const char *number_text(char buffer[KI_CANONICAL_NUMBER_MAX], double value)
{
	if (isnan(value))
		return "NaN";
	if (!isfinite(value))
		return value < 0 ? "-Infinity" : "Infinity";
	ki_canonical_number(buffer, value);
	return buffer;
}

const char *ki_key_text(size_t *size, const struct ki_node *scalar,
			char buffer[KI_CANONICAL_NUMBER_MAX])
{
	const char *text = "";

	if (scalar->type == KI_NODE_STRING) {
		*size = scalar->size;
		return scalar->text;
	}
	if (scalar->type == KI_NODE_INTEGER || scalar->type == KI_NODE_REAL)
		text = number_text(buffer, scalar->real);
	else if (scalar->type == KI_NODE_BOOLEAN)
		text = scalar->boolean ? "true" : "false";
	*size = strlen(text);
	return text;
}

static int compare_keys(const void *a, const void *b)
{
	const struct ki_key *x = a, *y = b;
	int order = strcmp(x->name->text, y->name->text);

	if (order == 0)
		order = (x->type > y->type) - (x->type < y->type);
	return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

bool ki_keys_find_duplicate(const struct ki_key **first, const struct ki_key **again,
			    struct ki_key *keys, size_t count)
{
	size_t i;

	*again = NULL;
	qsort(keys, count, sizeof *keys, compare_keys);
	for (i = 1; i < count; i++) {
		if (keys[i].type == KI_KEY_UNIQUE || keys[i].type != keys[i - 1].type ||
		    strcmp(keys[i].name->text, keys[i - 1].name->text) != 0)
			continue;
		if (*again != NULL && (*again)->at < keys[i].at)
			continue;
		*first = &keys[i - 1];
		*again = &keys[i];
	}
	return *again != NULL;
}

void ki_keys_collapse(struct ki_node *mapping, const struct ki_key *keys, size_t count)
{
	size_t i, last = 0, to = 0;

	for (i = 1; i < count; i++) {
		size_t other = last;

		if (strcmp(keys[i].name->text, keys[last].name->text) != 0) {
			last = i;
			continue;
		}
		if (keys[i].at > keys[last].at)
			last = i;
		else
			other = i;
		mapping->keys[keys[other].at] = NULL;
	}
	for (i = 0; i < mapping->count; i++) {
		if (mapping->keys[i] == NULL)
			continue;
		mapping->keys[to] = mapping->keys[i];
		mapping->items[to++] = mapping->items[i];
	}
	mapping->count = to;
}
