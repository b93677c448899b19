/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The anchors of one YAML document, and how often each may be used.
 *
 * Kernel Index's reader (yaml 2.9, src/nodes/Alias.ts) refuses a use of an anchor when one more
 * than its uses so far, times the largest such product among the aliases inside of what it stands
 * for, exceeds 100: 99 uses of a scalar pass, and a few lines cannot stand for 9^9 values.  An
 * anchor of an empty collection may be used without end there.
 */
#ifndef KI_DOCUMENT_ANCHOR_H
#define KI_DOCUMENT_ANCHOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "document/node.h"

#define KI_ANCHOR_PRODUCT_MAX 100

struct ki_anchor {
	struct ki_node *node;
	bool open;         /* its collection has not ended: an alias to it would be a cycle */
	bool has_scalar;   /* it is one or holds one */
	size_t uses_begin; /* the aliases inside of it, in ki_anchors.uses ... */
	size_t uses_end;
	size_t count;  /* 1 and one for each use */
	size_t weight; /* 0 before the first use */
};

struct ki_anchors {
	struct ki_anchor *list;
	size_t count;
	size_t capacity;
	json_t *names; /* the last anchor of each name */
	size_t *uses;  /* by aliases, in the order of the document */
	size_t use_count;
	size_t use_capacity;
};

/*
 * A name that was there before from now on means this node.  The anchor of a collection is open
 * until ki_anchors_close().  False when memory ran out.
 */
bool ki_anchors_add(struct ki_anchors *a, const char *name, struct ki_node *node);

/* The collection of anchor i has ended. */
void ki_anchors_close(struct ki_anchors *a, size_t i, bool has_scalar);

/* The anchor that an alias of that name stands for, or NULL. */
struct ki_anchor *ki_anchors_find(const struct ki_anchors *a, const char *name);

/* Counts a use of a (one of s's own).  *allowed is false when it is one too many. */
bool ki_anchors_use(bool *allowed, struct ki_anchors *s, struct ki_anchor *a);

/* Forgets them all: anchors end with their document. */
void ki_anchors_clear(struct ki_anchors *a);

#endif
