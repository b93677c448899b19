/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "plugin/preflight.h"
#include "plugin/search.h"
#include "run/backend.h"

static const char backend_label_characters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+#-";

/* Splits [LABEL=]FILE[#KERNEL]; a label has none of the characters that only paths have. */
static int backend_split(struct ki_backend *b, char **file, const char *text, struct ki_error *e)
{
	const char *equals = strchr(text, '='), *hash;
	size_t n = equals != NULL ? (size_t)(equals - text) : 0;

	if (equals != NULL && strspn(text, backend_label_characters) == n) {
		if (n == 0 || n >= sizeof b->label)
			return ki_error_set(e, KI_FAIL_USAGE,
					    "backend \"%s\": a label has 1 to %zu characters", text,
					    sizeof b->label - 1);
		snprintf(b->label, sizeof b->label, "%.*s", (int)n, text);
		text = equals + 1;
	}
	hash = strrchr(text, '#');
	if (hash != NULL) {
		b->kernel_asked = strdup(hash + 1);
		*file = strndup(text, (size_t)(hash - text));
	} else {
		*file = strdup(text);
	}
	if (*file == NULL || (hash != NULL && b->kernel_asked == NULL))
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	if (**file == '\0' || (b->kernel_asked != NULL && *b->kernel_asked == '\0'))
		return ki_error_set(e, KI_FAIL_USAGE,
				    "backend \"%s\": expected [LABEL=]FILE[#KERNEL]", text);
	return KI_SUCCESS;
}

/* It stands in tables and records: what a label given by hand may not have is not in it. */
static void backend_clean_label(char *label)
{
	for (; *label != '\0'; label++)
		if (strchr(backend_label_characters, *label) == NULL)
			*label = '_';
}

/* "fused" of ".../fused.so", and "#kernel" behind it when one was asked for. */
static void backend_default_label(struct ki_backend *b)
{
	size_t n = strlen(b->file_name);

	if (b->label[0] != '\0')
		return;
	if (n > 3 && strcmp(b->file_name + n - 3, ".so") == 0)
		n -= 3;
	snprintf(b->label, sizeof b->label, "%.*s%s%s", (int)(n < 40 ? n : 40), b->file_name,
		 b->kernel_asked != NULL ? "#" : "",
		 b->kernel_asked != NULL ? b->kernel_asked : "");
	backend_clean_label(b->label);
}

static int backend_seal(int fd, struct ki_error *e)
{
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
		return ki_error_errno(e, errno, "cannot seal the copy of a plugin");
	return KI_SUCCESS;
}

static int backend_copy(struct ki_backend *b, struct ki_error *e)
{
	char why[256], name[200];
	char *data = NULL;
	size_t size = 0;
	enum ki_preflight_verdict v;
	struct stat st;
	int rc;

	/* Opening a pipe would wait for who writes to it. */
	if (stat(b->path, &st) == 0 && !S_ISREG(st.st_mode))
		return ki_error_set(e, KI_FAIL_INPUT, "backend %s: not a regular file", b->path);
	rc = ki_file_read(&data, &size, b->path, KI_BACKEND_BYTES_MAX, e);
	if (rc != KI_SUCCESS)
		return rc;
	v = ki_preflight(data, size, why, sizeof why);
	if (v != KI_PREFLIGHT_OK) {
		rc = ki_error_set(e, KI_FAIL_INPUT, "backend %s: %s (%s)", b->path, why,
				  ki_preflight_name(v));
		goto out;
	}
	/* Names of up to 249 bytes are allowed; it is only shown in /proc. */
	snprintf(name, sizeof name, "%s", b->file_name);
	b->image = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (b->image < 0) {
		rc = ki_error_errno(e, errno, "cannot copy %s into memory", b->path);
		goto out;
	}
	rc = ki_file_write_all(b->image, data, size, e);
	if (rc == KI_SUCCESS)
		rc = backend_seal(b->image, e);
	if (rc == KI_SUCCESS)
		rc = ki_digest_file(&b->digest, &b->bytes, b->image, e);
out:
	free(data);
	return rc;
}

static int backend_name(struct ki_backend *b, struct ki_error *e)
{
	const char *slash = strrchr(b->path, '/');

	b->file_name = strdup(slash != NULL ? slash + 1 : b->path);
	if (b->file_name == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	backend_default_label(b);
	return KI_SUCCESS;
}

int ki_backend_open(struct ki_backend *out, const char *text, struct ki_error *e)
{
	char *file = NULL;
	int rc;

	*out = (struct ki_backend){.image = -1};
	rc = backend_split(out, &file, text, e);
	if (rc == KI_SUCCESS) {
		rc = ki_search(&out->path, &out->elsewhere, KI_SEARCH_PLUGIN, file, e);
		ki_error_prefix(e, "backend %s", file);
	}
	if (rc == KI_SUCCESS)
		rc = backend_name(out, e);
	if (rc == KI_SUCCESS)
		rc = backend_copy(out, e);
	free(file);
	if (rc != KI_SUCCESS)
		ki_backend_close(out);
	return rc;
}

/* What the plugin says of the kernel; else why there is none, and what there is. */
static int backend_choose(struct ki_backend *b, const char *op, struct ki_error *e)
{
	const char *offered = json_string_value(json_object_get(b->plugin, "offered"));
	const char *refused = json_string_value(json_object_get(b->plugin, "refused"));
	bool asked = b->kernel_asked != NULL;

	b->kernel_facts = json_object_get(b->plugin, "kernel");
	b->kernel = json_string_value(json_object_get(b->kernel_facts, "id"));
	if (b->kernel != NULL && (!asked || strcmp(b->kernel, b->kernel_asked) == 0))
		return KI_SUCCESS;
	return ki_error_set(e, KI_FAIL_INPUT, "backend %s: no kernel %s%s; it has: %s%s%s", b->path,
			    asked ? "" : "for ", asked ? b->kernel_asked : op,
			    offered != NULL ? offered : "none",
			    refused != NULL ? "; left out: " : "", refused != NULL ? refused : "");
}

int ki_backend_describe(struct ki_backend *b, const char *op, const struct ki_worker_run *run,
			uint64_t load_ns, struct ki_error *e)
{
	json_t *question = b->kernel_asked != NULL ? json_pack("{s:s}", "kernel", b->kernel_asked)
						   : json_pack("{s:s}", "op", op);
	struct ki_failure failure;
	struct ki_worker *w;
	int rc = ki_worker_spawn(&w, b->label, run, e);

	if (rc != KI_SUCCESS) {
		json_decref(question);
		return rc;
	}
	rc = ki_worker_ask(w, &b->plugin, KI_WIRE_LOAD, question, &b->image, 1, load_ns, &failure);
	json_decref(question);
	if (rc == KI_SUCCESS)
		rc = ki_worker_finish(w, load_ns, &failure);
	if (rc != KI_SUCCESS)
		rc = ki_error_set(e,
				  failure.kind == KI_FAILURE_INTERRUPTED ? KI_FAIL_INTERRUPT
									 : KI_FAIL_INPUT,
				  "backend %s cannot be loaded: %s: %s", b->path, failure.phase,
				  failure.text);
	ki_worker_free(w);
	return rc != KI_SUCCESS ? rc : backend_choose(b, op, e);
}

void ki_backend_close(struct ki_backend *b)
{
	if (b->image >= 0)
		close(b->image);
	json_decref(b->plugin);
	free(b->path);
	free(b->file_name);
	free(b->kernel_asked);
	*b = (struct ki_backend){.image = -1};
}
