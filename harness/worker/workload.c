/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "base/size.h"
#include "worker/workload.h"

static int workload_shape(struct ki_workload_operand *o, const json_t *shape, struct ki_error *e)
{
	uint64_t elements = 1;
	size_t n = json_array_size(shape), i;

	if (n < 1 || n > KI_WORKLOAD_NDIM_MAX)
		return ki_error_set(e, KI_FAIL_INTERNAL, "an operand of %zu axes", n);
	for (i = 0; i < n; i++) {
		o->shape[i] = json_integer_value(json_array_get(shape, i));
		if (o->shape[i] < 1 || !ki_size_mul(&elements, elements, (uint64_t)o->shape[i]) ||
		    elements > INT64_MAX / 8)
			return ki_error_set(e, KI_FAIL_INTERNAL, "an operand of a bad shape");
	}
	o->strides[n - 1] = 1;
	for (i = n - 1; i > 0; i--)
		o->strides[i - 1] = o->strides[i] * o->shape[i];
	o->row_length = (uint64_t)o->shape[n - 1];
	o->rows = elements / o->row_length;
	o->bytes = elements * ki_dtype_bytes(o->dtype);
	o->tensor.ndim = (int)n;
	return KI_SUCCESS;
}

static int workload_operand(struct ki_workload_copy *w, uint32_t i, const json_t *item,
			    const DLDevice *device, struct ki_error *e)
{
	struct ki_workload_operand *o = &w->info[i];
	const char *name = json_string_value(json_object_get(item, "name"));
	const char *role = json_string_value(json_object_get(item, "role"));
	const char *dtype = json_string_value(json_object_get(item, "dtype"));
	int rc;

	if (name == NULL || role == NULL || dtype == NULL || !ki_dtype_from_name(&o->dtype, dtype))
		return ki_error_set(e, KI_FAIL_INTERNAL, "an operand without name, role or dtype");
	rc = workload_shape(o, json_object_get(item, "shape"), e);
	if (rc != KI_SUCCESS)
		return rc;
	o->tensor.device = *device;
	o->tensor.dtype = ki_dtype_dlpack(o->dtype);
	o->tensor.shape = o->shape;
	o->tensor.strides = o->strides;
	w->operands[i] =
		(struct ki_operand){.name = name,
				    .role = strcmp(role, "out") == 0 ? KI_ROLE_OUT : KI_ROLE_IN,
				    .tensor = &o->tensor};
	return KI_SUCCESS;
}

static int workload_attrs(struct ki_workload_copy *w, const json_t *attributes, struct ki_error *e)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)attributes, name, v)
	{
		struct ki_attr *a = &w->attrs[w->abi.n_attrs];

		if (w->abi.n_attrs == KI_WORKLOAD_ATTRS_MAX)
			return ki_error_set(e, KI_FAIL_INTERNAL, "too many attributes");
		*a = (struct ki_attr){.name = name};
		if (json_is_integer(v)) {
			a->type = KI_ATTR_I64;
			a->v.i64 = json_integer_value(v);
		} else if (json_is_real(v)) {
			a->type = KI_ATTR_F64;
			a->v.f64 = json_real_value(v);
		} else {
			a->type = KI_ATTR_STR;
			a->v.str = json_string_value(v);
		}
		w->abi.n_attrs++;
	}
	return KI_SUCCESS;
}

int ki_workload_copy_init(struct ki_workload_copy *out, json_t *message, const DLDevice *device,
			  struct ki_error *e)
{
	const json_t *operands = json_object_get(message, "operands");
	size_t n = json_array_size(operands), i;
	int rc = KI_SUCCESS;

	memset(out, 0, sizeof *out);
	out->message = json_incref(message);
	out->abi = (struct ki_workload){.struct_size = sizeof out->abi,
					.n_operands = (uint32_t)n,
					.op = json_string_value(json_object_get(message, "op")),
					.operands = out->operands,
					.attrs = out->attrs};
	if (out->abi.op == NULL || n < 1 || n > KI_WORKLOAD_OPERANDS_MAX)
		rc = ki_error_set(e, KI_FAIL_INTERNAL, "a workload without operation or operands");
	for (i = 0; rc == KI_SUCCESS && i < n; i++)
		rc = workload_operand(out, (uint32_t)i, json_array_get(operands, i), device, e);
	if (rc == KI_SUCCESS)
		rc = workload_attrs(out, json_object_get(message, "attributes"), e);
	if (rc != KI_SUCCESS)
		ki_workload_copy_fini(out);
	return rc;
}

void ki_workload_copy_fini(struct ki_workload_copy *w)
{
	json_decref(w->message);
	memset(w, 0, sizeof *w);
}
