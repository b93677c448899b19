#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# compute-sanitizer on both plugins' kernels, at L 33 and 256 (make tests/gpu/launch first):
#
#     tests/gpu/sanitize.sh LAUNCH PLUGINS
#
# LAUNCH is that program, PLUGINS the folder of the plugins.
set -u
failed=0
for length in 33 256; do
	for plugin in torch-reference:eager fused:fused; do
		for tool in memcheck racecheck; do
			printf '%s, L %s, %s: ' "${plugin%:*}" "$length" "$tool"
			if compute-sanitizer --tool "$tool" --error-exitcode 9 "$1" \
				"$2/${plugin%:*}.so" "${plugin#*:}" "$length" >sanitize.log 2>&1; then
				grep -E 'SUMMARY' sanitize.log | sed 's/=* //'
			else
				echo "status $?"
				tail -n 20 sanitize.log
				failed=1
			fi
		done
	done
done
exit "$failed"
