#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job's documents, on its three smallest cases: schemas, digests, what differs and what
# must not.
. "$KI_SRCDIR/tests/cli/tap.sh"
schemas=$KI_SRCDIR/../shared/kernelindex/schemas
seed_operation=sha256:daed040c2d774680d72fb0502074e800085dc4a87371ae4da62b78b8db9f1935
seed_workload=sha256:95c56ccd8ab844776371ebadf2826eae823473667906a8b56f00a458432cc14d

cd "$KI_BUILDDIR" || exit 99
run -p protocols/liger-forward.yaml -b plugins/torch-reference.so -b plugins/fused.so \
	--case seq=32 --case seq=64 --case seq=128 --out "$work/results"
expect "both backends pass" 0 "fused"
if [ "$(grep -c ' passed ' "$work/out")" -eq 6 ]; then ok "at every length"; else not_ok "at every length" "$work/out" "$work/err"; fi

title="records validate, recompute, and only the implementation tells backends apart"
if ! command -v python3 >/dev/null; then
	skip "$title" "python3 is not here"
elif PYTHONDONTWRITEBYTECODE=1 python3 "$KI_SRCDIR/tests/validate_records.py" --one-run "$work/results" "$schemas" >"$work/out" 2>&1; then
	ok "$title"
	sed 's/^/# /' "$work/out"
	grep -q 'schemas skipped' "$work/out" && skip "the schemas of Kernel Index agree" "they or jsonschema are not here"
else
	not_ok "$title" "$work/out"
fi

run -p protocols/liger-forward.yaml -b plugins/fused.so --dry-run
expect "the operation is the seed record's" 0 "$seed_operation"
expect "so is the workload of L 1024" 0 "$seed_workload"

# The same measurement has the same names, another one has others.
digest_of() { # KIND of the last dry run
	sed -n "s/^$1 .*\(sha256:[0-9a-f]*\).*/\1/p" "$work/out"
}
first=$(digest_of protocol)
run -p protocols/liger-forward.yaml -b plugins/fused.so --dry-run
if [ -n "$first" ] && [ "$first" = "$(digest_of protocol)" ]; then
	ok "one protocol has one digest"
else
	not_ok "one protocol has one digest" "$work/out"
fi
# changes SED-SCRIPT TITLE
changes() {
	sed "$1" protocols/liger-forward.yaml >"$work/changed.yaml"
	run -p "$work/changed.yaml" -b plugins/fused.so --dry-run
	other=$(digest_of protocol)
	if [ "$status" -eq 0 ] && [ -n "$other" ] && [ "$other" != "$first" ]; then
		ok "$2"
	else
		not_ok "$2" "$work/out" "$work/err"
	fi
}
changes 's/warmup: 25 ms/warmup: 26 ms/' "another warm-up is another protocol"
changes 's/measure: 100 ms/measure: 101 ms/' "other samples are another protocol"
changes 's/minimumSamples: 20/minimumSamples: 21/' "another minimum of samples is another protocol"
changes 's/segments: 8/segments: 6/' "another schedule is another protocol"
changes 's/leadIn: 2/leadIn: 3/' "another lead-in is another protocol"
changes 's/rowLimit: 4/rowLimit: 5/' "another tolerance is another protocol"
changes 's/poolLimit: 2/poolLimit: 2.5/' "another pooled tolerance is another protocol"
changes 's/contents: 3/contents: 4/' "another number of contents is another protocol"
changes 's/seed: 2/seed: 4/' "another seed is another protocol"
changes 's/generator: normal, seed: 1/generator: normal, seed: 1, parameters: {stddev: 2}/' "other inputs are another protocol"
changes 's/threads: all/threads: 1/' "fewer threads are another protocol"
changes 's/family: ki_harness_do_bench/family: other/' "another family is another protocol"

# The strict twin: what a number depends on is in the workload, and so in its digest.
run manifest digest protocols/mta-forward.yaml
expect "the strict operation says which function it is, under a digest of its own" 0 \
	"sha256:35f9ca1c9dc2a410c534adb66f71fcd049a9cd25395c39eaa432bfa76d30e95f"
run -p protocols/mta-forward.yaml -b plugins/fused.so --case seq=32 --out "$work/strict"
expect "its shortest case passes" 0 "passed"
for text in '"data":{"generator":"normal","parameters":{"mean":0,"stddev":1},"seed":1}' \
	'"correctness":{"comparator":"noise_relative_row4_pool2","infinityPolicy":"exact_match","nanPolicy":"reject","requiredMatchedRatio":1}'; do
	if grep -qF "$text" "$work"/strict/records/*.json; then
		ok "the workload states $(echo "$text" | cut -d '"' -f 2)"
	else
		not_ok "the workload states $text" "$work"/strict/records/*.json
	fi
done
run manifest check "$work"/strict/records/*.json
expect "its record is one that Kernel Index accepts" 0 "WorkloadCase multi-token-attention-softmax"
workload_of() { # of L 32, in the last dry run
	sed -n 's/^seq=32 .*\(sha256:[0-9a-f]*\).*/\1/p' "$work/out"
}
run -p protocols/mta-forward.yaml -b plugins/fused.so --case seq=32 --dry-run
strict=$(workload_of)
# restates SED-SCRIPT TITLE
restates() {
	sed "$1" protocols/mta-forward.yaml >"$work/changed.yaml"
	run -p "$work/changed.yaml" -b plugins/fused.so --case seq=32 --dry-run
	other=$(workload_of)
	if [ "$status" -eq 0 ] && [ -n "$strict" ] && [ -n "$other" ] && [ "$other" != "$strict" ]; then
		ok "$2"
	else
		not_ok "$2" "$work/out" "$work/err"
	fi
}
restates 's/rowLimit: 4/rowLimit: 4.5/' "another tolerance is another workload"
restates 's/poolLimit: 2/poolLimit: 3/' "another pooled tolerance is another workload"
restates 's/seed: 3/seed: 4/' "another seed is another workload"
restates 's/a: 2.23606797749979/a: 2/' "another parameter of an input is another workload"
restates 's/j <= i, else -1e9/j < i, else -1e9/' "another function is another operation, and so another workload"
finish
