# SPDX-License-Identifier: Apache-2.0

# KI_SANITIZER(NAME, WHAT IT FINDS)
AC_DEFUN([KI_SANITIZER],
[AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [build to find $2])], [], [enable_$1=no])])

# KI_SANITIZERS
# --enable-asan, --enable-ubsan, --enable-tsan; sets SAN_FLAGS, for compiling and linking, and the
# conditionals SANITIZED and WITH_ASAN.
AC_DEFUN([KI_SANITIZERS],
[KI_SANITIZER([asan], [memory errors (AddressSanitizer)])
KI_SANITIZER([ubsan], [undefined behaviour (UndefinedBehaviorSanitizer)])
KI_SANITIZER([tsan], [data races (ThreadSanitizer)])
AS_IF([test "x$enable_asan$enable_tsan" = xyesyes],
	[AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other])])
SAN_FLAGS=
AS_IF([test "x$enable_asan" = xyes],
	[SAN_FLAGS="$SAN_FLAGS -fsanitize=address -fno-omit-frame-pointer"])
AS_IF([test "x$enable_ubsan" = xyes],
	[SAN_FLAGS="$SAN_FLAGS -fsanitize=undefined -fno-sanitize-recover=all"])
AS_IF([test "x$enable_tsan" = xyes], [SAN_FLAGS="$SAN_FLAGS -fsanitize=thread"])
AS_IF([test -n "$SAN_FLAGS"],
	[AX_CHECK_LINK_FLAG([$SAN_FLAGS], [],
		[AC_MSG_ERROR([the compiler cannot link with$SAN_FLAGS])])])
AC_SUBST([SAN_FLAGS])
AM_CONDITIONAL([SANITIZED], [test -n "$SAN_FLAGS"])
AM_CONDITIONAL([WITH_ASAN], [test "x$enable_asan" = xyes])])
