#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a folder of results with nothing of the program that wrote it.

    python3 validate_records.py [--one-run] RESULTS_DIR [SCHEMA_DIR]

Every digest is computed again from the documents, every latency from the raw samples, and what must
be equal among the backends of a case in one run is compared.  With --one-run protocol, environment
and operation must be the same throughout the folder.  With SCHEMA_DIR (files KIND.schema.json, and
KIND.canonical.schema.json where there is one) and the module jsonschema each document is validated
as well; without them the summary says that schemas were skipped.

Exit status: 0 and one line that sums up; 1 with a line for each fault; 2 for wrong usage.
"""
import hashlib
import json
import os
import re
import sys

API_VERSION = "kernelindex.dev/v1alpha1"
KINDS = {
    "run": "BenchmarkRun",
    "protocol": "BenchmarkProtocol",
    "environment": "ExecutionEnvironment",
    "workload": "WorkloadCase",
    "operation": "OperationSpec",
    "implementation": "ImplementationRevision",
}
FILE_NAME = re.compile(r"[0-9a-f]{64}\.json")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


# ---------------------------------------------------------------- RFC 8785


def number(value):
    """ECMA-262, Number::toString: repr() has the same shortest digits, in another layout."""
    value = float(value)
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if count > 1 else "")
        text += "e%+d" % (point - 1)
    return "-" + text if value < 0 else text


SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def string(text):
    return '"' + "".join(
        SHORT.get(ord(c)) or ("\\u%04x" % ord(c) if c < " " else c) for c in text) + '"'


def canonical(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    keys = sorted(value, key=lambda k: k.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(string(k) + ":" + canonical(value[k]) for k in keys) + "}"


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def digest(document):
    """Of {apiVersion, kind, spec}: metadata never counts."""
    identity = {key: document[key] for key in ("apiVersion", "kind", "spec")}
    return sha256(canonical(identity).encode())


# ---------------------------------------------------------------- reading


class Fault(Exception):
    pass


def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Fault("a key is there twice")
    return dict(pairs)


def no_constant(text):
    raise Fault(text + " is not JSON")


def parse(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)


def read_canonical(path):
    """The value and the bytes of a file that holds canonical text and a newline."""
    with open(path, "rb") as file:
        data = file.read()
    value = parse(data.decode())
    if data != canonical(value).encode() + b"\n":
        raise Fault("not canonical JSON and a newline")
    return value, data


class Validator:
    """The schemas, or the reason why there are none."""

    def __init__(self, folder):
        self.missing = None
        self.validators = {}
        if folder is None:
            self.missing = "no SCHEMA_DIR"
            return
        if not os.path.isdir(folder):
            self.missing = folder + " is not a folder"
            return
        try:
            import jsonschema
        except ImportError:
            self.missing = "python3 has no module jsonschema"
            return
        for kind in KINDS.values():
            self.validators[kind] = []
            for suffix in (".schema.json", ".canonical.schema.json"):
                path = os.path.join(folder, kind + suffix)
                if os.path.exists(path):
                    with open(path, encoding="utf-8") as file:
                        schema = json.load(file)
                    self.validators[kind].append(jsonschema.Draft202012Validator(
                        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER))
            if not self.validators[kind]:
                raise SystemExit("%s: no schema for %s" % (folder, kind))

    def faults(self, document):
        seen = set()
        for validator in self.validators.get(document["kind"], ()):
            for error in validator.iter_errors(document):
                where = "/".join(map(str, error.absolute_path))
                seen.add("schema: %s/%s: %s" % (document["kind"], where, error.message))
        return sorted(seen)


# ---------------------------------------------------------------- one record


def quantile_half(values):
    """The median; halves are rounded up, as all values are positive."""
    ordered = sorted(values)
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2] + 1) // 2


def check_samples(spec, evidence):
    """What a run says of its samples follows from them."""
    timing = spec["timing"]
    samples = [x for s in evidence["timing"]["segments"] for x in s["samplesNs"]]
    if len(samples) != timing["samples"]:
        yield "%d samples, and %d in the artifact" % (timing["samples"], len(samples))
        return
    n = len(samples)
    want = {
        "minimum": min(samples),
        "median": quantile_half(samples),
        "mean": (2 * sum(samples) + n) // (2 * n),
        "maximum": max(samples),
    }
    for name, value in want.items():
        if timing["latencyNs"].get(name) != value:
            yield "latencyNs.%s is %s, of the samples %d" % (
                name, timing["latencyNs"].get(name), value)


def check_timing(spec):
    latency = spec["timing"]["latencyNs"]
    order = [latency[k] for k in ("minimum", "p05", "median", "p95", "maximum") if k in latency]
    if order != sorted(order):
        yield "quantiles are out of order: %s" % latency
    if ("p05" in latency) != (spec["timing"]["samples"] >= 20):
        yield "tail quantiles of %d samples" % spec["timing"]["samples"]
    for m in spec.get("measurements", ()):
        if m["metric"] == "latency" and not latency["minimum"] <= m["value"] <= latency["maximum"]:
            yield "latency %s is beyond the extremes" % m["statistic"]


def check_run(record):
    spec = record["run"]["spec"]
    passed = spec["status"] == "passed"
    for key in ("timing", "measurements"):
        if (key in spec) != passed:
            yield "status %s, and %s is %s" % (
                spec["status"], key, "there" if key in spec else "missing")
    if passed and "timing" in spec:
        yield from check_timing(spec)
    if "sourceNative" in spec:
        yield "sourceNative is for imported records"
    if not INSTANT.fullmatch(spec["observedAt"]):
        yield "observedAt is %s" % spec["observedAt"]
    for name, values in record["implementation"]["spec"]["support"].items():
        if values != sorted(set(values), key=lambda v: v.encode("utf-16-be")):
            yield "support.%s is not sorted" % name


def check_references(record, name):
    digests = {part: digest(record[part]) for part in KINDS}
    spec = record["run"]["spec"]
    wanted = [
        ("the file's name", "sha256:" + name[:-5], "run"),
        ("workload.operationSpecDigest", record["workload"]["spec"]["operationSpecDigest"],
         "operation"),
        ("implementation.operation.specDigest",
         record["implementation"]["spec"]["operation"]["specDigest"], "operation"),
    ]
    for part in ("protocol", "environment", "workload", "implementation"):
        wanted.append(("run." + part + "Digest", spec[part + "Digest"], part))
    for what, said, part in wanted:
        if said != digests[part]:
            yield "%s is %s, that of the %s %s" % (what, said, part, digests[part])


def artifacts_of(spec):
    references = [spec.get("timing", {}).get("rawSamples")]
    references += [spec.get("evidence", {}).get(key) for key in ("rawSamples", "logs")]
    return {(r["uri"], r["digest"]) for r in references if r}


def check_artifact(root, uri, said):
    """(faults, value) of one artifact."""
    if uri != "artifacts/%s.json" % said[len("sha256:"):]:
        return ["%s is not where %s belongs" % (uri, said)], None
    try:
        value, data = read_canonical(os.path.join(root, uri))
    except (OSError, ValueError, Fault) as error:
        return ["%s: %s" % (uri, error)], None
    if sha256(data) != said:
        return ["%s has the digest %s" % (uri, sha256(data))], value
    return [], value


def check_record(root, name, validator):
    """(faults, record, evidence) of one file."""
    try:
        record, _ = read_canonical(os.path.join(root, "records", name))
    except (OSError, ValueError, Fault) as error:
        return [str(error)], None, None
    if not isinstance(record, dict):
        return ["not an object"], None, None
    if set(record) != set(KINDS):
        return ["its parts are %s" % ", ".join(sorted(record))], None, None
    try:
        return check_parts(root, name, record, validator)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return ["not of the shape of a record: %r" % error], None, None


def check_parts(root, name, record, validator):
    """The same of a record that was read."""
    faults = []
    for part, kind in KINDS.items():
        if record[part].get("kind") != kind or record[part].get("apiVersion") != API_VERSION:
            return ["%s is no %s" % (part, kind)], None, None
        faults += validator.faults(record[part])
    faults += check_references(record, name)
    faults += check_run(record)
    evidence = None
    spec = record["run"]["spec"]
    for uri, said in sorted(artifacts_of(spec)):
        found, value = check_artifact(root, uri, said)
        faults += found
        if value is not None and value.get("kind") == "Evidence":
            evidence = value
    if evidence is not None and "timing" in spec:
        faults += check_samples(spec, evidence)
    return faults, record, evidence


# ---------------------------------------------------------------- all of them


def check_index(root, records):
    """Each record has one line, and each line a record that says the same."""
    seen = {}
    try:
        with open(os.path.join(root, "index.jsonl"), "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        yield "index.jsonl: %s" % error
        return
    if lines.pop() != b"":
        yield "index.jsonl: the last line has no end"
    for n, text in enumerate(lines, 1):
        try:
            line = parse(text.decode())
            spec = records[line["run"]]["run"]["spec"]
            for key, value in (("status", spec["status"]), ("protocol", spec["protocolDigest"]),
                               ("workload", spec["workloadDigest"]),
                               ("observedAt", spec["observedAt"])):
                if line[key] != value:
                    yield "index.jsonl:%d: %s is %s, in the record %s" % (n, key, line[key], value)
            seen[line["run"]] = seen.get(line["run"], 0) + 1
        except KeyError as error:
            yield "index.jsonl:%d: there is no %s" % (n, error)
        except (ValueError, TypeError, Fault) as error:
            yield "index.jsonl:%d: %s" % (n, error)
    for run in sorted(records):
        if seen.get(run, 0) != 1:
            yield "index.jsonl: %d lines about %s" % (seen.get(run, 0), run)


def check_groups(groups):
    """Backends of one case in one run: all is the same but the implementation."""
    for (workload, _), members in sorted(groups.items()):
        for part in ("protocol", "environment", "workload", "operation"):
            values = {digest(r[part]) for r in members}
            if len(values) != 1:
                yield "%s: %d different %ss in one run" % (workload, len(values), part)
        values = {digest(r["implementation"]) for r in members}
        if len(values) != len(members):
            yield "%s: %d records of %d implementations in one run" % (
                workload, len(members), len(values))


def check_one_run(records):
    for part in ("protocol", "environment", "operation"):
        n = len({digest(r[part]) for r in records.values()})
        if n > 1:
            yield "%d different %ss in one folder" % (n, part)


def check_folder(root, validator):
    """(faults, records, groups)"""
    faults, records, groups = [], {}, {}
    try:
        names = sorted(os.listdir(os.path.join(root, "records")))
    except OSError as error:
        return [str(error)], records, groups
    for name in names:
        if not FILE_NAME.fullmatch(name):
            faults.append("records/%s: not the name of a record" % name)
            continue
        found, record, evidence = check_record(root, name, validator)
        faults += ["records/%s: %s" % (name, fault) for fault in found]
        if record is None:
            continue
        records["sha256:" + name[:-5]] = record
        # Without evidence all that is known of the folder counts as one run.
        nonce = canonical(evidence.get("nonce")) if evidence else ""
        groups.setdefault((record["run"]["spec"]["workloadDigest"], nonce), []).append(record)
    if not names:
        faults.append("%s: no records" % root)
    faults += check_index(root, records)
    faults += check_groups(groups)
    return faults, records, groups


def main(arguments):
    folders = [a for a in arguments if a != "--one-run"]
    if len(folders) not in (1, 2) or folders[0].startswith("-"):
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    validator = Validator(folders[1] if len(folders) == 2 else None)
    faults, records, groups = check_folder(folders[0], validator)
    if "--one-run" in arguments:
        faults += check_one_run(records)
    for fault in faults:
        print(fault)
    if faults:
        return 1
    schemas = "checked" if not validator.missing else "skipped (%s)" % validator.missing
    print("%d records, %d workloads, %d runs: digests, samples, artifacts and index agree; "
          "schemas %s" % (len(records), len({w for w, _ in groups}), len({n for _, n in groups}),
                          schemas))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
