#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make-ptx.sh CLANG FILE.cu: its PTX on standard output.
#
# clang 14 (Debian 12) writes PTX of version 7.0, old enough for every driver since CUDA 11.0; it
# needs neither headers nor libraries of CUDA's.
set -eu
exec "$1" -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx70 \
	-nocudainc -nocudalib -Wno-unknown-cuda-version -Wno-pass-failed -O3 -Iplugins -S -o - "$2"
