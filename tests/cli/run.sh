#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whole runs of small backends, right and wrong: status, table, records.
. "$KI_SRCDIR/tests/cli/tap.sh"
scale=$KI_SRCDIR/tests/fixtures/scale.yaml

records() { # how many records lie in $work/results
	find "$work/results/records" -name '*.json' 2>/dev/null | wc -l
}

# As in tap.sh, with the work folder as the working folder of the run and so of its workers.
run() {
	status=0
	(cd "$work" && exec timeout 100 "$ki" "$@") >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# How many processes have the work folder as theirs: runs, and what they left behind.
inside() {
	for cwd in /proc/[0-9]*/cwd; do readlink "$cwd"; done 2>/dev/null | grep -cxF "$work"
}

# measure BACKEND...: a new run of them into $work/results
measure() {
	rm -rf "$work/results"
	set -- $(printf -- '-b %s ' "$@")
	run -p "$scale" --out "$work/results" "$@"
}

# More than one tile of the oracle's float64 output, of 64 MiB each.
sed 's/rows: \[7, 33\], columns: 65/rows: 3000, columns: 3000/' "$scale" >"$work/tiles.yaml"
run -p "$work/tiles.yaml" -b scale.so -b scale-partial.so --out "$work/tiles"
expect "an output of several tiles is compared whole: right ones pass" 4 "scale          passed"
expect "an output of several tiles is compared whole: a last row that is missing shows" 4 "scale-partial  incorrect_numerical"
rm -rf "$work/tiles"

measure scale.so
expect "a right backend passes" 0 "passed"
if [ "$(records)" -eq 2 ]; then ok "one record a case"; else not_ok "one record a case"; fi
if [ "$(wc -l <"$work/results/index.jsonl")" -eq 2 ]; then ok "one line of the index a record"; else not_ok "one line of the index a record"; fi
if find "$work/results" -name '*tmp*' | grep -q .; then not_ok "no temporary file is left"; else ok "no temporary file is left"; fi

if command -v python3 >/dev/null; then
	python3 - "$work/results" <<'PY' && ok "records hold what the table promises" || not_ok "records hold what the table promises"
import glob, hashlib, json, re, sys
root = sys.argv[1]
for path in glob.glob(root + "/records/*.json"):
    r = json.load(open(path))
    assert set(r) == {"run", "protocol", "environment", "workload", "operation", "implementation"}, set(r)
    spec = r["run"]["spec"]
    t = spec["timing"]
    assert spec["status"] == "passed" and t["samples"] >= 6, spec
    l = t["latencyNs"]
    assert l["minimum"] <= l["median"] <= l["maximum"], l
    assert "sourceNative" not in spec
    uri = root + "/" + t["rawSamples"]["uri"]
    data = open(uri, "rb").read()
    assert "sha256:" + hashlib.sha256(data).hexdigest() == t["rawSamples"]["digest"]
    e = json.loads(data)
    n = sum(len(s["samplesNs"]) for s in e["timing"]["segments"])
    assert n == t["samples"], (n, t["samples"])
    assert len({s["placement"] for s in e["timing"]["segments"]}) == len(e["timing"]["segments"])
    assert {c["content"] for c in e["checks"] if c["phase"] == "before timing"} == {0, 1, 2}
    assert any(c["phase"] == "timed" for c in e["checks"])
    assert re.search(r"; [1-9][0-9]* CPU threads?\.", r["protocol"]["spec"]["comparability"]["notes"])
PY
fi

run -p "$scale" -b scale.so --json --quiet --out "$work/json"
if [ "$status" -eq 0 ] && [ "$(wc -l <"$work/out")" -eq 2 ] && grep -q '^{"environment"' "$work/out"; then
	ok "--json prints one record a line and nothing else"
else
	not_ok "--json prints one record a line and nothing else" "$work/out" "$work/err"
fi

# wrong BACKEND STATUS VERDICT TEXT TITLE: it fails so; scale.so beside it passes all the same
wrong() {
	measure scale.so "$1"
	expect "$5" "$2" "$3"
	if grep -qF -e "$4" "$work/out" && [ "$(grep -cE 'scale +passed' "$work/out")" -eq 2 ]; then
		ok "$5: for the reason expected, and the other backend is untouched"
	else
		echo "# expected \"$4\" and scale passed twice"
		not_ok "$5: for the reason expected, and the other backend is untouched" "$work/out" "$work/err"
	fi
	if grep -lF "\"$3\"" "$work"/results/records/*.json >"$work/list" 2>/dev/null &&
		! xargs grep -lE '"timing"|latencyNs' <"$work/list" | grep -q .; then
		ok "$5: its records have the status and no latency"
	else
		not_ok "$5: its records have the status and no latency"
	fi
}

wrong scale-wrong.so 4 incorrect_numerical "noise" "a wrong output"
wrong scale-zeros.so 4 incorrect_numerical "output y" "an output of zeros"
wrong scale-noop.so 4 incorrect_numerical "poison" "an output that was not written"
wrong scale-nan.so 4 incorrect_numerical "output y" "an output of NaN"
wrong scale-partial.so 4 incorrect_numerical "output y" "a row that was not written"
wrong scale-right-then-wrong.so 4 incorrect_numerical "output y" "a backend that is right at first"
wrong scale-cached.so 4 incorrect_numerical "output y" "an answer kept from the last time"
wrong scale-stale.so 4 incorrect_numerical "output y" "an address kept from the last time"
wrong scale-illegal.so 5 runtime_error "signal 4" "an illegal instruction"
wrong scale-exit3.so 5 runtime_error "exited with status 3" "an exit with status 3"
wrong scale-create-null.so 5 runtime_error "without an instance" "a create without an instance"
wrong scale-crash.so 5 runtime_error "signal 11" "a crash"
wrong scale-abort.so 5 runtime_error "signal 6" "an abort"
wrong scale-exit0.so 5 runtime_error "exited with status 0" "an exit with status 0"
wrong scale-error.so 5 runtime_error "KI_E_INTERNAL" "a launch that reports an error"
wrong scale-status99.so 5 runtime_error "status 99" "a status that the header does not know"
wrong scale-create-fail.so 5 runtime_error "create" "a create that contradicts supports"
wrong scale-create-crash.so 5 runtime_error "create" "a crash in create"
wrong scale-overrun.so 5 policy_violation "bytes beside" "a write past the end"
wrong scale-underrun.so 5 policy_violation "bytes beside" "a write before the start"
wrong scale-input-write.so 5 policy_violation "input \"x\"" "a write into an input"
wrong scale-bad-needs.so 5 runtime_error "power of two" "needs that are not sane"
wrong scale-huge-scratch.so 5 resource_exceeded "scratch" "scratch that cannot be had"
wrong scale-late-crash.so 5 runtime_error "destroy: killed by signal 11" "a crash in destroy"

# Right ones, though not pleasant ones
right() { # BACKEND TITLE
	measure scale.so "$1"
	expect "$2" 0 "passed"
}
right scale-scratch.so "a backend with zeroed, aligned scratch passes"
right scale-flood.so "a backend that floods standard error passes"
if [ "$(du -sk "$work/results" | cut -f 1)" -lt 4096 ]; then ok "and what is kept of it is bounded"; else not_ok "and what is kept of it is bounded"; fi
right scale-fork.so "a backend that leaves a process behind passes"
right scale-busy-thread.so "a backend that leaves a thread behind passes"
sleep 0.2
if [ "$(inside)" -eq 0 ]; then ok "and nothing of them outlives the run"; else not_ok "and nothing of them outlives the run"; fi

run -p "$scale" --out "$work/results2" -b scale.so -b scale-hang.so --case rows=7
expect "a hang is killed at its deadline" 5 "timeout"
run -p "$scale" --out "$work/results3" -b scale.so -b scale-destroy-hang.so --case rows=7
expect "a hang in destroy is killed at its deadline" 5 "runtime_error"
run -p "$scale" --out "$work/results4" -b scale.so -b scale-prepare-hang.so --case rows=7
expect "a hang in prepare names the phase" 5 "prepare: no answer"
run -p "$scale" --out "$work/results5" -b scale.so -b scale-supports-no.so --case rows=7
expect "a case that a backend does not support is missing, not wrong" 5 "unsupported"
if [ "$(find "$work/results5/records" -name '*.json' | wc -l)" -eq 1 ]; then ok "an unsupported case leaves no record"; else not_ok "an unsupported case leaves no record"; fi

run -p "$scale" --out "$work/results6" -b scale-stdout.so --case rows=7 --json
if [ "$status" -eq 0 ] && [ "$(wc -l <"$work/out")" -eq 1 ]; then
	ok "what a backend prints does not reach standard output"
else
	not_ok "what a backend prints does not reach standard output" "$work/out"
fi

sed 's/oracle: scale-oracle.so/oracle: scale.so/' "$scale" >"$work/no-oracle.yaml"
run -p "$work/no-oracle.yaml" --out "$work/results7" -b scale-wrong.so --case rows=7
expect "without a working oracle nobody is judged" 5 "invalid_reference"
sed 's/reference: scale.so/reference: scale-zeros.so/' "$scale" >"$work/bad-reference.yaml"
run -p "$work/bad-reference.yaml" --out "$work/results8" -b scale.so --case rows=7
expect "a reference that lets zeros pass makes the case invalid_reference" 5 "invalid_reference"

# Interrupted: what is finished stays
sed 's/measure: 1 ms/measure: 1 s/; s/minimumSamples: 6, maximumSamples: 12/minimumSamples: 400, maximumSamples: 400/' "$scale" >"$work/long.yaml"
(cd "$work" && exec "$ki" -p "$work/long.yaml" -b scale.so --out "$work/long" >"$work/out" 2>"$work/err" </dev/null) &
pid=$!
i=0
while [ "$(find "$work/long/records" -name '*.json' 2>/dev/null | wc -l)" -lt 1 ] && [ $i -lt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
while [ "$(inside)" -lt 4 ] && [ $i -lt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
before=$(inside)
kill -INT $pid
status=0
wait $pid || status=$?
if [ "$status" -eq 130 ] && [ "$(find "$work/long/records" -name '*.json' | wc -l)" -eq 1 ]; then
	ok "interrupted after the first case: status 130, its record on disk"
else
	echo "# status $status"
	not_ok "interrupted after the first case: status 130, its record on disk" "$work/out" "$work/err"
fi
# The supervisor, the oracle, the reference and the backend at least, if this system lets us see.
if [ "$before" -lt 4 ]; then
	skip "workers end with their supervisor" "/proc does not show them"
elif [ "$(inside)" -eq 0 ]; then
	ok "workers end with their supervisor"
else
	not_ok "workers end with their supervisor"
fi

sed 's/rows: \[7, 33\], columns: 65/rows: [7, 1000000], columns: 1000000/' "$scale" >"$work/huge.yaml"
run -p "$work/huge.yaml" --out "$work/huge" -b scale.so
expect "a case that memory cannot hold is told before it is tried" 5 "GB are available"
run -p "$scale" -b scale.so --dry-run
expect "a dry run measures nothing and says about how long it would take" 0 "Nothing was measured."
run -p "$scale" --out "$work/results9" -b a=scale.so#scale -b b=scale-slow.so --baseline b --case rows=7
expect "the baseline can be chosen" 0 "baseline"
run env
expect "env says what this machine is" 0 "architecture"
run env --json
expect "env --json is one object" 0 '{"device"'
LC_ALL=de_DE.UTF-8 run env --json
if grep -qE '[0-9],[0-9]+[,}]' "$work/out" && ! python3 -c "import json,sys; json.load(open('$work/out'))" 2>/dev/null; then
	not_ok "a locale's comma stays out of JSON" "$work/out"
else
	ok "a locale's comma stays out of JSON"
fi
finish
