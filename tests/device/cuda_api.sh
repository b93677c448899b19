#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our declarations of the CUDA driver API are NVIDIA's, where cuda.h is installed.
. "$KI_SRCDIR/tests/cli/tap.sh"

include=
for folder in "${CUDA_HOME:-/usr/local/cuda}/include" /usr/local/cuda/include /usr/include; do
	[ -f "$folder/cuda.h" ] && include=$folder && break
done
if [ -z "$include" ]; then
	echo "1..0 # SKIP cuda.h is not here"
	exit 0
fi
if $KI_CC -std=gnu17 -I"$include" -I"$KI_SRCDIR/harness" -fsyntax-only \
	"$KI_SRCDIR/tests/device/cuda_api.c" >"$work/log" 2>&1; then
	ok "sizes and values are those of $include/cuda.h"
else
	not_ok "sizes and values are those of $include/cuda.h" "$work/log"
fi
if ! command -v python3 >/dev/null; then
	skip "signatures are those of cuda.h" "python3 is not here"
elif $KI_CC -E -P -D__CUDA_API_VERSION_INTERNAL "$include/cuda.h" >"$work/cuda.i" 2>"$work/log" &&
	python3 "$KI_SRCDIR/tests/device/cuda_api.py" "$KI_SRCDIR/harness/device/cuda/api.h" \
		"$work/cuda.i" >"$work/log" 2>&1; then
	cat "$work/log"
	ok "signatures are those of cuda.h"
else
	not_ok "signatures are those of cuda.h" "$work/log"
fi
finish
