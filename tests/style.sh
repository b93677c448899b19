#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rules of the house that a program can check.
. "$KI_SRCDIR/tests/cli/tap.sh"
cd "$KI_SRCDIR" || exit 99

sources() { # FOLDER...: the C files there, with the generated one left out
	find "$@" -name '*.[ch]' ! -path harness/revision.h | LC_ALL=C sort
}

# holds TITLE: the file $work/bad is empty; else its lines say what is wrong
holds() {
	if [ -s "$work/bad" ]; then not_ok "$1" "$work/bad"; else ok "$1"; fi
}

# code FILE: without comments and strings, on one line
code() {
	sed -e 's/\\\\//g' -e 's/\\"//g' -e "s/'\"'//g" -e 's/"[^"]*"/""/g' -e 's|//.*||' "$1" |
		tr '\n' ' ' | sed -e 's|/\*[^*]*\*\**\([^/*][^*]*\*\**\)*/||g'
}

banned='sprintf|vsprintf|strcpy|strcat|strncpy|strncat|strtok|atoi|atol|atof|gets|sscanf|system'
banned="$banned|popen|alloca|rand|srand|localtime|gmtime|asctime|ctime|tmpnam|mktemp"
for file in $(sources harness plugins); do
	code "$file" | grep -oE "\\<($banned) *\\(" | sort -u | sed "s|^|$file: |"
done >"$work/bad"
holds "no function that is banned is called"

for file in $(sources harness plugins tests); do
	[ "$(head -n 1 "$file")" = '/* SPDX-License-Identifier: Apache-2.0 */' ] || echo "$file"
done >"$work/bad"
for file in $(find . \( -path ./build -o -path './build-[!a]*' \) -prune -o \( -name '*.sh' -o -name '*.py' -o -name Makemodule.am \) -print |
	grep -v tap-driver) bootstrap quickstart .ci/run configure.ac Makefile.am m4/ki_*.m4; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
done >>"$work/bad"
holds "every source says its licence"

for file in $(sources harness | grep '\.c$'); do
	grep -m 1 '^#' "$file" | grep -qx '#include "config.h"' || echo "$file"
done >"$work/bad"
holds "config.h comes first in every source of the harness"

for file in $(sources plugins); do
	sed -n 's/^#include "\(.*\)"$/\1/p' "$file" | while read -r header; do
		# PTX as a header is made by the build.
		[ "$header" = ki_plugin.h ] || [ -f "plugins/${header%_ptx.h}.ptx" ] ||
			[ -f "plugins/$header" ] ||
			[ -f "$(dirname "$file")/$header" ] || echo "$file: $header"
	done
done >"$work/bad"
holds "a plugin includes nothing of the harness but ki_plugin.h"

# Paths of the machine it was written on; a template for mkdtemp() is not one.
elsewhere='/''work/|/''tmp/'
find . \( -name .git -o -path ./build -o -path './build-[!a]*' -o -name 'autom4te*' \) -prune -o -type f -print |
	grep -E '\.([chm]|sh|py|ya?ml|md|am|ac|m4|in|list|supp|[1-9])$|/(bootstrap|quickstart|run)$|/build-aux/' |
	xargs grep -nIE "$elsewhere" -- | grep -vE 'XXXXXX|\$\{?TMPDIR|/build-aux/(compile|depcomp|install-sh|missing|ar-lib)' >"$work/bad"
holds "no file speaks of the machine it was written on"

for file in $(sources harness plugins | grep '\.c$') $(find tests -name 'test_*.c'); do
	grep -qF "${file%.c}" Makefile.am plugins/Makemodule.am tests/Makemodule.am || echo "$file"
done >"$work/bad"
holds "every source is in the build"

for plugin in $KI_PLUGINS; do
	title="$plugin exports one symbol"
	if [ -n "$KI_SAN_FLAGS" ]; then
		skip "$title" "sanitizers export their own"
		continue
	fi
	nm -D --defined-only "$KI_BUILDDIR/$plugin" | awk '$3 != "ki_plugin_entry"' >"$work/bad"
	nm -D --defined-only "$KI_BUILDDIR/$plugin" | grep -q ' T ki_plugin_entry$' ||
		echo "no ki_plugin_entry" >>"$work/bad"
	holds "$title"
done

# The layout differs from one version of clang-format to the next.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	sources harness plugins tests | xargs clang-format --dry-run -Werror >"$work/bad" 2>&1
	grep ': error:' "$work/bad" | head -n 20 >"$work/short"
	mv "$work/short" "$work/bad"
	holds "the layout is clang-format's"
else
	skip "the layout is clang-format's" "clang-format 14 is not here"
fi
finish
