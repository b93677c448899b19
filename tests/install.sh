#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed program works from any folder, and finds what was installed with it by name.
. "$KI_SRCDIR/tests/cli/tap.sh"
unset KI_PLUGIN_PATH KI_PROTOCOL_PATH MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
prefix=$work/prefix
if ! make -C "$KI_BUILDDIR" install prefix="$prefix" >"$work/log" 2>&1; then
	echo "Bail out! make install failed"
	sed 's/^/# /' "$work/log" | tail -n 30
	exit 99
fi
ki=$prefix/bin/ki-harness
mkdir "$work/elsewhere" && cd "$work/elsewhere" || exit 99

run -p protocols/liger-forward.yaml -b plugins/fused.so --case seq=32
expect "the main command works word for word from another folder" 0 "passed"
for shown in "protocol  $prefix/share/ki-harness/protocols/liger-forward.yaml" \
	"fused = $prefix/lib/ki-harness/plugins/fused.so" \
	"oracle    $prefix/lib/ki-harness/plugins/mta-oracle.so" \
	"reference $prefix/lib/ki-harness/plugins/torch-reference.so"; do
	expect "the path taken is shown: ${shown##*/}" 0 "$shown"
done
run -p liger-forward -b fused --case seq=32 --dry-run
if [ "$status" -eq 0 ]; then ok "a name without its ending will do"; else not_ok "a name without its ending will do" "$work/err"; fi

mkdir nearer && cp "$prefix/lib/ki-harness/plugins/fused.so" nearer/ && : >fused.so
KI_PLUGIN_PATH=$work/elsewhere/nearer
export KI_PLUGIN_PATH
run -p protocols/liger-forward.yaml -b plugins/fused.so --case seq=32 --dry-run
expect "KI_PLUGIN_PATH comes before the installed folder" 0 "$work/elsewhere/nearer/fused.so"
run -p protocols/liger-forward.yaml -b ./fused.so --case seq=32 --dry-run
expect "a file at the path given comes first" 2 "(not-elf)"

if [ -f "$prefix/include/ki_plugin.h" ] && [ -f "$prefix/lib/pkgconfig/ki-plugin.pc" ]; then
	ok "the header and its pkg-config file are there"
else
	not_ok "the header and its pkg-config file are there"
fi
finish
