/* SPDX-License-Identifier: Apache-2.0 */
/* What this CPU and its system are called. */
#ifndef KI_DEVICE_CPU_FACTS_H
#define KI_DEVICE_CPU_FACTS_H

#include <jansson.h>
#include <stdint.h>

struct ki_cpu_facts {
	char vendor[32];       /* Kernel Index's token: "intel", "amd", "arm", "unknown" */
	char product[128];     /* "Intel(R) Xeon(R) Processor @ 2.80GHz" */
	char architecture[32]; /* a token: "x86_64" */
	char system[128];      /* "Debian GNU/Linux 12 (bookworm)" */
	char kernel[128];      /* "6.18.44" */
	char libc[64];         /* "2.36" */
	char governor[64];     /* of cpu0, "" when unknown */
	uint64_t memory_bytes;
};

void ki_cpu_facts_read(struct ki_cpu_facts *out);

/* {"hardware", "software", "evidence"} as ki_device_ops.facts says; NULL without memory. */
json_t *ki_cpu_facts_json(const struct ki_cpu_facts *f);

#endif
