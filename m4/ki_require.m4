# SPDX-License-Identifier: Apache-2.0

# KI_REQUIRE_MODULE(VARIABLE-PREFIX, MODULE-AND-VERSION, DEBIAN-PACKAGE)
# A pkg-config module without which nothing can be built.
AC_DEFUN([KI_REQUIRE_MODULE],
[PKG_CHECK_MODULES([$1], [$2], [],
	[AC_MSG_ERROR([$2 not found (Debian package: $3)])])])

# KI_SEARCH_LIB(FUNCTION, LIBRARY, VARIABLE)
# Sets VARIABLE to the library that has FUNCTION, empty when libc has it.  LIBS stays as it was:
# it would go into the plugins too, which link against nothing they do not use.
AC_DEFUN([KI_SEARCH_LIB],
[AS_VAR_PUSHDEF([ki_saved], [ki_saved_$3])dnl
ki_saved=$LIBS
AC_SEARCH_LIBS([$1], [$2], [], [AC_MSG_ERROR([no library has $1])])
AS_CASE([$ac_cv_search_$1], ["none required"], [$3=], [$3=$ac_cv_search_$1])
LIBS=$ki_saved
AS_VAR_POPDEF([ki_saved])dnl
AC_SUBST([$3])])
