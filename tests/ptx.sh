#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed PTX is what its .cu says, and every GPU that is supported takes it.
. "$KI_SRCDIR/tests/cli/tap.sh"
cd "$KI_SRCDIR" || exit 99

# Another version of clang writes other PTX; the one of Debian 12 is the one that counts.
clang=$(command -v clang-14 || command -v clang)
if ! "$clang" --version 2>/dev/null | grep -q 'version 14\.' ||
	! "$clang" --print-targets 2>/dev/null | grep -q nvptx64; then
	clang=
fi
ptxas=$(command -v ptxas || command -v /usr/local/cuda/bin/ptxas)

for source in harness/device/cuda/kernels.cu plugins/torch-reference/eager.cu plugins/fused/one_pass.cu; do
	ptx=${source%.cu}.ptx
	title="$ptx is what clang 14 makes of $source"
	if [ -z "$clang" ]; then
		skip "$title" "clang 14 is not here"
	elif build-aux/make-ptx.sh "$clang" "$source" >"$work/made.ptx" 2>"$work/log" &&
		cmp "$work/made.ptx" "$ptx" >>"$work/log" 2>&1; then
		ok "$title"
	else
		echo "# to make it anew: build-aux/make-ptx.sh clang-14 $source >$ptx"
		not_ok "$title" "$work/log"
	fi
	for version in '.version 7.0' '.target sm_70'; do
		if grep -qF "$version" "$ptx"; then
			ok "$ptx: $version, which the driver of CUDA 11.0 knows"
		else
			not_ok "$ptx: $version, which the driver of CUDA 11.0 knows"
		fi
	done
	for architecture in 80 86 89 90 100 120; do
		title="ptxas takes $ptx for sm_$architecture, without a spill"
		if [ -z "$ptxas" ]; then
			skip "$title" "ptxas is not here"
		elif ! "$ptxas" --list-arch 2>/dev/null | grep -qx "sm_$architecture" &&
			! "$ptxas" --help | grep -q "sm_$architecture"; then
			skip "$title" "this ptxas does not know it"
		elif "$ptxas" -v -arch=sm_$architecture -o "$work/cubin" "$ptx" >"$work/log" 2>&1 &&
			! grep -E '[1-9][0-9]* bytes spill' "$work/log" >/dev/null; then
			ok "$title"
		else
			not_ok "$title" "$work/log"
		fi
	done
done
finish
