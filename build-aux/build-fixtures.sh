#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the plugins that tests load, right and hostile ones, from a list.
#
#   build-fixtures.sh LIST OUTPUT-FOLDER COMMAND...
#
# A line of LIST is "name source switches...": COMMAND switches -o OUTPUT-FOLDER/name.so source,
# the source beside LIST.  COMMAND -MMD tells which files it read.  A fixture is built again when
# one of those is newer or its command line is another; it appears whole, by a rename.
set -eu
list=$1
output=$2
shift 2
sources=$(dirname "$list")
mkdir -p "$output"

# is_current NAME COMMAND-LINE
is_current() {
	[ -f "$output/$1.so" ] && [ -f "$output/$1.d" ] || return 1
	[ "$(cat "$output/$1.cmd" 2>/dev/null)" = "$2" ] || return 1
	for file in $(sed -e 's/^[^:]*://' -e 's/\\$//' "$output/$1.d"); do
		[ -f "$file" ] && [ ! "$file" -nt "$output/$1.so" ] || return 1
	done
}

while read -r name source switches; do
	case $name in '' | '#'*) continue ;; esac
	line="$* $switches $source"
	is_current "$name" "$line" && continue
	echo "  FIXTURE  $name.so"
	# shellcheck disable=SC2086 # the switches are words
	"$@" $switches -MMD -MF "$output/$name.d" -MT fixture -o "$output/$name.tmp$$" \
		"$sources/$source" || {
		rm -f "$output/$name.tmp$$"
		echo "build-fixtures.sh: $name could not be built" >&2
		exit 1
	}
	printf '%s\n' "$line" >"$output/$name.cmd"
	mv -f "$output/$name.tmp$$" "$output/$name.so"
done <"$list"
