#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plugin's digest is its identity: the same sources give the same bytes in any folder, whether
# built in the source folder or beside it.
. "$KI_SRCDIR/tests/cli/tap.sh"

# copy FOLDER: what the plugins are built from, writable, without what a build in it left
copy() {
	mkdir -p "$1"
	(cd "$KI_SRCDIR" && tar -cf - --exclude='*.o' --exclude='*.so' --exclude=.deps \
		configure configure.ac aclocal.m4 Makefile.am Makefile.in config.h.in ki-plugin.pc.in \
		m4 build-aux harness plugins tests/Makemodule.am) | (cd "$1" && tar -xf -)
	chmod -R u+w "$1"
}

# build CONFIGURE: the plugins, in the working folder
build() {
	"$1" --quiet --disable-tests --cache-file="$work/config.cache" CC="$KI_CC" CFLAGS="$KI_CFLAGS" \
		CPPFLAGS="$KI_CPPFLAGS" LDFLAGS="$KI_LDFLAGS" &&
		make -j2 $KI_PLUGINS
}

copy "$work/one"
copy "$work/another/folder"
mkdir "$work/another/build" "$work/another/folder/inside"
# configure is given by its absolute path, but where autoconf refuses one: with a blank in it
case $work in
*[[:space:]]*) third=../configure ;;
*) third=$work/another/folder/configure ;;
esac
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
(
	cd "$work/one" && build ./configure &&
		cd "$work/another/build" && build ../folder/configure &&
		cd "$work/another/folder/inside" && build "$third"
) >"$work/log" 2>&1 || {
	echo "Bail out! the plugins could not be built"
	sed 's/^/# /' "$work/log" | tail -n 30
	exit 99
}

# same TITLE FILE FILE
same() {
	if cmp "$2" "$3" >"$work/why" 2>&1; then ok "$1"; else not_ok "$1" "$work/why"; fi
}

for plugin in $KI_PLUGINS; do
	for folder in another/build another/folder/inside; do
		same "$plugin has the same bytes built in $folder" \
			"$work/one/$plugin" "$work/$folder/$plugin"
	done
	if [ -z "$KI_SAN_FLAGS" ]; then
		same "$plugin has the bytes of the build under test" \
			"$work/one/$plugin" "$KI_BUILDDIR/$plugin"
	fi
	if grep -qaF "$work" "$work/another/folder/inside/$plugin"; then
		not_ok "$plugin names no folder that it was built in"
	else
		ok "$plugin names no folder that it was built in"
	fi
done
finish
