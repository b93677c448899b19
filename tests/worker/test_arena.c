/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "device/cpu.h"
#include "worker/arena.h"

static struct ki_device_handle *device;
static struct ki_workload_copy workload;
static struct ki_arena arena;
static uint16_t x[3 * 5];
static uint16_t y[3 * 5];
static void *inputs[2] = {x, NULL};
static void *outputs[2] = {NULL, y};

/* Two tensors of 15 bf16 elements: 30 bytes, no multiple of 8. */
static void set_up(void)
{
	const struct ki_device_request request = {.kind = "cpu", .threads = 1};
	const DLDevice cpu = {.device_type = kDLCPU};
	struct ki_error e = {0};
	size_t i;
	json_t *message = json_pack("{s:s, s:{s:i, s:f, s:s}, s:[{s:s, s:s, s:s, s:[i, i]}, {s:s, "
				    "s:s, s:s, s:[i, i]}]}",
				    "op", "scale/1", "attributes", "groups", 2, "alpha", 0.5,
				    "pass", "forward", "operands", "name", "x", "role", "in",
				    "dtype", "bf16", "shape", 3, 5, "name", "y", "role", "out",
				    "dtype", "bf16", "shape", 3, 5);

	cr_assert_not_null(message);
	cr_assert_eq(ki_device_cpu.open(&device, &request, &e), KI_SUCCESS);
	cr_assert_eq(ki_workload_copy_init(&workload, message, &cpu, &e), KI_SUCCESS, "%s", e.text);
	json_decref(message);
	cr_assert_eq(ki_arena_init(&arena, &ki_device_cpu, device, &workload, 100, 64, 1 << 20, &e),
		     KI_SUCCESS);
	for (i = 0; i < sizeof x / sizeof x[0]; i++)
		x[i] = (uint16_t)(i + 1);
	cr_assert_eq(ki_arena_place(&arena, 1, 2, (const void *const *)inputs, &e), KI_SUCCESS);
}

static void tear_down(void)
{
	ki_arena_fini(&arena);
	ki_workload_copy_fini(&workload);
	ki_device_cpu.close(device);
}

TestSuite(arena, .init = set_up, .fini = tear_down);

static struct ki_arena_damage inspect(void)
{
	struct ki_arena_damage d;
	struct ki_error e = {0};

	cr_assert_eq(ki_arena_inspect(&d, &arena, (const void *const *)inputs, &e), KI_SUCCESS);
	return d;
}

static unsigned char *data(int operand)
{
	return arena.operands[operand].tensor->data;
}

Test(arena, the_workload_reaches_the_plugin_whole)
{
	cr_expect_str_eq(workload.abi.op, "scale/1");
	cr_expect_eq(workload.abi.n_operands, 2);
	cr_expect_eq(workload.abi.n_attrs, 3);
	cr_expect_eq(workload.operands[0].role, KI_ROLE_IN);
	cr_expect_eq(workload.operands[1].role, KI_ROLE_OUT);
	cr_expect_eq(workload.operands[0].tensor->ndim, 2);
	cr_expect_eq(workload.operands[0].tensor->strides[0], 5);
	cr_expect_eq(workload.operands[0].tensor->dtype.code, kDLBfloat);
	cr_expect_null(workload.operands[0].tensor->data);
	cr_expect_eq((uintptr_t)data(0) % 256, 0);
	cr_expect_eq((uintptr_t)arena.scratch % 256, 0);
}

Test(arena, inputs_are_in_place_and_outputs_hold_the_poison)
{
	uint64_t word = ki_seed_poison_word(ki_arena_poison_key(2, 1), 0);

	cr_expect_eq(memcmp(data(0), x, sizeof x), 0);
	cr_expect_eq(memcmp(data(1), &word, sizeof word), 0);
}

Test(arena, a_launch_that_keeps_to_its_output_leaves_no_trace)
{
	struct ki_error e = {0};

	memset(data(1), 7, sizeof y);
	cr_expect_str_empty(inspect().guard);
	cr_expect_str_empty(inspect().input);
	cr_assert_eq(ki_arena_copy_out(&arena, outputs, &e), KI_SUCCESS);
	cr_expect_eq(y[14], 0x0707);
}

Test(arena, one_byte_past_either_end_of_any_buffer_is_seen)
{
	static const int past[] = {-1, -256, 30, 31, 32, 32 + 255};
	size_t i;

	for (i = 0; i < sizeof past / sizeof past[0]; i++) {
		data(1)[past[i]] ^= 1;
		cr_expect_str_eq(inspect().guard, "y", "offset %d", past[i]);
		data(1)[past[i]] ^= 1;
	}
	cr_expect_str_empty(inspect().guard);
	((unsigned char *)arena.scratch)[104] ^= 1;
	cr_expect_str_eq(inspect().guard, "scratch");
}

Test(arena, a_changed_input_is_named)
{
	data(0)[29] ^= 0x80;
	cr_expect_str_eq(inspect().input, "x");
	cr_expect_str_empty(inspect().guard);
}

Test(arena, every_placement_and_poison_is_new)
{
	unsigned char *old = data(1), before[16];
	struct ki_error e = {0};

	memcpy(before, old, sizeof before);
	cr_assert_eq(ki_arena_place(&arena, 3, 4, (const void *const *)inputs, &e), KI_SUCCESS);
	cr_expect_neq(data(1), old);
	cr_expect_neq(memcmp(before, data(1), sizeof before), 0);
	cr_expect_eq(memcmp(data(0), x, sizeof x), 0);
}
