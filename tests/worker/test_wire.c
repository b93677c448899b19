/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "worker/wire.h"

/* The frame as it lies on the wire, written out here so that a change of it is seen. */
struct frame {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t sequence;
	uint32_t size;
	uint64_t nonce[2];
	char payload[64];
};

static struct ki_wire ends[2];

static void open_pair(void)
{
	int fds[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	ends[0] = (struct ki_wire){.fd = fds[0], .nonce = {11, 22}};
	ends[1] = (struct ki_wire){.fd = fds[1], .nonce = {11, 22}};
}

static void close_pair(void)
{
	close(ends[0].fd);
	close(ends[1].fd);
}

TestSuite(wire, .init = open_pair, .fini = close_pair);

static struct frame good_frame(void)
{
	struct frame f = {.magic = 0x4b495752u,
			  .version = 1,
			  .type = KI_WIRE_ANSWER,
			  .size = 2,
			  .nonce = {11, 22},
			  .payload = "{}"};

	return f;
}

static int receive_raw(const struct frame *f, size_t size, struct ki_error *e)
{
	struct ki_wire_message m;
	int rc;

	cr_assert_eq(send(ends[0].fd, f, size, 0), (ssize_t)size);
	rc = ki_wire_receive(&m, &ends[1], false, e);
	if (rc == KI_SUCCESS)
		ki_wire_message_free(&m);
	return rc;
}

Test(wire, a_message_arrives_as_it_was_sent)
{
	json_t *payload = json_pack("{s:i, s:s}", "a", 5, "b", "x");
	struct ki_wire_message m;
	struct ki_error e = {0};

	cr_assert_eq(ki_wire_send(&ends[0], KI_WIRE_SEGMENT, payload, NULL, 0, &e), KI_SUCCESS);
	cr_assert_eq(ki_wire_receive(&m, &ends[1], false, &e), KI_SUCCESS, "%s", e.text);
	cr_expect_eq(m.type, KI_WIRE_SEGMENT);
	cr_expect(json_equal(m.payload, payload));
	ki_wire_message_free(&m);
	json_decref(payload);
}

Test(wire, descriptors_travel_and_are_closed_when_nobody_takes_them)
{
	struct ki_wire_message m;
	struct ki_error e = {0};
	int fds[2] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY)}, got;

	cr_assert_eq(ki_wire_send(&ends[0], KI_WIRE_MAP, NULL, fds, 2, &e), KI_SUCCESS);
	cr_assert_eq(ki_wire_receive(&m, &ends[1], false, &e), KI_SUCCESS);
	cr_assert_eq(m.n_fds, 2);
	got = m.fds[1];
	cr_expect_neq(fcntl(got, F_GETFD) & FD_CLOEXEC, 0);
	ki_wire_message_free(&m);
	cr_expect_eq(fcntl(got, F_GETFD), -1);
}

Test(wire, the_frame_written_out_here_is_the_one_that_is_read)
{
	struct frame f = good_frame();
	struct ki_error e = {0};

	cr_expect_eq(receive_raw(&f, offsetof(struct frame, payload) + 2, &e), KI_SUCCESS, "%s",
		     e.text);
}

Test(wire, forged_and_torn_frames_are_refused)
{
	size_t whole = offsetof(struct frame, payload) + 2;
	struct frame f = good_frame();
	struct ki_error e = {0};

	f.nonce[1] = 23;
	cr_expect_eq(receive_raw(&f, whole, &e), KI_FAIL_BACKEND);
	cr_expect(strstr(e.text, "nonce") != NULL, "%s", e.text);
	f = good_frame();
	f.sequence = 1;
	cr_expect_eq(receive_raw(&f, whole, NULL), KI_FAIL_BACKEND);
	f = good_frame();
	f.magic ^= 1;
	cr_expect_eq(receive_raw(&f, whole, NULL), KI_FAIL_BACKEND);
	f = good_frame();
	f.size = 3;
	cr_expect_eq(receive_raw(&f, whole, NULL), KI_FAIL_BACKEND);
	f = good_frame();
	cr_expect_eq(receive_raw(&f, 10, NULL), KI_FAIL_BACKEND);
	memcpy(f.payload, "[]", 2);
	cr_expect_eq(receive_raw(&f, whole, NULL), KI_FAIL_BACKEND);
	memcpy(f.payload, "{x", 2);
	cr_expect_eq(receive_raw(&f, whole, NULL), KI_FAIL_BACKEND);
	/* None of them counted: the good one still has sequence number 0. */
	f = good_frame();
	cr_expect_eq(receive_raw(&f, whole, NULL), KI_SUCCESS);
}

Test(wire, the_first_frame_gives_a_worker_its_nonce_and_later_ones_must_have_it)
{
	struct ki_wire_message m;
	struct ki_error e = {0};

	ends[1].nonce[0] = ends[1].nonce[1] = 0;
	cr_assert_eq(ki_wire_send(&ends[0], KI_WIRE_LOAD, NULL, NULL, 0, &e), KI_SUCCESS);
	cr_assert_eq(ki_wire_receive(&m, &ends[1], true, &e), KI_SUCCESS);
	ki_wire_message_free(&m);
	cr_expect_eq(ends[1].nonce[0], 11);
	ends[0].nonce[0] = 12;
	cr_assert_eq(ki_wire_send(&ends[0], KI_WIRE_CREATE, NULL, NULL, 0, &e), KI_SUCCESS);
	cr_expect_eq(ki_wire_receive(&m, &ends[1], false, &e), KI_FAIL_BACKEND);
}

Test(wire, a_payload_beyond_the_limit_is_not_sent)
{
	static char text[KI_WIRE_PAYLOAD_MAX + 1];
	struct ki_error e = {0};
	json_t *payload;

	memset(text, 'x', sizeof text - 1);
	payload = json_pack("{s:s}", "a", text);
	cr_expect_eq(ki_wire_send(&ends[0], KI_WIRE_LOAD, payload, NULL, 0, &e), KI_FAIL_LIMIT);
	json_decref(payload);
}

Test(wire, a_side_that_is_gone_is_told_apart_from_one_that_lies)
{
	struct ki_wire_message m;
	struct ki_error e = {0};

	close(ends[0].fd);
	cr_expect_eq(ki_wire_receive(&m, &ends[1], false, &e), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, ECONNRESET);
	ends[0].fd = open("/dev/null", O_RDONLY);
}
