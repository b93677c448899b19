/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches a plugin of multi-token attention on the GPU, once on each of two contents, in this
 * process alone, so that compute-sanitizer sees it (a worker's environment is not handed down):
 *
 *     compute-sanitizer --tool memcheck tests/gpu/launch PLUGIN KERNEL L
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker/servant.h"

#define HEADS 4
#define TAPS 9

typedef int ask(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		struct ki_error *e);

/* One question; takes payload. */
static int tell(struct ki_servant *s, ask *call, json_t *payload, int fd, int second)
{
	struct ki_wire_message question = {
		.payload = payload, .fds = {fd, second}, .n_fds = (fd >= 0) + (second >= 0)};
	struct ki_error e = {0};
	json_t *answer = NULL;
	int rc = call(s, &answer, &question, &e);

	if (rc != KI_SUCCESS)
		fprintf(stderr, "%s: %s\n", ki_servant_phase(s), e.text);
	/* What the launch did to memory that is not its own: both empty. */
	if (json_object_get(answer, "damage") != NULL) {
		json_dumpf(json_object_get(answer, "damage"), stdout, 0);
		putchar('\n');
	}
	json_decref(answer);
	json_decref(payload);
	return rc;
}

static int memory(size_t bytes, uint16_t fill)
{
	int fd = memfd_create("launch", MFD_CLOEXEC);
	uint16_t *p;
	size_t i;

	if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
		return -1;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -1;
	/* bf16 between -2 and 2, of many sizes. */
	for (i = 0; fill != 0 && i < bytes / 2; i++)
		p[i] = (uint16_t)((i * 2654435761u >> 7 & 0x81ffu) | 0x3e00u);
	munmap(p, bytes);
	return fd;
}

static json_t *workload(long long n)
{
	return json_pack(
		"{s:s, s:{s:s, s:i}, s:[{s:s, s:s, s:s, s:[iiII]}, {s:s, s:s, s:s, s:[iiii]},"
		"{s:s, s:s, s:s, s:[i]}, {s:s, s:s, s:s, s:[iiII]}]}",
		"op", "multi-token-attention/1", "attributes", "pass", "forward", "groups", 1,
		"operands", "name", "scores", "role", "in", "dtype", "bf16", "shape", 1, HEADS, n,
		n, "name", "weight", "role", "in", "dtype", "bf16", "shape", HEADS, HEADS, 3, 3,
		"name", "bias", "role", "in", "dtype", "bf16", "shape", HEADS, "name", "y", "role",
		"out", "dtype", "bf16", "shape", 1, HEADS, n, n);
}

static int launches(struct ki_servant *s, const char *kernel, int plugin, long long n)
{
	size_t plane = (size_t)n * (size_t)n * HEADS * 2, weight = HEADS * HEADS * TAPS * 2;
	int inputs = memory(2 * (plane + weight + HEADS * 2), 1), outputs = memory(plane, 0), i;
	int rc = tell(s, ki_servant_load, json_pack("{s:s}", "kernel", kernel), plugin, -1);

	if (rc == 0)
		rc = tell(s, ki_servant_create,
			  json_pack("{s:s, s:{s:s, s:i}, s:o, s:i}", "kernel", kernel, "device",
				    "kind", "cuda", "threads", 1, "workload", workload(n),
				    "slackBytes", 65536),
			  -1, -1);
	if (rc == 0)
		rc = tell(s, ki_servant_prepare, json_object(), -1, -1);
	if (rc == 0)
		rc = tell(s, ki_servant_map,
			  json_pack("{s:{s:I, s:[[iIIi], [IIIi]]}, s:{s:I, s:[[iiii]]}}", "inputs",
				    "bytes", (json_int_t)(2 * (plane + weight + HEADS * 2)),
				    "offsets", 0, (json_int_t)plane, (json_int_t)(plane + weight),
				    0, (json_int_t)(weight + HEADS * 2), (json_int_t)plane,
				    (json_int_t)(plane + weight), 0, "outputs", "bytes",
				    (json_int_t)plane, "offsets", 0, 0, 0, 0),
			  inputs, outputs);
	for (i = 0; rc == 0 && i < 2; i++)
		rc = tell(s, ki_servant_check,
			  json_pack("{s:i, s:i, s:i}", "content", i, "placement", 7 + i, "poison",
				    11),
			  -1, -1);
	if (rc == 0)
		rc = tell(s, ki_servant_finish, json_object(), -1, -1);
	return rc;
}

int main(int argc, char **argv)
{
	struct ki_servant *s = ki_servant_new();
	int plugin = argc == 4 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (plugin < 0 || s == NULL) {
		fprintf(stderr, "usage: launch PLUGIN KERNEL L\n");
		return 2;
	}
	return launches(s, argv[2], plugin, strtoll(argv[3], NULL, 10)) == 0 ? 0 : 1;
}
