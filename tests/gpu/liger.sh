#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The main job on a GPU, as README.md and docs/gpu.md show it:
#
#     tests/gpu/liger.sh PREFIX RESULTS [SCHEMAS]
#
# PREFIX is where ki-harness was installed; RESULTS gets tables, records and what the machine is;
# SCHEMAS holds Kernel Index's.
# Run by hand: a machine without a GPU has nothing to say here.
set -u
prefix=$1
results=$2
schemas=${3:-}
protocol=$prefix/share/ki-harness/protocols/liger-forward.yaml
failed=0
mkdir -p "$results"

ki() {
	"$prefix/bin/ki-harness" "$@"
}

# step NAME COMMAND...: its output into RESULTS/NAME.txt
step() {
	name=$1
	shift
	echo "== $name"
	"$@" >"$results/$name.txt" 2>&1
	status=$?
	cat "$results/$name.txt"
	[ "$status" -eq 0 ] || {
		echo "== $name: status $status"
		failed=1
	}
}

both() { # PROTOCOL OUT [ARGUMENTS...]
	p=$1
	out=$2
	shift 2
	ki -p "$p" -b torch-reference -b fused --device cuda --out "$results/$out" "$@"
}

step env ki env --device cuda
start=$(date +%s.%N)
step liger both "$protocol" records
end=$(date +%s.%N)
echo "liger-forward with two backends: $(echo "$end $start" | awk '{printf "%.1f", $1 - $2}') s" |
	tee "$results/seconds.txt"

# The strict twin, which goes on to L 8192.
step mta both "$prefix/share/ki-harness/protocols/mta-forward.yaml" records-mta
# Lengths that are multiples of nothing, and the other dtypes.
sed -e 's/seq: \[[0-9, ]*\]/seq: [1, 7, 33, 100, 250, 513]/' -e 's/dtype: bf16/dtype: [bf16, fp16, fp32]/' \
	"$protocol" >"$results/odd.yaml"
step odd both "$results/odd.yaml" records-odd
step cpu ki -p "$protocol" -b torch-reference -b fused --device cpu --case seq=128 --out "$results/records-cpu"
step manifest ki manifest check "$results"/records*/records/*.json
if command -v python3 >/dev/null && [ -f tests/validate_records.py ]; then
	for records in records records-mta records-odd records-cpu; do
		step "validate-$records" python3 tests/validate_records.py --one-run "$results/$records" ${schemas:+"$schemas"}
	done
fi
exit "$failed"
