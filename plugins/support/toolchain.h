/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_PLUGIN_TOOLCHAIN_H
#define KI_PLUGIN_TOOLCHAIN_H

/* For struct ki_plugin: what compiled it. */
#if defined(__clang__)
#define TOOLCHAIN __VERSION__
#else
#define TOOLCHAIN "GCC " __VERSION__
#endif

#endif
