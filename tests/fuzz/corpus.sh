#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fuzz targets on what was found to matter, without a fuzzer: tests/fuzz/fuzz.sh looks for more.
. "$KI_SRCDIR/tests/cli/tap.sh"

for target in yaml json; do
	corpus=$KI_SRCDIR/tests/fuzz/corpus/$target
	title="the corpus of $target: $(find "$corpus" -type f | wc -l) inputs"
	if timeout 100 "$KI_BUILDDIR/tests/fuzz/replay_$target" "$corpus"/* >"$work/out" 2>&1; then
		ok "$title"
	else
		tail -n 5 "$work/out" >"$work/tail"
		not_ok "$title" "$work/tail"
	fi
done
finish
