/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mta_case.h"
#include "verify/generate.h"

enum { SCORES, WEIGHT, BIAS, Y };

static char reason[512];

static void host_log(const struct ki_host *host, int32_t level, const char *msg)
{
	(void)host;
	(void)level;
	(void)msg;
}

static ki_status host_fail(const struct ki_host *host, ki_status code, int64_t native,
			   const char *msg)
{
	(void)host;
	(void)native;
	snprintf(reason, sizeof reason, "%s", msg);
	return code;
}

static const void *host_extension(const struct ki_host *host, const char *id)
{
	(void)host;
	(void)id;
	return NULL;
}

static const struct ki_host host = {.struct_size = sizeof host,
				    .abi_version = KI_ABI_VERSION,
				    .name = "test",
				    .version = "1",
				    .log = host_log,
				    .fail = host_fail,
				    .extension = host_extension};

const char *mta_case_reason(void)
{
	return reason;
}

static struct ki_device device(const struct mta_case *c, unsigned threads)
{
	return (struct ki_device){.struct_size = sizeof(struct ki_device),
				  .dl = {.device_type = c->device},
				  .name = "test",
				  .uuid = "",
				  .cpu_threads = threads};
}

static void tensor_init(struct mta_case *c, int i, const char *name, enum ki_dtype t, int ndim,
			const int64_t *dims)
{
	int64_t stride = 1;
	int d;

	for (d = ndim - 1; d >= 0; d--) {
		c->dims[i][d] = dims[d];
		c->strides[i][d] = stride;
		stride *= dims[d];
	}
	c->elements[i] = (uint64_t)stride;
	c->tensors[i] = (DLTensor){.device = {.device_type = kDLCPU},
				   .ndim = ndim,
				   .dtype = ki_dtype_dlpack(t),
				   .shape = c->dims[i],
				   .strides = c->strides[i]};
	c->operands[i] = (struct ki_operand){
		.name = name, .role = i == Y ? KI_ROLE_OUT : KI_ROLE_IN, .tensor = &c->tensors[i]};
}

static enum ki_dtype dtype_of(const struct mta_case *c, int operand)
{
	return operand == Y && c->tensors[Y].dtype.bits == 64 ? KI_DTYPE_FP64 : c->dtype;
}

void mta_case_init(struct mta_case *c, struct mta_shape s, enum ki_dtype dtype,
		   enum ki_dtype out_dtype, const char *isa)
{
	const int64_t scores[] = {s.batch, s.heads_in, s.length, s.length};
	const int64_t weight[] = {s.heads_out, s.heads_in / s.groups, s.k, s.k};
	const int64_t y[] = {s.batch, s.heads_out, s.length, s.length};
	int i;

	*c = (struct mta_case){.shape = s, .dtype = dtype, .device = kDLCPU};
	tensor_init(c, SCORES, "scores", dtype, 4, scores);
	tensor_init(c, WEIGHT, "weight", dtype, 4, weight);
	tensor_init(c, BIAS, "bias", dtype, 1, &s.heads_out);
	tensor_init(c, Y, "y", out_dtype, 4, y);
	for (i = 0; i < 4; i++) {
		size_t bytes = c->elements[i] * ki_dtype_bytes(dtype_of(c, i));

		/* Of this very size: a sanitizer sees what is read beyond it. */
		cr_assert_eq(posix_memalign(&c->data[i], 256,
					    i == Y ? bytes + 2 * MTA_CASE_GUARD : bytes),
			     0);
		c->tensors[i].data = (char *)c->data[i] + (i == Y ? MTA_CASE_GUARD : 0);
	}
	c->attrs[0] = (struct ki_attr){.name = "pass", .type = KI_ATTR_STR, .v.str = "forward"};
	c->attrs[1] = (struct ki_attr){.name = "groups", .type = KI_ATTR_I64, .v.i64 = s.groups};
	c->attrs[2] = (struct ki_attr){.name = "isa", .type = KI_ATTR_STR, .v.str = isa};
	c->workload = (struct ki_workload){.struct_size = sizeof c->workload,
					   .n_operands = 4,
					   .op = "multi-token-attention/1",
					   .operands = c->operands,
					   .attrs = c->attrs,
					   .n_attrs = isa != NULL ? 3 : 2};
}

void mta_case_fini(struct mta_case *c)
{
	int i;

	for (i = 0; i < 4; i++)
		free(c->data[i]);
	*c = (struct mta_case){0};
}

double mta_case_get(const struct mta_case *c, int operand, uint64_t i)
{
	enum ki_dtype t = dtype_of(c, operand);
	double v;

	ki_dtype_to_double(&v, (char *)c->tensors[operand].data + i * ki_dtype_bytes(t), t, 1);
	return v;
}

void mta_case_set(struct mta_case *c, int operand, uint64_t i, double v)
{
	enum ki_dtype t = dtype_of(c, operand);

	ki_dtype_from_double((char *)c->tensors[operand].data + i * ki_dtype_bytes(t), &v, t, 1);
}

void mta_case_fill(struct mta_case *c, uint64_t seed, double masked)
{
	const struct ki_generator scores = {.kind = KI_GENERATOR_NORMAL, .seed = seed, .b = 1};
	const struct ki_generator other = {
		.kind = KI_GENERATOR_UNIFORM, .seed = seed + 1, .a = -0.5, .b = 0.5};
	uint64_t length = (uint64_t)c->shape.length, i;
	int o;

	for (o = SCORES; o <= BIAS; o++)
		cr_assert_eq(ki_generate(c->tensors[o].data, c->dtype,
					 o == SCORES ? &scores : &other, (uint64_t)o,
					 c->elements[o], 1, NULL),
			     0);
	for (i = 0; i < c->elements[SCORES]; i++)
		if (i % length > i / length % length)
			mta_case_set(c, SCORES, i, masked);
}

const struct ki_kernel *mta_case_kernel(const char *plugin)
{
	const char *folder = getenv("KI_BUILDDIR");
	const struct ki_plugin *p;
	ki_plugin_entry_fn entry;
	char path[4096], why[128];
	void *library, *symbol;

	snprintf(path, sizeof path, "%s/plugins/%s", folder != NULL ? folder : ".", plugin);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	cr_assert_not_null(library, "%s", dlerror());
	symbol = dlsym(library, KI_ENTRY_SYMBOL);
	cr_assert_not_null(symbol);
	memcpy(&entry, &symbol, sizeof entry);
	p = entry(KI_ABI_VERSION, why, sizeof why);
	cr_assert_not_null(p);
	return p->kernels[0];
}

ki_status mta_case_supports(const struct ki_kernel *k, const struct mta_case *c, unsigned threads)
{
	const struct ki_device d = device(c, threads);

	reason[0] = '\0';
	return k->supports(&host, &d, &c->workload);
}

ki_instance *mta_case_create(const struct ki_kernel *k, const struct mta_case *c, unsigned threads)
{
	const struct ki_device d = device(c, threads);
	ki_instance *i = NULL;

	cr_assert_eq(mta_case_supports(k, c, threads), KI_OK, "%s", reason);
	cr_assert_eq(k->create(&i, &host, &d, &c->workload), KI_OK, "%s", reason);
	cr_assert_not_null(i);
	return i;
}

static uint64_t checksum(const struct mta_case *c, int operand)
{
	uint64_t n = c->elements[operand] * ki_dtype_bytes(dtype_of(c, operand)), i,
		 sum = 1469598103u;
	const unsigned char *p = c->tensors[operand].data;

	for (i = 0; i < n; i++)
		sum = (sum ^ p[i]) * 1099511628211u;
	return sum;
}

void mta_case_launch(const struct ki_kernel *k, ki_instance *i, struct mta_case *c)
{
	struct ki_needs needs = {.struct_size = sizeof needs};
	struct ki_launch l = {.struct_size = sizeof l, .n_operands = 4, .operands = c->operands};
	size_t bytes = c->elements[Y] * ki_dtype_bytes(dtype_of(c, Y)), b;
	unsigned char *scratch, *y = c->data[Y];
	uint64_t before[3];
	int o;

	if (k->needs != NULL)
		cr_assert_eq(k->needs(i, &needs), KI_OK);
	scratch = aligned_alloc(256, (needs.scratch_bytes + 2 * MTA_CASE_GUARD + 255) / 256 * 256);
	cr_assert_not_null(scratch);
	/* A NaN in every dtype: what is read before it is written shows. */
	memset(scratch, 0xff, needs.scratch_bytes);
	memset(scratch + needs.scratch_bytes, 0x5a, MTA_CASE_GUARD);
	l.scratch = scratch;
	memset(y, 0x5a, MTA_CASE_GUARD);
	memset(y + MTA_CASE_GUARD, 0xff, bytes);
	memset(y + MTA_CASE_GUARD + bytes, 0x5a, MTA_CASE_GUARD);
	for (o = SCORES; o <= BIAS; o++)
		before[o] = checksum(c, o);
	cr_assert_eq(k->launch(i, &l), KI_OK);
	for (o = SCORES; o <= BIAS; o++)
		cr_assert_eq(checksum(c, o), before[o], "input %d was changed", o);
	for (b = 0; b < MTA_CASE_GUARD; b++)
		cr_assert(y[b] == 0x5a && y[MTA_CASE_GUARD + bytes + b] == 0x5a &&
				  scratch[needs.scratch_bytes + b] == 0x5a,
			  "byte %zu of a guard was written", b);
	free(scratch);
}

void mta_case_run(const struct ki_kernel *k, struct mta_case *c, unsigned threads)
{
	ki_instance *i = mta_case_create(k, c, threads);

	mta_case_launch(k, i, c);
	k->destroy(i);
}

void mta_case_damage(struct mta_case *c, enum mta_damage d)
{
	switch (d) {
	case OTHER_DEVICE:
		c->device = kDLVulkan;
		break;
	case OTHER_OP:
		c->workload.op = "multi-token-attention/2";
		break;
	case OTHER_PASS:
		c->attrs[0].v.str = "backward";
		break;
	case NO_PASS:
		c->attrs[0].name = "other";
		break;
	case FEWER_OPERANDS:
		c->workload.n_operands = 3;
		break;
	case OTHER_NAME:
		c->operands[1].name = "weights";
		break;
	case OTHER_ROLE:
		c->operands[2].role = KI_ROLE_INOUT;
		break;
	case OTHER_RANK:
		c->tensors[Y].ndim = 3;
		break;
	case TRANSPOSED:
		c->strides[SCORES][3] = c->strides[SCORES][2];
		c->strides[SCORES][2] = 1;
		break;
	case OFFSET:
		c->tensors[SCORES].byte_offset = 2;
		break;
	case NOT_SQUARE:
		c->dims[WEIGHT][2] = 5;
		c->strides[WEIGHT][1] = 15;
		c->strides[WEIGHT][0] = 60;
		break;
	case EVEN_KERNEL:
		c->dims[WEIGHT][2] = c->dims[WEIGHT][3] = c->strides[WEIGHT][2] = 2;
		c->strides[WEIGHT][1] = 4;
		c->strides[WEIGHT][0] = 16;
		break;
	case MIXED_DTYPES:
		c->tensors[BIAS].dtype = ki_dtype_dlpack(KI_DTYPE_FP32);
		break;
	case INTEGERS:
		c->tensors[SCORES].dtype.code = kDLInt;
		break;
	case GROUPS_ZERO:
		c->attrs[1].v.i64 = 0;
		break;
	case GROUPS_DO_NOT_DIVIDE:
		c->attrs[1].v.i64 = 3;
		break;
	case GROUPS_TEXT:
		c->attrs[1].type = KI_ATTR_STR;
		c->attrs[1].v.str = "1";
		break;
	case BIAS_TOO_SHORT:
		c->dims[BIAS][0] = 3;
		break;
	case HEADS_DO_NOT_FIT:
		c->dims[SCORES][1] = 2;
		c->strides[SCORES][0] = 2 * 64;
		break;
	default:
		break;
	}
}
