#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Adds up the "# PASS:  3" lines that automake prints at the end of each suite in LOG, and prints
# three numbers: passed failed skipped.  A test that ended in an error failed; so did one that
# passed though it was expected to fail.
set -eu
sed 's/\x1b\[[0-9;]*m//g' "${1:?a log}" | awk '
	/^# (PASS|XFAIL): +[0-9]+$/ { passed += $3 }
	/^# (FAIL|XPASS|ERROR): +[0-9]+$/ { failed += $3 }
	/^# SKIP: +[0-9]+$/ { skipped += $3 }
	END { print passed + 0, failed + 0, skipped + 0 }'
