/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/module.h"

#define MODULE_LOG_BYTES ((size_t)8192)

/* The PTX ISA version of the text, "8.3", or "" when it is no PTX. */
static void module_ptx_version(char out[16], const void *image)
{
	static const char directive[] = ".version";
	const char *text = image, *at;
	size_t n;

	out[0] = '\0';
	/* A cubin is ELF, and has NUL bytes soon. */
	if (strncmp(text, "\177ELF", 4) == 0)
		return;
	at = strstr(text, directive);
	if (at == NULL)
		return;
	at += sizeof directive - 1;
	at += strspn(at, " \t");
	n = strspn(at, "0123456789.");
	snprintf(out, 16, "%.*s", (int)(n < 15 ? n : 15), at);
}

/* The first line of the compiler's log that says something. */
static void module_complaint(char *out, size_t size, const char *log)
{
	log += strspn(log, " \t\r\n");
	snprintf(out, size, "%.*s", (int)strcspn(log, "\r\n"), log);
}

static int module_failed(const struct ki_cuda_driver *d, ki_cu_result r, const void *image,
			 const char *log, struct ki_error *e)
{
	char version[16], complaint[400];
	int rc = ki_cuda_check(d, r, "cuModuleLoadDataEx", e);

	module_ptx_version(version, image);
	module_complaint(complaint, sizeof complaint, log);
	if (r == KI_CU_UNSUPPORTED_PTX_VERSION)
		ki_error_prefix(e,
				"the PTX is of version %s, which the driver (CUDA %d.%d) does not "
				"know; update the driver",
				version, d->version / 1000, d->version % 1000 / 10);
	else if (r == KI_CU_JIT_COMPILER_NOT_FOUND)
		ki_error_prefix(e, "the driver's compiler, libnvidia-ptxjitcompiler.so.1, is not "
				   "installed");
	else if (r == KI_CU_NO_BINARY_FOR_GPU)
		ki_error_prefix(e, "no code in it is for this GPU");
	else if (complaint[0] != '\0')
		ki_error_prefix(e, "%s", complaint);
	return rc;
}

int ki_cuda_module_load(ki_cu_module *out, const struct ki_cuda_driver *d, const void *image,
			struct ki_error *e)
{
	int options[] = {KI_CU_JIT_ERROR_LOG_BUFFER, KI_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	char *log = calloc(1, MODULE_LOG_BYTES);
	/* A size travels in the pointer itself.  NOLINTNEXTLINE(performance-no-int-to-ptr) */
	void *values[] = {log, (void *)(uintptr_t)(MODULE_LOG_BYTES - 1)};
	ki_cu_result r;
	int rc = KI_SUCCESS;

	if (log == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	r = d->api.module_load_data(out, image, 2, options, values);
	if (r != KI_CU_SUCCESS)
		rc = module_failed(d, r, image, log, e);
	free(log);
	return rc;
}

int ki_cuda_module_kernel(ki_cu_function *out, const struct ki_cuda_driver *d, ki_cu_module module,
			  const char *name, struct ki_error *e)
{
	int rc = ki_cuda_check(d, d->api.module_get_function(out, module, name), name, e);

	if (rc == KI_SUCCESS && d->api.func_load != NULL)
		rc = ki_cuda_check(d, d->api.func_load(*out), name, e);
	return rc;
}
