#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# RFC 8785 against the implementation that it describes: Node's JSON.stringify, on 1.3 million random
# values.  KI_SEED draws others.
. "$KI_SRCDIR/tests/cli/tap.sh"
title="canonical texts are those of JSON.stringify"
seed=${KI_SEED:-1}

if ! command -v node >/dev/null; then
	skip "$title" "node is not here"
else
	"$KI_BUILDDIR/tests/document/canonical_texts" "$seed" 1000000 300000 >"$work/texts" ||
		echo failed >"$work/failed"
	if [ ! -e "$work/failed" ] &&
		node "$KI_SRCDIR/tests/document/canonical_node.js" <"$work/texts" >"$work/out" 2>&1; then
		ok "$title: $(tail -n 1 "$work/out"), seed $seed"
	else
		not_ok "$title (seed $seed)" "$work/out"
	fi
fi
finish
