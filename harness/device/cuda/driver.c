/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda/driver.h"

#define DRIVER_VERSION_LEAST 11000

/* The soname, never "libcuda.so": that is the toolkit's stub, or absent. */
static const char *const driver_names[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};

static int driver_fail(enum ki_cuda_state *state, enum ki_cuda_state why, struct ki_error *e,
		       const char *text)
{
	*state = why;
	return ki_error_set(e, KI_FAIL_INPUT, "%s", text);
}

static int driver_library(void **out, enum ki_cuda_state *state, struct ki_error *e)
{
	const char *named = getenv("KI_LIBCUDA"), *why = NULL;
	size_t i;

	if (named != NULL && *named == '\0')
		return driver_fail(
			state, KI_CUDA_DISABLED, e,
			"CUDA is turned off: KI_LIBCUDA is empty; unset it to use a GPU");
	if (named != NULL) {
		*out = dlopen(named, RTLD_NOW | RTLD_LOCAL);
		if (*out != NULL)
			return KI_SUCCESS;
		*state = KI_CUDA_NO_LIBRARY;
		return ki_error_set(e, KI_FAIL_INPUT, "KI_LIBCUDA: %s", dlerror());
	}
	for (i = 0; i < sizeof driver_names / sizeof driver_names[0]; i++) {
		*out = dlopen(driver_names[i], RTLD_NOW | RTLD_LOCAL);
		if (*out != NULL)
			return KI_SUCCESS;
		why = why == NULL ? dlerror() : why;
	}
	*state = KI_CUDA_NO_LIBRARY;
	return ki_error_set(e, KI_FAIL_INPUT,
			    "no NVIDIA driver is installed (%s); install it, or use the CPU",
			    why != NULL ? why : "libcuda.so.1 not found");
}

static int driver_symbols(struct ki_cuda_driver *d, void *library, enum ki_cuda_state *state,
			  struct ki_error *e)
{
	enum { OPTIONAL, REQUIRED };
	const char *missing = NULL;

#define DRIVER_LOAD(need, field, symbol, parameters)                                               \
	do {                                                                                       \
		void *address = dlsym(library, symbol);                                            \
		if (address == NULL && (need) == REQUIRED)                                         \
			missing = (symbol);                                                        \
		memcpy(&d->api.field, &address, sizeof address);                                   \
	} while (0);
	KI_CU_FUNCTIONS(DRIVER_LOAD)
#undef DRIVER_LOAD
	if (missing == NULL)
		return KI_SUCCESS;
	*state = KI_CUDA_TOO_OLD;
	return ki_error_set(e, KI_FAIL_INPUT,
			    "the NVIDIA driver lacks %s: it is older than CUDA 11.0; update it",
			    missing);
}

/* Which file it is: a container may put another library first. */
static void driver_path(struct ki_cuda_driver *d)
{
	char *real;
	Dl_info info;
	void *address;

	memcpy(&address, &d->api.init, sizeof address);
	if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
		return;
	real = realpath(info.dli_fname, NULL);
	snprintf(d->path, sizeof d->path, "%s", real != NULL ? real : info.dli_fname);
	free(real);
}

static int driver_init_failed(const struct ki_cuda_driver *d, ki_cu_result r,
			      enum ki_cuda_state *state, struct ki_error *e)
{
	bool node = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;

	switch (r) {
	case KI_CU_STUB_LIBRARY:
		return driver_fail(
			state, KI_CUDA_STUB, e,
			"libcuda.so.1 is the CUDA toolkit's stub, not a driver; take its "
			"folder out of LD_LIBRARY_PATH, or install the driver");
	case KI_CU_SYSTEM_DRIVER_MISMATCH:
	case KI_CU_COMPAT_NOT_SUPPORTED_ON_DEVICE:
		*state = KI_CUDA_TOO_OLD;
		ki_cuda_check(d, r, "the driver's library and its kernel module do not fit", e);
		return KI_FAIL_INPUT;
	case KI_CU_NO_DEVICE:
	case KI_CU_UNKNOWN:
		if (!node)
			return driver_fail(
				state, KI_CUDA_NO_DEVICE_NODE, e,
				"the NVIDIA driver's library is here but /dev/nvidiactl is "
				"not: in a container, start it with its GPUs (--gpus all); "
				"else load the kernel module");
		if (r == KI_CU_NO_DEVICE)
			return driver_fail(
				state, KI_CUDA_NO_DEVICE, e,
				"the NVIDIA driver sees no GPU; CUDA_VISIBLE_DEVICES may "
				"hide it, else nvidia-smi says more");
		break;
	default:
		break;
	}
	*state = KI_CUDA_BROKEN;
	ki_cuda_check(d, r, "the NVIDIA driver does not start", e);
	return KI_FAIL_INPUT;
}

int ki_cuda_driver_open(struct ki_cuda_driver *out, enum ki_cuda_state *state, struct ki_error *e)
{
	struct ki_cuda_driver d = {0};
	void *handle = NULL;
	ki_cu_result r;
	int rc;

	*state = KI_CUDA_READY;
	rc = driver_library(&handle, state, e);
	if (rc == KI_SUCCESS)
		rc = driver_symbols(&d, handle, state, e);
	if (rc != KI_SUCCESS)
		return rc;
	d.handle = handle;
	driver_path(&d);
	/* Lazily, the first launch of each kernel would pay for its loading. */
	setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
	r = d.api.init(0);
	if (r == KI_CU_SUCCESS)
		r = d.api.driver_get_version(&d.version);
	if (r == KI_CU_SUCCESS)
		r = d.api.device_get_count(&d.n_devices);
	if (r == KI_CU_SUCCESS && d.n_devices == 0)
		r = KI_CU_NO_DEVICE;
	if (r != KI_CU_SUCCESS)
		return driver_init_failed(&d, r, state, e);
	if (d.version < DRIVER_VERSION_LEAST)
		return driver_fail(state, KI_CUDA_TOO_OLD, e,
				   "the NVIDIA driver is older than CUDA 11.0; update it");
	*out = d;
	return KI_SUCCESS;
}

void *ki_cuda_driver_proc(const struct ki_cuda_driver *d, const char *symbol)
{
	return dlsym(d->handle, symbol);
}

bool ki_cuda_is_sticky(ki_cu_result r)
{
	switch (r) {
	case KI_CU_DEINITIALIZED:
	case KI_CU_ECC_UNCORRECTABLE:
	case KI_CU_ILLEGAL_ADDRESS:
	case KI_CU_LAUNCH_TIMEOUT:
	case KI_CU_ASSERT:
	case KI_CU_HARDWARE_STACK_ERROR:
	case KI_CU_ILLEGAL_INSTRUCTION:
	case KI_CU_MISALIGNED_ADDRESS:
	case KI_CU_INVALID_ADDRESS_SPACE:
	case KI_CU_INVALID_PC:
	case KI_CU_LAUNCH_FAILED:
	case KI_CU_UNKNOWN:
		return true;
	default:
		return false;
	}
}

int(ki_cuda_check)(const struct ki_cuda_driver *d, ki_cu_result r, const char *what,
		   struct ki_error *e)
{
	const char *name = NULL, *text = NULL;
	enum ki_code code = KI_FAIL_SYSTEM;

	if (r == KI_CU_SUCCESS)
		return KI_SUCCESS;
	if (r == KI_CU_OUT_OF_MEMORY)
		code = KI_FAIL_MEMORY;
	else if (ki_cuda_is_sticky(r))
		code = KI_FAIL_BACKEND;
	if (d->api.get_error_name(r, &name) != KI_CU_SUCCESS || name == NULL)
		name = "an error that the driver has no name for";
	if (d->api.get_error_string(r, &text) != KI_CU_SUCCESS)
		text = NULL;
	ki_error_set(e, code, "%s: %s (%d)%s%s", what, name, (int)r, text != NULL ? ": " : "",
		     text != NULL ? text : "");
	if (e != NULL)
		e->native = (int)r;
	return code;
}
