#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ki-harness import liger: records, what is left out, damaged rows, exit status.
. "$KI_SRCDIR/tests/cli/tap.sh"
run_of_seed=3b5c84a59072897ff201935266748b3d55531dd67bc9a0320f7ccbd411244531
header=kernel_name,kernel_provider,kernel_operation_mode,metric_name,metric_unit,x_name,x_label,x_value,y_value_50,y_value_20,y_value_80,extra_benchmark_config_str,gpu_name,timestamp,liger_version
config='"{""B"": 2, ""C_in"": 4, ""C_out"": 4, ""K"": 3, ""groups"": 1, ""bias"": true, ""dtype"": ""torch.bfloat16""}"'
seed="multi_token_attention,torch,forward,speed,ms,L,sequence length,1024,0.719871997833252,0.7167999744415283,0.7260159850120544,$config,NVIDIA GeForce RTX 3090,2025-04-28 04:46:11,0.1.1"

printf '%s\n' "$header" "$seed" >"$work/one.csv"
run import liger "$work/one.csv" --out "$work/results"
expect "a row that is known becomes a record" 0 "1 record in $work/results/records, 1 of them new"
if [ -f "$work/results/records/$run_of_seed.json" ] &&
	grep -qF "$run_of_seed" "$work/results/index.jsonl"; then
	ok "under the digest of the seed, and in the index"
else
	not_ok "under the digest of the seed, and in the index" "$work/results/index.jsonl"
fi
run manifest check "$work/results/records/$run_of_seed.json"
expect "which is a record that recomputes" 0 "SoftwareProject pytorch: valid"

run import liger "$work/one.csv" --out "$work/results"
expect "again, it is there already" 0 "1 record in $work/results/records, 0 of them new"
if [ "$(wc -l <"$work/results/index.jsonl")" -eq 1 ]; then
	ok "and the index does not grow"
else
	not_ok "and the index does not grow" "$work/results/index.jsonl"
fi

{
	printf '%s\n' "$header" "${seed%%,NVIDIA*}" "$seed" 'multi_token_attention,"torn' \
		"fused_moe${seed#multi_token_attention}" "$seed$seed"
	printf '%s' "$seed" | sed 's/04:46:11/04:46:12/'
} >"$work/torn.csv"
run import liger "$work/torn.csv" --out "$work/torn"
expect "a torn file still gives its good rows" 5 "2 records in $work/torn/records, 2 of them new"
expect "a shortened row is named by its line" 5 "torn.csv:2: expected 15 fields, found 12"
expect "so is one with an open quote" 5 "torn.csv:4: a quoted field is not closed on its line"
expect "so are two in one line" 5 "torn.csv:6: expected 15 fields, found 29"
expect "an unknown kernel is counted and named" 5 "1 left out, not known: kernel fused_moe"

run import liger "$work/torn.csv" --json --dry-run
expect "--json has the damaged lines" 5 '"line":2,"message":"expected 15 fields, found 12"'
expect "--json counts what was left out" 5 '"leftOut":{"kernel fused_moe":1}'

run import liger "$work/one.csv" --dry-run --out "$work/nothing"
expect "--dry-run says what would be" 0 "1 would be records"
if [ ! -e "$work/nothing" ]; then ok "--dry-run writes nothing"; else not_ok "--dry-run writes nothing"; fi

status=0
timeout 100 "$ki" import liger - -o "$work/stdin" <"$work/one.csv" >"$work/out" 2>"$work/err" || status=$?
expect "- is standard input" 0 "<stdin>: 1 row"

: >"$work/empty.csv"
run import liger "$work/empty.csv" --out "$work/x"
expect "an empty file is refused" 2 "expected a CSV file, found an empty one"
echo "a,b" >"$work/other.csv"
run import liger "$work/other.csv" --out "$work/x"
expect "a file of other columns is refused" 2 "other.csv:1: expected the columns of"
run import liger "$work/absent.csv" --out "$work/x"
expect "a file that is not there is named" 2 "absent.csv: No such file"
if [ ! -e "$work/x" ]; then ok "and no folder is made for it"; else not_ok "and no folder is made for it"; fi
run import liger "$work/one.csv" --out "$work/one.csv/below"
expect "a folder that cannot be is named" 2 "name another folder with --out DIR"

run import
expect "without a format, help is offered" 2 "Try 'ki-harness import --help'."
run import liger
expect "without a file, standard input is suggested" 2 "- is standard input"
run import nvbench "$work/one.csv"
expect "an unknown format is refused" 2 "expected the format, liger"
run import --help
expect "--help says what is known" 0 "sparse_multi_token_attention"
finish
