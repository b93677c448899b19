#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The CUDA device on a driver that is not there, or a fake one with a planted fault.
. "$KI_SRCDIR/tests/cli/tap.sh"
cd "$work" || exit 99
sed -e 's/    cpu: {threads: all}/    cpu: {threads: all}\n    cuda: {}/' \
	-e 's/reference: scale.so/reference: scale-cuda.so/' "$KI_SRCDIR/tests/fixtures/scale.yaml" >gpu.yaml

# with FAKE ARGUMENTS...: a run on that driver
with() {
	KI_LIBCUDA=$fixtures/$1.so
	export KI_LIBCUDA
	shift
	rm -rf "$work/results"
	run -p gpu.yaml -b scale-cuda.so --case rows=7 --out "$work/results" "$@"
}

with fake-cuda --device cuda
expect "a whole run on a CUDA device passes" 0 "passed"
expect "and says which device" 0 "device    cuda: Fake GPU"
if command -v python3 >/dev/null; then
	if python3 - "$work/results" <<'PY'; then ok "the record is a GPU's"; else not_ok "the record is a GPU's"; fi
import glob, json, sys
r = json.load(open(glob.glob(sys.argv[1] + "/records/*.json")[0]))
hardware = r["environment"]["spec"]["hardware"]
assert hardware == {"vendor": "nvidia", "product": "Fake GPU", "architecture": "sm_86", "memoryBytes": 1 << 30, "count": 1}, hardware
m = r["protocol"]["spec"]["measurement"]
assert (m["timer"], m["synchronization"]) == ("cuda_events", "stream_event"), m
assert "CPU thread" not in r["protocol"]["spec"]["comparability"]["notes"]
e = json.load(open(sys.argv[1] + "/" + r["run"]["spec"]["evidence"]["rawSamples"]["uri"]))
assert e["device"]["facts"]["evidence"]["uuid"].startswith("GPU-10101010-"), e["device"]
PY
fi
with fake-cuda --device cuda:1
expect "a device is chosen by its index" 0 "Fake GPU, the other"
with fake-cuda --device cuda:GPU-2020
expect "or by the beginning of its UUID" 0 "Fake GPU, the other"
with fake-cuda --device cuda:7
expect "one that is not there is told with those that are" 2 "no GPU is \"7\"; there are 0: Fake GPU (GPU-10101010-"
with fake-cuda --device auto
expect "auto takes the GPU" 0 "the first CUDA device"
with fake-cuda-l2-unknown --device cuda
expect "an L2 cache of unknown size is flushed all the same" 0 "passed"
# On a CPU that takes too long for a whole run.
with fake-cuda-l2-large --device cuda --dry-run
expect "an L2 cache of 512 MiB is flushed too" 0 "Nothing was measured."

# refuses FAKE TEXT TITLE: exit 2, nothing measured, and what would work
refuses() {
	with "$1" --device cuda
	expect "$3" 2 "$2"
	expect "$3: and the CPU is offered" 2 "--device cpu"
	if [ -e "$work/results" ]; then not_ok "$3: nothing was written"; else ok "$3: nothing was written"; fi
}
refuses nowhere "cannot open shared object" "a library that is not there"
refuses fake-cuda-stub "the CUDA toolkit's stub" "the toolkit's stub"
refuses fake-cuda-none "GPU" "a driver without a GPU"
refuses fake-cuda-no-device "GPU" "a driver without its device nodes"
refuses fake-cuda-mismatch "do not fit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)" "a library that does not fit the kernel module"
refuses fake-cuda-broken "an error that the driver has no name for (4242)" "an error that nobody knows"
refuses fake-cuda-old "lacks cuEventElapsedTime" "a driver that is too old"
refuses fake-cuda-no-flush "no GPU memory for a flush buffer" "a GPU without free memory"
KI_LIBCUDA=
export KI_LIBCUDA
run -p gpu.yaml -b scale-cuda.so --device cuda
expect "an empty KI_LIBCUDA turns CUDA off" 2 "KI_LIBCUDA is empty"
sed 's/reference: scale-cuda.so/reference: scale.so/' gpu.yaml >both.yaml
run -p both.yaml -b scale.so --case rows=7 --out "$work/results"
expect "auto takes the CPU then and says why" 0 "device    cpu:"
expect "with the reason" 0 "KI_LIBCUDA is empty"
run -p "$KI_SRCDIR/tests/fixtures/scale.yaml" -b scale.so --device cuda
expect "a protocol without a variant for CUDA says so" 2 "has no variant for CUDA"

# fails FAKE STATUS TEXT TITLE: the run goes on to its end
fails() {
	with "$1" --device cuda
	expect "$4" 5 "$2"
	expect "$4: with its reason" 5 "$3"
}
fails fake-cuda-jit compile_error "line 7; error : planted" "PTX that does not compile"
fails fake-cuda-ptx-old compile_error "update the driver" "PTX that is newer than the driver"
fails fake-cuda-sticky invalid_reference "CUDA_ERROR_ILLEGAL_ADDRESS (700)" "an error that stays"

# The reference is through with its launches before that one.
fails fake-cuda-sticky-late runtime_error "CUDA_ERROR_ILLEGAL_ADDRESS (700)" "an error that stays, in a timed launch"

# Whatever the probe measures must be a time.
for fake in fake-cuda-negative fake-cuda-zero fake-cuda-nan; do
	refuses "$fake" "two events with a launch between them" "events that are no time apart ($fake)"
done
finish
