#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How often a gate calls code slower or faster than itself on this GPU, and how long it takes:
#
#     tests/gpu/gate.sh PREFIX RESULTS COMPARISONS [SEQ...]
#
# PREFIX is where ki-harness was installed.  Run by hand: a machine without a GPU has nothing to say
# here.
set -u
prefix=$1
results=$2
comparisons=$3
shift 3
[ $# -gt 0 ] || set -- 32 512 1024
mkdir -p "$results"
for seq in "$@"; do
	slower=0
	faster=0
	start=$(date +%s)
	i=0
	while [ "$i" -lt "$comparisons" ]; do
		i=$((i + 1))
		"$prefix/bin/ki-harness" -p liger-forward.yaml -b a=fused.so -b b=fused.so \
			-c "seq=$seq" -d cuda --gate -q -o "$results/run" \
			>"$results/out" 2>"$results/err"
		echo "seq=$seq exit $? $(grep 'floor' "$results/out")" | tee -a "$results/gate.txt"
		grep -q '^gate: slower' "$results/out" && slower=$((slower + 1))
		grep -q '^gate: faster' "$results/out" && faster=$((faster + 1))
	done
	seconds=$(($(date +%s) - start))
	echo "seq=$seq: $comparisons comparisons, $slower slower, $faster faster," \
		"$seconds s" | tee -a "$results/summary.txt"
	cat "$results/out"
done
