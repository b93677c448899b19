#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ki-harness manifest: what is said, where, and with which exit status.
. "$KI_SRCDIR/tests/cli/tap.sh"
seed=$KI_SRCDIR/tests/vectors/seed-record.json

cat >"$work/two.yaml" <<'END'
apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: first}
spec: {name: First}
---
apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: second}
spec: {name: 5, popularity: 1}
END

run manifest check "$work/two.yaml"
expect "a document that is right is said to be valid" 2 "two.yaml:1: SoftwareProject first: valid"
expect "a fault has file, line, column, path, what was expected and what was found" 2 \
	"two.yaml:9:14: /spec/name: expected text, found the integer 5"
expect "all faults are shown" 2 "two.yaml:9:17: /spec: expected only the members"

run manifest digest "$seed"
expect "a record's documents have their digests" 0 \
	"sha256:3b5c84a59072897ff201935266748b3d55531dd67bc9a0320f7ccbd411244531"
if [ "$(wc -l <"$work/out")" -eq 7 ]; then
	ok "one line a document"
else
	not_ok "one line a document" "$work/out"
fi

run manifest canonical "$work/two.yaml"
expect "a text is printed for what is valid in spite of what is not" 2 \
	'{"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject","spec":{"name":"First"}}'
digest=$(printf %s "$(head -n 1 "$work/out")" | sha256sum | cut -d ' ' -f 1)
run manifest digest "$work/two.yaml"
expect "the digest is that of the canonical text" 2 "sha256:$digest  "

status=0
timeout 100 "$ki" manifest digest - <"$work/two.yaml" >"$work/out" 2>"$work/err" || status=$?
expect "- is standard input" 2 "<stdin>:9:14: /spec/name"

run manifest digest --json "$work/two.yaml" "$work/absent.yaml"
expect "--json has every fault with its place" 2 '"column":14,"line":9'
expect "--json has files that cannot be read" 2 'absent.yaml: No such file or directory'
expect "--json says how many faults there are" 2 '"faults":3'

run manifest check "$work/absent.yaml" "$seed"
expect "a file that is not there is named" 2 "absent.yaml: No such file or directory"
expect "and the next one is still read" 2 "BenchmarkRun"

printf 'kind: [\n' >"$work/torn.yaml"
run manifest check "$work/torn.yaml"
expect "what is not YAML is told with its place" 2 "torn.yaml:2:1: "

: >"$work/empty.yaml"
run manifest check "$work/empty.yaml"
expect "an empty file is a fault" 2 "empty.yaml: document: expected a document, found nothing"

sed 's/RTX 3090"/RTX 4090"/' "$seed" >"$work/other.json"
run manifest check "$work/other.json"
expect "a record with another environment than the measured one is found" 2 \
	"/run/spec/environmentDigest: expected sha256:"

awk 'BEGIN { for (i = 0; i < 104857; i++) print "---\na: 1" }' >"$work/many.yaml"
run manifest check "$work/many.yaml"
expect "as many documents as a file can hold are each checked, in time linear in them" 2 \
	"many.yaml:209714:1: /kind: expected one of"
run manifest check --json "$work/many.yaml"
expect "and all of their faults are in the JSON object" 2 '"faults":104857'

run manifest check "$KI_SRCDIR/protocols/liger-forward.yaml"
expect "of a protocol file, the operation is checked" 0 \
	"OperationSpec liger-multi-token-attention: valid"
expect "and what the harness reads itself is named" 0 "Plan: left to"

run manifest
expect "without an action, help is offered" 2 "Try 'ki-harness manifest --help'."
run manifest digset x
expect "an unknown action is named" 2 'found "digset"'
run manifest digest
expect "without a file, standard input is suggested" 2 "- is standard input"
run manifest --help
expect "--help says what the digest is" 0 "SHA-256"
finish
