/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "worker/host.h"

static void host_log(const struct ki_host *host, int32_t level, const char *msg)
{
	static const char *const levels[] = {"debug", "info", "warning", "error"};

	(void)host;
	if (msg != NULL)
		fprintf(stderr, "%s: %.4000s\n", level >= 0 && level <= 3 ? levels[level] : "log",
			msg);
}

static ki_status host_fail(const struct ki_host *host, ki_status code, int64_t native,
			   const char *msg)
{
	struct ki_host_services *s = host->self;

	pthread_mutex_lock(&s->lock);
	if (!s->failed) {
		s->failed = true;
		s->code = code;
		s->native = native;
		snprintf(s->text, sizeof s->text, "%s", msg != NULL ? msg : "");
	}
	pthread_mutex_unlock(&s->lock);
	return code;
}

static void *host_cuda_proc(const struct ki_host *host, const char *symbol)
{
	struct ki_host_services *s = host->self;

	return s->ops->proc(s->device, symbol);
}

static ki_status host_cuda_module_load(const struct ki_host *host, void **out, const void *image)
{
	struct ki_host_services *s = host->self;
	struct ki_error e = {0};

	switch (s->ops->module_load(s->device, out, image, &e)) {
	case KI_SUCCESS:
		return KI_OK;
	case KI_FAIL_MEMORY:
		return host->fail(host, KI_E_NOMEM, e.native, e.text);
	case KI_FAIL_BACKEND:
		return host->fail(host, KI_E_POISONED, e.native, e.text);
	default:
		return host->fail(host, KI_E_BUILD, e.native, e.text);
	}
}

static const void *host_extension(const struct ki_host *host, const char *id)
{
	static const struct ki_host_cuda cuda = {.struct_size = sizeof cuda,
						 .proc = host_cuda_proc,
						 .module_load = host_cuda_module_load};
	const struct ki_host_services *s = host->self;

	if (strcmp(id, KI_EXT_CUDA) == 0 && s->ops != NULL && s->ops->proc != NULL)
		return &cuda;
	return NULL;
}

void ki_host_services_init(struct ki_host_services *s)
{
	*s = (struct ki_host_services){
		.table = {.struct_size = sizeof s->table,
			  .abi_version = KI_ABI_VERSION,
			  .self = s,
			  .name = "ki-harness",
			  .version = PACKAGE_VERSION,
			  .log = host_log,
			  .fail = host_fail,
			  .extension = host_extension},
	};
	pthread_mutex_init(&s->lock, NULL);
}

void ki_host_services_begin(struct ki_host_services *s)
{
	s->failed = false;
	s->code = KI_OK;
	s->native = 0;
	s->text[0] = '\0';
}

const char *ki_host_status_name(ki_status code, char *space, size_t size)
{
	static const char *const names[] = {"KI_OK",      "KI_E_UNSUPPORTED", "KI_E_INVALID",
					    "KI_E_NOMEM", "KI_E_BUILD",       "KI_E_DEVICE",
					    "KI_E_ABI",   "KI_E_INTERNAL",    "KI_E_POISONED"};

	if (code >= 0 && (size_t)code < sizeof names / sizeof names[0])
		return names[code];
	snprintf(space, size, "status %d", (int)code);
	return space;
}
