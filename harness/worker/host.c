/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>

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

static const void *host_extension(const struct ki_host *host, const char *id)
{
	(void)host;
	(void)id;
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
