#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a user sees who types something wrong, or asks for help.
. "$KI_SRCDIR/tests/cli/tap.sh"
scale=$KI_SRCDIR/tests/fixtures/scale.yaml
cd "$work" || exit 99

run --help
expect "help explains the commands" 0 "Usage: ki-harness -p PROTOCOL -b BACKEND"
run run --help
expect "help of run explains every option" 0 "--dry-run"
run --version
expect "the version names the plugin ABI" 0 "plugin ABI 1.0"
run
expect "nothing at all gives help and status 2" 2 "Usage:"
run frobnicate
expect "an unknown command is named" 2 "there is no command \"frobnicate\""
run -p "$scale"
expect "a run without a backend says how to give one" 2 "give one with -b"
run -b scale.so
expect "a run without a protocol says how to give one" 2 "give one with -p"
run -p "$scale" -b scale.so plugins/other.so
expect "an argument that stands alone is refused" 2 "unexpected argument \"plugins/other.so\""
run -p "$scale" -p "$scale" -b scale.so
expect "two protocols are refused" 2 "given twice"
run -p "$scale" -b scale.so --frob
expect "an unknown option points to the help" 2 "run --help"
run -p "$scale" -b scale.so --device gpu --dry-run
expect "an unknown device is refused" 2 "expected auto, cpu, cuda or cuda:WHICH"
run -p "$scale" -b scale.so --device cuda --dry-run
expect "cuda says what is missing and which command works" 2 "--device cpu"
run -p "$scale" -b scale.so --case length=5 --dry-run
expect "an unknown axis lists those that exist" 2 "there are rows, columns, dtype"
run -p "$scale" -b scale.so --case rows=8 --dry-run
expect "a case that does not exist is refused" 2 "no case of the protocol fits"
run -p "$scale" -b scale.so --case rows --dry-run
expect "a filter without a value is refused" 2 "expected AXIS=VALUE"
run -p "$scale" -b scale.so --baseline other --dry-run
expect "an unknown baseline names a known one" 2 "the first is \"scale\""
run -p "$scale" -b scale.so -b scale.so --dry-run
expect "one label twice asks for another" 2 "-b LABEL="
run -p "$scale" -b scale.so -b b=scale.so --dry-run
expect "one implementation twice is refused" 2 "are the same implementation"
run -p "$scale" -b =scale.so --dry-run
expect "an empty label is refused" 2 "a label has 1 to"
run -p "$scale" -b scale.so#other --dry-run
expect "a kernel that the plugin lacks lists those that it has" 2 "no kernel other; it has: "

# Protocol files
run -p nowhere.yaml -b scale.so
expect "a protocol that is not there says where it was looked for" 2 "nowhere.yaml"
printf 'kind: Plan\n  bad: [1\n' >"$work/bad.yaml"
run -p "$work/bad.yaml" -b scale.so
expect "malformed YAML is refused with file, line and column" 2 "$work/bad.yaml:"
sed 's/segments: 2/segments: two/' "$scale" >"$work/type.yaml"
run -p "$work/type.yaml" -b scale.so
line=$(grep -n 'segments: two' "$work/type.yaml" | cut -d: -f1)
expect "a wrong type is refused with its place and what was expected" 2 "type.yaml:$line:24: spec.schedule.segments: expected an integer"
sed 's/method: do_bench/method: do_bench, metod: x/' "$scale" >"$work/key.yaml"
run -p "$work/key.yaml" -b scale.so
expect "an unknown key is refused and the known ones listed" 2 "unknown key \"metod\"; known are method, warmup"
sed 's/^spec:$/spec: {}\nspec:/' "$scale" >"$work/twice.yaml"
run -p "$work/twice.yaml" -b scale.so
expect "a key given twice is refused" 2 "duplicate key"
: >"$work/empty.yaml"
run -p "$work/empty.yaml" -b scale.so
expect "an empty protocol says what a protocol holds" 2 "three documents"
run -p "$KI_SRCDIR/tests/fixtures" -b scale.so
expect "a folder is no protocol" 2 "ki-harness: "

# Backends
run -p "$scale" -b nowhere.so
expect "a backend that is not there says where it was looked for" 2 "KI_PLUGIN_PATH"
run -p "$scale" -b "$scale"
expect "a text file is no backend" 2 "(not-elf)"
head -c 3000 "$fixtures/scale.so" >"$work/short.so"
run -p "$scale" -b "$work/short.so"
expect "a truncated backend is told before anything is loaded" 2 "(truncated)"
{ head -c 18 "$fixtures/scale.so"; printf '\267\000'; tail -c +21 "$fixtures/scale.so"; } >"$work/arm.so"
run -p "$scale" -b "$work/arm.so"
expect "a backend for another architecture is named as such" 2 "(wrong-machine)"
run -p "$scale" -b "$ki"
expect "a program is no backend" 2 "ki-harness: backend"
: >"$work/empty.so"
run -p "$scale" -b "$work/empty.so"
expect "an empty file is no backend" 2 "(not-elf)"

mkfifo "$work/pipe.so"
run -p "$scale" -b "$work/pipe.so"
expect "a pipe is no backend, and nobody waits for it" 2 "not a regular file"
name=$(printf 'n%.0s' $(seq 1 251)).so
cp "$fixtures/scale.so" "$work/$name"
run -p "$scale" -b "$work/$name" --dry-run
expect "the longest file name will do" 0 "Nothing was measured."

# What a plugin says of itself
refused() { # FIXTURE TEXT TITLE
	run -p "$scale" -b "$1"
	expect "$3" 2 "$2"
}
run -p "$scale" -b most-kernels.so#k255 --dry-run
expect "one of 256 kernels can be picked" 0 "kernel k255"
run -p "$scale" -b most-kernels.so#other --dry-run
expect "of 256 kernels some are named" 2 "more"
run -p "$scale" -b kernel-short.so --dry-run
expect "a kernel that is left out is told" 0 "left out: kernel 1: bad struct_size"
refused kernel-short.so#bad "left out: kernel 1: bad struct_size" "who asks for a kernel that was left out learns why"
refused too-many-kernels.so "more than 256 kernels" "257 kernels are too many"
refused major-up.so "ABI" "another ABI major is refused as such"
refused refuses.so "refused" "a plugin that refuses is told with its reason"
refused init-fails.so "init: KI_E_INTERNAL" "a failing init is told with its reason"
refused init-crash.so "load: killed by signal 11" "a crash in init ends the worker alone"
refused constructor-crash.so "load: killed by signal 11" "a crash in a constructor ends the worker alone"
refused constructor-exit0.so "exited with status 0 before it answered" "an exit while loading is no answer"
refused entry-garbage.so "load: " "a descriptor that is nowhere ends the worker alone"
refused undefined-symbol.so "cannot be loaded" "a plugin that needs the host's functions is refused"
sed 's/load: 3 s/load: 500 ms/' "$scale" >"$work/soon.yaml"
run -p "$work/soon.yaml" -b constructor-hang.so
expect "a constructor that never returns is stopped" 2 "no answer within 0.5 s"
run -p "$KI_SRCDIR/protocols/liger-forward.yaml" -b scale.so
expect "a backend of another operation is told what it has" 2 "no kernel for multi-token-attention/1; it has: scale (scale/1)"

# Where results go
run -p "$scale" -b scale.so --out "$scale/results"
expect "a folder for results that cannot be made is found before measuring" 2 "--out"
if [ -w /dev/full ] && [ -d /proc/self ]; then
	run -p "$scale" -b scale.so --out /proc/self/results
	expect "a folder where nothing can be written is found before measuring" 2 "--out"
fi
if [ -e ki-results ]; then
	not_ok "nothing was written by a run that failed"
else
	ok "nothing was written by a run that failed"
fi
finish
