/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "document/anchor.h"

bool ki_anchors_add(struct ki_anchors *a, const char *name, struct ki_node *node)
{
	bool collection = node->type == KI_NODE_SEQUENCE || node->type == KI_NODE_MAPPING;
	struct ki_anchor *list = ki_array_grow(a->list, &a->capacity, a->count, sizeof *list);

	if (list == NULL)
		return false;
	a->list = list;
	if (a->names == NULL)
		a->names = json_object();
	if (json_object_set_new(a->names, name, json_integer((json_int_t)a->count)) != 0)
		return false;
	a->list[a->count++] = (struct ki_anchor){
		.node = node,
		.open = collection,
		.has_scalar = !collection,
		.uses_begin = a->use_count,
		.uses_end = a->use_count,
		.count = 1,
	};
	return true;
}

void ki_anchors_close(struct ki_anchors *a, size_t i, bool has_scalar)
{
	a->list[i].open = false;
	a->list[i].has_scalar = has_scalar;
	a->list[i].uses_end = a->use_count;
}

struct ki_anchor *ki_anchors_find(const struct ki_anchors *a, const char *name)
{
	const json_t *i = json_object_get(a->names, name);

	return i == NULL ? NULL : &a->list[json_integer_value(i)];
}

/* Of what it stands for, at its first use; later ones keep it, as they do there. */
static size_t weigh(const struct ki_anchors *s, const struct ki_anchor *a)
{
	size_t i, weight = a->has_scalar ? 1 : 0;

	for (i = a->uses_begin; i < a->uses_end; i++) {
		const struct ki_anchor *inner = &s->list[s->uses[i]];

		if (inner->count * inner->weight > weight)
			weight = inner->count * inner->weight;
	}
	return weight;
}

bool ki_anchors_use(bool *allowed, struct ki_anchors *s, struct ki_anchor *a)
{
	size_t *uses = ki_array_grow(s->uses, &s->use_capacity, s->use_count, sizeof *uses);

	if (uses == NULL)
		return false;
	s->uses = uses;
	s->uses[s->use_count++] = (size_t)(a - s->list);
	if (a->weight == 0)
		a->weight = weigh(s, a);
	a->count++;
	*allowed = a->count * a->weight <= KI_ANCHOR_PRODUCT_MAX;
	return true;
}

void ki_anchors_clear(struct ki_anchors *a)
{
	json_decref(a->names);
	free(a->list);
	free(a->uses);
	*a = (struct ki_anchors){0};
}
