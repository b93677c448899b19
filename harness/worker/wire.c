/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "worker/wire.h"

#define WIRE_MAGIC 0x4b495752u /* "KIWR" */
#define WIRE_VERSION 1u

struct wire_header {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t sequence;
	uint32_t size;
	uint64_t nonce[2];
};

union wire_control {
	struct cmsghdr align;
	char data[CMSG_SPACE(KI_WIRE_FDS_MAX * sizeof(int))];
};

static void wire_attach(struct msghdr *m, union wire_control *control, const int *fds, int n_fds)
{
	struct cmsghdr *c;

	if (n_fds == 0)
		return;
	memset(control, 0, sizeof *control);
	m->msg_control = control->data;
	m->msg_controllen = CMSG_SPACE((size_t)n_fds * sizeof(int));
	c = CMSG_FIRSTHDR(m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((size_t)n_fds * sizeof(int));
	memcpy(CMSG_DATA(c), fds, (size_t)n_fds * sizeof(int));
}

int ki_wire_send(struct ki_wire *w, enum ki_wire_type type, const json_t *payload, const int *fds,
		 int n_fds, struct ki_error *e)
{
	char *text = payload != NULL ? json_dumps(payload, JSON_COMPACT) : strdup("{}");
	size_t size = text != NULL ? strlen(text) : 0;
	struct wire_header h = {.magic = WIRE_MAGIC,
				.version = WIRE_VERSION,
				.type = (uint16_t)type,
				.sequence = w->sent,
				.size = (uint32_t)size,
				.nonce = {w->nonce[0], w->nonce[1]}};
	struct iovec parts[2] = {{&h, sizeof h}, {text, size}};
	union wire_control control;
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
	ssize_t n;
	int rc = KI_SUCCESS;

	if (text == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	if (size > KI_WIRE_PAYLOAD_MAX || n_fds > KI_WIRE_FDS_MAX) {
		rc = ki_error_set(e, KI_FAIL_LIMIT, "a message of %zu bytes is too long", size);
		goto out;
	}
	wire_attach(&m, &control, fds, n_fds);
	do {
		n = sendmsg(w->fd, &m, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		rc = ki_error_errno(e, errno, "cannot send a message");
	else
		w->sent++;
out:
	free(text);
	return rc;
}

static void wire_detach(struct ki_wire_message *out, struct msghdr *m)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		size_t n, i;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			if (out->n_fds < KI_WIRE_FDS_MAX)
				out->fds[out->n_fds++] = fd;
			else
				close(fd);
		}
	}
}

static int wire_check(const struct wire_header *h, size_t got, const struct ki_wire *w,
		      bool adopt_nonce, struct ki_error *e)
{
	if (got < sizeof *h || h->magic != WIRE_MAGIC || h->version != WIRE_VERSION)
		return ki_error_set(e, KI_FAIL_BACKEND, "a message that is not a frame");
	if (h->size != got - sizeof *h)
		return ki_error_set(e, KI_FAIL_BACKEND, "a frame of another size than it says");
	if (h->sequence != w->received)
		return ki_error_set(e, KI_FAIL_BACKEND, "a frame out of sequence");
	if (!adopt_nonce && (h->nonce[0] != w->nonce[0] || h->nonce[1] != w->nonce[1]))
		return ki_error_set(e, KI_FAIL_BACKEND, "a frame without the run's nonce");
	return KI_SUCCESS;
}

static ssize_t wire_read(struct ki_wire_message *out, const struct ki_wire *w,
			 struct wire_header *h, char *text, bool *truncated)
{
	struct iovec parts[2] = {{h, sizeof *h}, {text, KI_WIRE_PAYLOAD_MAX}};
	union wire_control control;
	struct msghdr m = {.msg_iov = parts,
			   .msg_iovlen = 2,
			   .msg_control = control.data,
			   .msg_controllen = sizeof control.data};
	ssize_t n;

	do {
		n = recvmsg(w->fd, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		wire_detach(out, &m);
	*truncated = n > 0 && (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
	return n;
}

int ki_wire_receive(struct ki_wire_message *out, struct ki_wire *w, bool adopt_nonce,
		    struct ki_error *e)
{
	char *text = malloc(KI_WIRE_PAYLOAD_MAX);
	struct ki_wire_message m = {0};
	struct wire_header h;
	json_error_t bad;
	bool truncated;
	ssize_t n;
	int rc;

	if (text == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	n = wire_read(&m, w, &h, text, &truncated);
	if (n <= 0) {
		rc = ki_error_errno(e, n < 0 ? errno : ECONNRESET, "the other side is gone");
		goto out;
	}
	rc = truncated ? ki_error_set(e, KI_FAIL_BACKEND, "a frame that is too long")
		       : wire_check(&h, (size_t)n, w, adopt_nonce, e);
	if (rc != KI_SUCCESS)
		goto out;
	m.type = (enum ki_wire_type)h.type;
	m.payload = json_loadb(text, h.size, JSON_REJECT_DUPLICATES, &bad);
	if (!json_is_object(m.payload)) {
		rc = ki_error_set(e, KI_FAIL_BACKEND, "a frame whose payload is no JSON object");
		goto out;
	}
	if (adopt_nonce)
		memcpy(w->nonce, h.nonce, sizeof w->nonce);
	w->received++;
	*out = m;
out:
	free(text);
	if (rc != KI_SUCCESS)
		ki_wire_message_free(&m);
	return rc;
}

void ki_wire_message_free(struct ki_wire_message *m)
{
	int i;

	json_decref(m->payload);
	for (i = 0; i < m->n_fds; i++)
		if (m->fds[i] >= 0)
			close(m->fds[i]);
	*m = (struct ki_wire_message){0};
}
