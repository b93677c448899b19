#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many rows a second `import liger` reads: those of a real file, if one is named; rows that all
# become records on the disk, the same without writing them, and rows of kernels that are not known.
#
#     tests/bench/import.sh KI-HARNESS [ROWS [FILE.csv]]
set -eu
ki=${1:?the program}
rows=${2:-100000}
file=${3:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/ki-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT

# csv KERNEL: ROWS different runs, one second apart
csv() {
	awk -v kernel="$1" -v rows="$rows" 'BEGIN {
		print "kernel_name,kernel_provider,kernel_operation_mode,metric_name,metric_unit,x_name,x_label,x_value,y_value_50,y_value_20,y_value_80,extra_benchmark_config_str,gpu_name,timestamp,liger_version"
		split("liger torch", provider, " "); split("forward backward full", pass, " ")
		config = "\"{\"\"B\"\": 2, \"\"C_in\"\": 4, \"\"C_out\"\": 4, \"\"K\"\": 3, \"\"groups\"\": 1, \"\"bias\"\": true, \"\"dtype\"\": \"\"torch.bfloat16\"\"}\""
		for (i = 0; i < rows; i++)
			printf "%s,%s,%s,speed,ms,L,sequence length,%d,%.17g,%.17g,%.17g,%s,NVIDIA GeForce RTX 3090,2025-%02d-%02d %02d:%02d:%02d,0.5.8\n", \
				kernel, provider[i % 2 + 1], pass[i % 3 + 1], 2 ^ (5 + i % 6), \
				0.7 + i / 1e6, 0.69 + i / 1e6, 0.72 + i / 1e6, config, \
				int(i / 2332800) % 12 + 1, int(i / 86400) % 27 + 1, \
				int(i / 3600) % 24, int(i / 60) % 60, i % 60
	}'
}

# timed TITLE ARGUMENTS...
timed() {
	title=$1
	shift
	start=$(date +%s%N)
	"$ki" import liger "$@" >"$work/out"
	end=$(date +%s%N)
	awk -v title="$title" -v rows="$rows" -v ns="$((end - start))" \
		'BEGIN { printf "%-28s %8d rows  %7.3f s  %9.0f rows/s\n", title, rows, ns / 1e9, rows / ns * 1e9 }'
}

# The disk is slow while it still writes what came before, so the real file comes first, and thrice.
if [ -n "$file" ]; then
	synthetic=$rows
	rows=$(($(wc -l <"$file") - 1))
	for i in 1 2 3; do
		timed "$(basename "$file")" "$file" --out "$work/real-$i"
	done
	rows=$synthetic
fi
csv multi_token_attention >"$work/known.csv"
csv another_kernel >"$work/unknown.csv"
timed "records written" "$work/known.csv" --out "$work/results"
[ "$(find "$work/results/records" -name '*.json' | wc -l)" -eq "$rows" ]
timed "records there already" "$work/known.csv" --out "$work/results"
timed "records not written" "$work/known.csv" --dry-run
timed "rows of unknown kernels" "$work/unknown.csv" --dry-run
