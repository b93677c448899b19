#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernel Index's own vectors (../shared/kernelindex/vectors, where they are): how many of each file
# hold.  What Criterion prints in TAP has no room for counts.
. "$KI_SRCDIR/tests/cli/tap.sh"
title="the vectors of Kernel Index hold"

for test in tests/document/test_vectors tests/import/test_liger_vectors; do
	if [ ! -x "$KI_BUILDDIR/$test" ]; then
		skip "$title" "Criterion is not here"
		continue
	elif [ ! -d "$KI_SRCDIR/../shared/kernelindex/vectors" ]; then
		skip "$title" "the vectors are not here"
		continue
	elif ! env -u CRITERION_OUTPUTS "$KI_BUILDDIR/$test" >"$work/out" 2>&1; then
		not_ok "$title" "$work/out"
		continue
	fi
	grep '^# left out' "$work/out"
	grep '^# [0-9]' "$work/out" >"$work/counts" || not_ok "$title" "$work/out"
	while read -r _ count; do
		ok "$count"
	done <"$work/counts"
done
finish
