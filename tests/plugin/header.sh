#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ki_plugin.h is included by other people's projects: each language and warning that they may use.
. "$KI_SRCDIR/tests/cli/tap.sh"

# compiles LANGUAGE STANDARD FILE
compiles() {
	# shellcheck disable=SC2086 # flags are words
	$KI_CC -x "$1" -std="$2" -Wall -Wextra -Wpedantic -Wpadded -Wundef -Werror -fsyntax-only \
		$KI_CPPFLAGS -I"$KI_SRCDIR/harness" "$3" >"$work/cc.log" 2>&1
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# alone LANGUAGE STANDARD: the header, included first and twice
alone() {
	title="ki_plugin.h compiles alone as $2, without a warning and without padding"
	if ! compiles "$1" "$2" "$work/nothing"; then
		skip "$title" "this compiler cannot do that"
	elif compiles "$1" "$2" "$work/header"; then
		ok "$title"
	else
		not_ok "$title" "$work/cc.log"
	fi
}

# Some compilers lay a struct out, and see the padding in it, only when its size is asked for.
sizes() {
	sed -n 's/^struct \([a-z_]*\) {$/extern char size_of_\1[sizeof(struct \1)];/p' "$1"
}

echo 'extern int some;' >"$work/nothing"
{
	printf '#include "ki_plugin.h"\n#include "ki_plugin.h"\n'
	sizes "$KI_SRCDIR/harness/ki_plugin.h"
} >"$work/header"
alone c c11
alone c c17
alone c++ c++11
alone c++ c++20

echo 'struct padded { char first; int second; }; extern char size[sizeof(struct padded)];' >"$work/padded"
if compiles c c11 "$work/padded" || ! grep -q padded "$work/cc.log"; then
	not_ok "padding would be noticed" "$work/cc.log"
else
	ok "padding would be noticed"
fi
for standard in c11 c17; do
	if compiles c "$standard" "$KI_SRCDIR/tests/abi_layout.c"; then
		ok "the layout of ABI 1.0 is as pinned, as $standard"
	else
		not_ok "the layout of ABI 1.0 is as pinned, as $standard" "$work/cc.log"
	fi
done
sed 's/uint32_t n_operands;/uint64_t n_operands;/' "$KI_SRCDIR/harness/ki_plugin.h" >"$work/ki_plugin.h"
sed 's|"ki_plugin.h"|"'"$work"'/ki_plugin.h"|' "$KI_SRCDIR/tests/abi_layout.c" >"$work/layout.c"
if compiles c c11 "$work/layout.c" || ! grep -q 'place of struct ki_workload.op' "$work/cc.log"; then
	not_ok "a field that moves is noticed" "$work/cc.log"
else
	ok "a field that moves is noticed"
fi
finish
