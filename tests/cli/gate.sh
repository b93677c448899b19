#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fresh workers as replicates, and the verdict that a gate draws from them.
. "$KI_SRCDIR/tests/cli/tap.sh"
scale=$work/scale.yaml
sed -e 's/rows: \[7, 33\]/rows: 7/' -e 's/measure: 1 ms/measure: 10 ms/' \
	-e 's/maximumSamples: 12/maximumSamples: 200/' -e 's/segments: 2/segments: 8/' \
	"$KI_SRCDIR/tests/fixtures/scale.yaml" >"$scale"

# gate BACKEND BACKEND [OPTION...]
gate() {
	base=$1
	head=$2
	shift 2
	run -p "$scale" -b "base=$base" -b "head=$head" -d cpu -q --gate --out "$work/results" "$@"
}

gate scale-100.so scale-120.so
expect "a planted slowdown of 20 % fails the gate" 1 "gate: slower"
expect "with the sentence that explains it" 1 ", 6 pairs"
gate scale-120.so scale-100.so
expect "the other way round it passes" 0 "gate: faster"

# One machine's noise may call for "inconclusive" (3), never for a regression.
false_alarms=0
for i in 1 2 3 4 5; do
	gate scale-100.so scale-100.so
	case $status in
	0 | 3) ;;
	*) false_alarms=$((false_alarms + 1)) ;;
	esac
done
if [ "$false_alarms" -eq 0 ]; then
	ok "the same code is not called slower than itself"
else
	not_ok "the same code is not called slower than itself" "$work/out" "$work/err"
fi

gate scale-100.so scale-wrong.so
expect "a wrong backend is told as that, not as a regression" 4 "incorrect_numerical"
gate scale-100.so scale-crash.so
expect "a missing case fails the gate" 5 "one of the two has no numbers"
gate scale-100.so scale-120.so -r 2
expect "two replicates have no interval" 3 "replicates have no interval, 6 each have one"
run -p "$scale" -b scale.so -d cpu --gate --out "$work/results"
expect "a gate needs two backends" 2 "--gate compares backends; give two with -b"
for many in 0 -1 1001 x 1.5 ''; do
	run -p "$scale" -b scale.so -d cpu -r "$many" --out "$work/results"
	expect "--replicates \"$many\" is refused" 2 "expected a number from 1 to 1000"
done

rm -rf "$work/results"
run -p "$scale" -b scale.so -b scale-100.so -d cpu -r 3 --out "$work/results"
expect "replicates without a gate" 0 "inconclusive"
python3 - "$work/results" <<'EOF' >"$work/said" 2>&1 && ok "every replicate's segments are in the evidence" || not_ok "every replicate's segments are in the evidence" "$work/said"
import glob, json, sys
found = 0
for f in glob.glob(sys.argv[1] + "/artifacts/*"):
    e = json.load(open(f))
    segments = e["timing"]["segments"]
    assert [s["replicate"] for s in segments] == sorted(s["replicate"] for s in segments)
    assert [sum(s["replicate"] == r for s in segments) for r in range(3)] == [8, 8, 8], segments
    assert len({s["placement"] for s in segments}) == 24
    found += 1
assert found == 2, found
EOF
digest() { # EXPRESSION [OPTION...]: the protocol's digest after sed
	sed "$1" "$scale" >"$work/changed.yaml"
	shift
	run -p "$work/changed.yaml" -b scale.so -d cpu -n --out "$work/results" "$@"
	sed -n 's/^protocol .*(\(.*\))$/\1/p' "$work/out"
}
plain=$(digest '')
changes() { # TITLE EXPRESSION [OPTION...]
	title=$1
	shift
	other=$(digest "$@")
	if [ -n "$plain" ] && [ -n "$other" ] && [ "$other" != "$plain" ]; then
		ok "$title changes the protocol's digest"
	else
		not_ok "$title changes the protocol's digest" "$work/out" "$work/err"
	fi
}
changes "a replicate more" '' -r 2
changes "a replicate more in the file" 's/segments: 8/segments: 8, replicates: 2/'
changes "another schedule" 's/segments: 8/segments: 6/'
changes "another lead-in" 's/leadIn: 1/leadIn: 2/'
changes "another budget" 's/measure: 10 ms/measure: 11 ms/'
changes "another warm-up" 's/warmup: 1 ms/warmup: 2 ms/'
changes "another minimum effect" 's/^  verification:/  comparison: {minimumEffect: 0.02}\n  verification:/'
changes "another tolerance" 's/contents: 3/contents: 3, rowLimit: 5/'
if [ "$(digest 's/launch: 3 s/launch: 4 s/')" = "$plain" ]; then
	ok "a deadline does not"
else
	not_ok "a deadline does not"
fi
run -p "$work/changed.yaml" -b scale.so -d cpu -n --out "$work/results"
sed 's/^  verification:/  comparison: {minimumEffect: 1}\n  verification:/' "$scale" >"$work/changed.yaml"
run -p "$work/changed.yaml" -b scale.so -d cpu -n --out "$work/results"
expect "a minimum effect of 100 % is refused" 2 "spec.comparison.minimumEffect: expected a share"
finish
