#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the documentation shows works as shown.
. "$KI_SRCDIR/tests/cli/tap.sh"
scale=$KI_SRCDIR/tests/fixtures/scale.yaml

sed -n '/^```c$/,/^```$/{/^```/!p;}' "$KI_SRCDIR/docs/plugin.md" >"$work/scale.c"

# compiles LANGUAGE-FLAG SOURCE OUTPUT
compiles() {
	# shellcheck disable=SC2086 # flags are words
	$KI_CC "$1" -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden $KI_CPPFLAGS $KI_LDFLAGS \
		-I"$KI_SRCDIR/harness" -o "$3" "$2" >"$work/cc.log" 2>&1
}

if compiles -std=c11 "$work/scale.c" "$work/shown.so"; then
	ok "the plugin of docs/plugin.md compiles as C11 without a warning"
	run -p "$scale" -b shown="$work/shown.so" --out "$work/results"
	expect "the plugin of docs/plugin.md passes" 0 "passed"
else
	not_ok "the plugin of docs/plugin.md compiles as C11 without a warning" "$work/cc.log"
fi

# Each relative link of a page leads to a file.
for page in README.md docs/comparing.md docs/gpu.md docs/plugin.md docs/protocol.md docs/records.md tests/fixtures/README.md; do
	[ -f "$KI_SRCDIR/$page" ] || continue
	folder=$KI_SRCDIR/$(dirname "$page")
	grep -oE '\]\([^)#]+' "$KI_SRCDIR/$page" | sed 's/^](//' | grep -v '^https\{0,1\}:' |
		while read -r link; do [ -e "$folder/$link" ] || echo "$page: $link"; done
done >"$work/bad"
if [ -s "$work/bad" ]; then not_ok "every link of the pages leads somewhere" "$work/bad"; else ok "every link of the pages leads somewhere"; fi

# Each option that the README names is in the help of a command.
for command in run env import bundle manifest; do "$ki" "$command" --help; done >"$work/help"
grep -oE '(^|[ (`])--[a-z][a-z-]+' "$KI_SRCDIR/README.md" | grep -oE '\--[a-z-]+' | sort -u |
	while read -r option; do
		case $option in --enable-* | --help) continue ;; esac
		grep -qF -e "$option" "$work/help" || echo "$option"
	done >"$work/bad"
if [ -s "$work/bad" ]; then not_ok "every option that the README names exists" "$work/bad"; else ok "every option that the README names exists"; fi
finish
