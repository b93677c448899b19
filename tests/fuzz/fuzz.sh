#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes each target for some seconds, with clang's libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer, starting from tests/fuzz/corpus: `make fuzz FUZZ_SECONDS=600`.  What is
# found is kept in fuzz/ of the build folder; an input that breaks something belongs into the corpus.
set -eu
: "${KI_SRCDIR:?is the source root}" "${KI_BUILDDIR:?is the build root}"
seconds=${1:-20}
targets=${2:-yaml json}
out=$KI_BUILDDIR/fuzz
cc=${FUZZ_CC:-clang}
mkdir -p "$out"

if ! echo 'int LLVMFuzzerTestOneInput(const char *d, long n); int LLVMFuzzerTestOneInput(const char *d, long n) { return d[n - n]; }' |
	"$cc" -x c - -fsanitize=fuzzer,address -o "$out/probe" 2>"$out/probe.log"; then
	echo "fuzz: skipped: $cc with libFuzzer is not here"
	exit 77
fi

for target in $targets; do
	# shellcheck disable=SC2046 # flags, and files without blanks below a folder that may have some
	(
		cd "$KI_SRCDIR"
		"$cc" -std=gnu17 -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all \
			-fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I"$KI_BUILDDIR" -Iharness \
			"tests/fuzz/fuzz_$target.c" harness/base/*.c harness/document/*.c \
			harness/document/kind/*.c -o "$out/$target" \
			$(pkg-config --cflags --libs yaml-0.1 jansson libcrypto) -lm -lpthread
	)
done
pids=
for target in $targets; do
	mkdir -p "$out/corpus-$target"
	(
		cd "$out"
		"./$target" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
			-dict="$KI_SRCDIR/tests/fuzz/document.dict" -artifact_prefix="$target-" \
			"corpus-$target" "$KI_SRCDIR/tests/fuzz/corpus/$target" >"$target.log" 2>&1
	) &
	pids="$pids $!"
done
status=0
for pid in $pids; do wait "$pid" || status=1; done
for target in $targets; do
	echo "fuzz: $target: $(grep -E '^Done|^SUMMARY|MUST|ERROR' "$out/$target.log" | tail -n 1)"
done
[ "$status" -eq 0 ] || tail -n 30 "$out"/*.log
exit "$status"
