# SPDX-License-Identifier: Apache-2.0
# TAP for shell tests that run the built program.  Sourced; sets up a work folder of its own.
set -u
: "${KI_SRCDIR:?is the source root}" "${KI_BUILDDIR:?is the build root}"
ki=$KI_BUILDDIR/ki-harness
fixtures=$KI_BUILDDIR/tests/fixtures
work=$(mktemp -d "$KI_BUILDDIR/tests/cli-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
n=0
failed=0
KI_PLUGIN_PATH=$fixtures:$KI_BUILDDIR/plugins
export KI_PLUGIN_PATH

ok() { # TITLE: what was just asserted holds
	n=$((n + 1))
	echo "ok $n - $1"
}

not_ok() { # TITLE [FILE...]: it does not; the files' first lines say more
	n=$((n + 1))
	failed=$((failed + 1))
	echo "not ok $n - $1"
	shift
	for file in "$@"; do
		[ -f "$file" ] && sed -n "1,40s|^|# $(basename "$file"): |p" "$file"
	done
}

skip() { # TITLE REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# run ARGUMENTS...: standard output and error into $work/out and $work/err, the status into $status
run() {
	status=0
	timeout 100 "$ki" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# expect TITLE STATUS TEXT: of the last run; TEXT (a fixed string) is in its output or its errors
expect() {
	if [ "$status" -eq "$2" ] && cat "$work/out" "$work/err" | grep -qF -e "$3"; then
		ok "$1"
	else
		echo "# exit status $status, expected $2 and \"$3\""
		not_ok "$1" "$work/out" "$work/err"
	fi
}

finish() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
}
