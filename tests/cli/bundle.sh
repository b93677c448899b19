#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ki-harness bundle: from records to a submission, or every reason why there is none.
. "$KI_SRCDIR/tests/cli/tap.sh"
seed=$KI_SRCDIR/tests/vectors/seed-record.json

cat >"$work/project.yaml" <<'END'
apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: my-kernels}
spec: {name: My kernels, repository: "https://example.org/my-kernels"}
END

run bundle "$seed" --out "$work/seed.yaml"
expect "a record with a project of its own needs no other" 0 \
	"1 project, 1 operation, 1 workload, 1 implementation, 1 run"
if [ "$(grep -c '"kind": "[A-Z]' "$work/seed.yaml")" -eq 7 ]; then
	ok "every document is in the submission"
else
	not_ok "every document is in the submission" "$work/seed.yaml"
fi
run bundle "$seed"
expect "without --out it goes to standard output" 0 '"projectSlug": "pytorch"'
if cmp -s "$work/out" "$work/seed.yaml"; then ok "and it is the same"; else not_ok "and it is the same" "$work/out"; fi

# A record of our own, as a run leaves it.
run -p "$KI_SRCDIR/tests/fixtures/scale.yaml" -b scale.so --out "$work/results"
expect "a run leaves records" 0 "passed"
run bundle "$work/results" --project "$work/project.yaml" --out "$work/own.yaml"
expect "a folder of results is bundled whole" 0 "1 project, 1 operation,"
expect "its artifacts are said to be apart" 0 "publish them elsewhere"
run bundle "$work/results" --out "$work/none.yaml"
expect "without a project there is no bundle" 2 "give a SoftwareProject with --project FILE"
expect "and that is said" 2 "nothing was written"
if [ ! -e "$work/none.yaml" ]; then ok "and nothing is written"; else not_ok "and nothing is written"; fi

for file in "$work"/results/artifacts/*.json; do echo ' ' >>"$file"; done
run bundle "$work/results" --project "$work/project.yaml" --out "$work/none.yaml"
expect "an artifact that was changed is found" 2 "expected artifacts/"

sed 's/"median": 719872/"median": 1/' "$seed" >"$work/faster.json"
run bundle "$work/faster.json" --out "$work/faster.yaml"
expect "another figure is another run, and a valid one" 0 "1 run"
sed 's/RTX 3090"/RTX 4090"/; s/"timer": "cuda_events"/"timer": "wall"/' "$seed" >"$work/other.json"
run bundle "$work/other.json" "$work/absent.json" --out "$work/none.yaml"
expect "documents other than those measured are found by their digests" 2 \
	"other.json:16:25: /run/spec/environmentDigest: expected"
expect "all of them" 2 "other.json:15:22: /run/spec/protocolDigest: expected"
expect "a record that is not there is named" 2 "absent.json: No such file"

printf 'kind: SoftwareProject\n' >"$work/bad.yaml"
run bundle "$seed" --project "$work/bad.yaml" --out "$work/none.yaml"
expect "a project with faults is told where" 2 "bad.yaml:1:1: /spec: expected a mapping, found nothing"
run bundle "$work/project.yaml" --out "$work/none.yaml"
expect "what is not a record is told" 2 "/run: expected the BenchmarkRun of the run"
mkdir "$work/empty"
run bundle "$work/empty" --out "$work/none.yaml"
expect "a folder without records is told" 2 "expected records (*.json), found none"
run bundle "$seed" --out "$work/absent/x.yaml"
expect "a folder that is not there is named" 5 "absent/: No such file"
run bundle
expect "without records, help is offered" 2 "Try 'ki-harness bundle --help'."
run bundle --help
expect "--help says what a record is" 0 "a folder of results"

if ! command -v python3 >/dev/null; then
	skip "every digest of a submission recomputes" "python3 is not here"
elif python3 - "$work/own.yaml" "$work/seed.yaml" >"$work/out" 2>&1 <<'END'; then
import hashlib, json, sys

def digest(d):
    # Integers and texts alone: what Python writes then is canonical.
    identity = {k: d[k] for k in ("apiVersion", "kind", "spec")}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

for name in sys.argv[1:]:
    b = json.load(open(name))
    slugs = {p["metadata"]["name"] for p in b["projects"]}
    operations = {digest(o) for o in b["operations"]}
    workloads = {digest(w): w for w in b["workloads"]}
    implementations = {digest(i["manifest"]): i for i in b["implementations"]}
    for w in workloads.values():
        assert w["spec"]["operationSpecDigest"] in operations
    for i in implementations.values():
        assert i["projectSlug"] in slugs
        assert i["manifest"]["spec"]["operation"]["specDigest"] in operations
    for r in b["runs"]:
        s = r["run"]["spec"]
        assert s["protocolDigest"] == digest(r["protocol"])
        assert s["environmentDigest"] == digest(r["environment"])
        assert s["workloadDigest"] in workloads and s["implementationDigest"] in implementations
END
	ok "every digest of a submission recomputes"
else
	not_ok "every digest of a submission recomputes" "$work/out"
fi
finish
