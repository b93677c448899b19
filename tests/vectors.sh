#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernel Index's own vectors (../shared/kernelindex/vectors, where they are): how many of each file
# hold.  What Criterion prints in TAP has no room for counts.
. "$KI_SRCDIR/tests/cli/tap.sh"
program=$KI_BUILDDIR/tests/document/test_vectors
title="the vectors of Kernel Index hold"

if [ ! -x "$program" ]; then
	skip "$title" "Criterion is not here"
elif [ ! -d "$KI_SRCDIR/../shared/kernelindex/vectors" ]; then
	skip "$title" "the vectors are not here"
elif env -u CRITERION_OUTPUTS "$program" >"$work/out" 2>&1; then
	sed -n 's/^# \(left out: .*\)/# \1/p' "$work/out"
	grep '^# [0-9]' "$work/out" >"$work/counts"
	while read -r _ count; do
		ok "$count"
	done <"$work/counts"
	[ -s "$work/counts" ] || not_ok "$title" "$work/out"
else
	not_ok "$title" "$work/out"
fi
finish
