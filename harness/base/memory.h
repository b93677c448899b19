/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_BASE_MEMORY_H
#define KI_BASE_MEMORY_H

#include <stdint.h>

/* Bytes that programs can still have without swapping, as the kernel estimates it; 0: not known. */
uint64_t ki_memory_available(void);

#endif
