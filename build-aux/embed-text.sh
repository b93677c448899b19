#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# embed-text.sh FILE NAME: a C header with the text of FILE as the string NAME.
set -eu
printf '/* Made from %s by build-aux/embed-text.sh. */\n' "$(basename "$1")"
printf 'static const char %s[] =\n' "$2"
sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' -e 's/^/	"/' -e 's/$/\\n"/' "$1"
printf '	;\n'
