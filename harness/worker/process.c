/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "worker/process.h"

#define PROCESS_REAP_NS 5000000000u
#define PROCESS_SELF "/proc/self/exe"

extern char **environ;

struct ki_worker {
	char who[128];
	pid_t pid; /* 0 once reaped; also the process group */
	bool paused;
	int status; /* of waitpid(), once reaped */
	int interrupt_fd;
	struct ki_wire wire;
	int log_fd;
	char *log;
	size_t log_size;
	uint64_t log_total;
};

/*
 * The environment that a worker gets.  LD_LIBRARY_PATH stays: this program itself may need it to
 * start.  LD_PRELOAD and the like do not: they would run inside the timed process.
 */
static const char *const process_environment[] = {
	"PATH=",         "HOME=",          "LD_LIBRARY_PATH=",      "TMPDIR=",
	"ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LSAN_OPTIONS=",         "TSAN_OPTIONS=",
	"GCOV_PREFIX=",  "KI_LIBCUDA=",    "CUDA_VISIBLE_DEVICES=",
};

static size_t process_envp(char **envp, size_t max)
{
	static char locale[] = "LC_ALL=C", zone[] = "TZ=UTC";
	size_t n = 0, i, k;

	for (i = 0; environ[i] != NULL; i++)
		for (k = 0; k < sizeof process_environment / sizeof process_environment[0]; k++)
			if (n + 3 < max && strncmp(environ[i], process_environment[k],
						   strlen(process_environment[k])) == 0)
				envp[n++] = environ[i];
	envp[n++] = locale;
	envp[n++] = zone;
	envp[n] = NULL;
	return n;
}

static int process_spawn(pid_t *out, int socket_fd, int log_fd, struct ki_error *e)
{
	char name[] = "ki-harness", worker[] = "--worker", *argv[] = {name, worker, NULL};
	char *envp[64];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, log_fd, 1);
	posix_spawn_file_actions_adddup2(&actions, log_fd, 2);
	posix_spawn_file_actions_adddup2(&actions, socket_fd, KI_WIRE_WORKER_FD);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	process_envp(envp, sizeof envp / sizeof envp[0]);
	rc = posix_spawn(out, PROCESS_SELF, &actions, &attributes, argv, envp);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return rc == 0 ? KI_SUCCESS : ki_error_errno(e, rc, "cannot start a worker process");
}

/* Out of the way of the numbers that the child's descriptors get. */
static int process_move_up(int *fd)
{
	int up = fcntl(*fd, F_DUPFD_CLOEXEC, KI_WIRE_WORKER_FD + 1);

	if (up < 0)
		return -1;
	close(*fd);
	*fd = up;
	return 0;
}

int ki_worker_spawn(struct ki_worker **out, const char *who, const struct ki_worker_run *run,
		    struct ki_error *e)
{
	int sockets[2] = {-1, -1}, log[2] = {-1, -1};
	struct ki_worker *w = calloc(1, sizeof *w);
	int rc = KI_SUCCESS;

	if (w == NULL || (w->log = malloc(KI_WORKER_LOG_MAX)) == NULL) {
		free(w);
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	}
	snprintf(w->who, sizeof w->who, "%s", who);
	w->log_fd = -1;
	w->wire = (struct ki_wire){.fd = -1, .nonce = {run->nonce[0], run->nonce[1]}};
	w->interrupt_fd = run->interrupt_fd;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0 ||
	    pipe2(log, O_CLOEXEC) != 0 || process_move_up(&sockets[1]) != 0 ||
	    process_move_up(&log[1]) != 0 || fcntl(log[0], F_SETFL, O_NONBLOCK) != 0) {
		rc = ki_error_errno(e, errno, "cannot make a worker's channel");
		goto out;
	}
	rc = process_spawn(&w->pid, sockets[1], log[1], e);
	if (rc != KI_SUCCESS)
		goto out;
	w->wire.fd = sockets[0];
	w->log_fd = log[0];
	sockets[0] = log[0] = -1;
	*out = w;
	w = NULL;
out:
	if (sockets[0] >= 0)
		close(sockets[0]);
	if (sockets[1] >= 0)
		close(sockets[1]);
	if (log[0] >= 0)
		close(log[0]);
	if (log[1] >= 0)
		close(log[1]);
	if (rc != KI_SUCCESS)
		ki_worker_free(w);
	return rc;
}

/* Reads what is there, keeping the first KI_WORKER_LOG_MAX bytes and counting the rest. */
static void process_drain_log(struct ki_worker *w)
{
	char chunk[4096];
	ssize_t n;

	while (w->log_fd >= 0 && (n = read(w->log_fd, chunk, sizeof chunk)) > 0) {
		size_t room = KI_WORKER_LOG_MAX - w->log_size;
		size_t keep = (size_t)n < room ? (size_t)n : room;

		memcpy(w->log + w->log_size, chunk, keep);
		w->log_size += keep;
		w->log_total += (uint64_t)n;
		if (w->log_total > 64ull * KI_WORKER_LOG_MAX)
			break;
	}
}

/* The other end is closed and the pipe is empty: polling it would spin. */
static void process_close_log(struct ki_worker *w)
{
	close(w->log_fd);
	w->log_fd = -1;
}

static bool process_reaped(struct ki_worker *w)
{
	pid_t pid;

	if (w->pid == 0)
		return true;
	pid = waitpid(w->pid, &w->status, WNOHANG);
	if (pid == w->pid || (pid < 0 && errno == ECHILD)) {
		w->pid = 0;
		return true;
	}
	return false;
}

/* Waits for the process to be gone, bounded: a process stuck in a driver may never be. */
static bool process_reap(struct ki_worker *w, uint64_t timeout_ns)
{
	uint64_t deadline = ki_clock_deadline_ns() + timeout_ns;
	struct timespec nap = {.tv_nsec = 200000};

	while (!process_reaped(w)) {
		if (ki_clock_deadline_ns() >= deadline)
			return false;
		process_drain_log(w);
		nanosleep(&nap, NULL);
	}
	process_drain_log(w);
	return true;
}

static void process_kill(struct ki_worker *w)
{
	pid_t group = w->pid;

	if (group <= 0)
		return;
	kill(-group, SIGKILL);
	kill(group, SIGKILL);
	process_reap(w, PROCESS_REAP_NS);
	/* The rest of the group may outlive its leader. */
	kill(-group, SIGKILL);
}

static int process_fail(struct ki_failure *f, enum ki_failure_kind kind, const char *text)
{
	f->kind = kind;
	if (text != NULL)
		snprintf(f->text, sizeof f->text, "%s", text);
	return KI_FAIL_BACKEND;
}

static int process_signalled(const struct ki_worker *w, struct ki_failure *f, const char *when)
{
	f->signal = WTERMSIG(w->status);
	snprintf(f->text, sizeof f->text, "killed by signal %d (%s)%s", f->signal,
		 strsignal(f->signal), when);
	return process_fail(f, KI_FAILURE_CRASHED, NULL);
}

/* The channel closed: how did the process end? */
static int process_ended(struct ki_worker *w, struct ki_failure *f)
{
	pid_t group = w->pid;

	if (!process_reap(w, PROCESS_REAP_NS)) {
		process_kill(w);
		return process_fail(f, KI_FAILURE_PROTOCOL, "it closed its channel and went on");
	}
	kill(-group, SIGKILL);
	if (WIFSIGNALED(w->status))
		return process_signalled(w, f, "");
	f->exit_status = WEXITSTATUS(w->status);
	snprintf(f->text, sizeof f->text, "the process exited with status %d before it answered",
		 f->exit_status);
	return process_fail(f, KI_FAILURE_EXITED, NULL);
}

static const char *process_phase(enum ki_wire_type type)
{
	switch (type) {
	case KI_WIRE_PROBE:
		return "probe";
	case KI_WIRE_LOAD:
		return "load";
	case KI_WIRE_CREATE:
		return "create";
	case KI_WIRE_PREPARE:
		return "prepare";
	case KI_WIRE_MAP:
		return "map";
	case KI_WIRE_FINISH:
		return "destroy";
	default:
		return "launch";
	}
}

/* Phases that the worker itself may name in a failure. */
static const char *process_named_phase(const char *text, const char *otherwise)
{
	static const char *const phases[] = {"probe",   "load", "supports", "create", "needs",
					     "prepare", "map",  "launch",   "destroy"};
	size_t i;

	for (i = 0; text != NULL && i < sizeof phases / sizeof phases[0]; i++)
		if (strcmp(phases[i], text) == 0)
			return phases[i];
	return otherwise;
}

static int process_reported(const json_t *payload, struct ki_failure *f)
{
	const char *text = json_string_value(json_object_get(payload, "text"));

	f->phase =
		process_named_phase(json_string_value(json_object_get(payload, "phase")), f->phase);
	f->code = json_integer_value(json_object_get(payload, "code"));
	f->native = json_integer_value(json_object_get(payload, "native"));
	return process_fail(f, KI_FAILURE_REPORTED, text != NULL ? text : "no reason given");
}

/* Waits until the socket can be read; other results are failures. */
static int process_await(struct ki_worker *w, uint64_t deadline_ns, uint64_t timeout_ns,
			 struct ki_failure *f)
{
	for (;;) {
		struct pollfd fds[3] = {{.fd = w->wire.fd, .events = POLLIN},
					{.fd = w->log_fd, .events = POLLIN},
					{.fd = w->interrupt_fd, .events = POLLIN}};
		uint64_t now = ki_clock_deadline_ns();
		int ms, n;

		if (now >= deadline_ns) {
			process_kill(w);
			snprintf(f->text, sizeof f->text, "no answer within %.3g s; killed",
				 (double)timeout_ns * 1e-9);
			return process_fail(f, KI_FAILURE_TIMEOUT, NULL);
		}
		ms = (int)((deadline_ns - now) / 1000000 < 1000 ? (deadline_ns - now) / 1000000 + 1
								: 1000);
		n = poll(fds, 3, ms);
		if (n < 0 && errno != EINTR)
			return process_fail(f, KI_FAILURE_HARNESS, strerror(errno));
		if (n <= 0)
			continue;
		if (fds[1].revents != 0)
			process_drain_log(w);
		if ((fds[1].revents & (POLLHUP | POLLERR)) && !(fds[1].revents & POLLIN))
			process_close_log(w);
		if (fds[2].revents & POLLIN) {
			process_kill(w);
			return process_fail(f, KI_FAILURE_INTERRUPTED, "interrupted");
		}
		if (fds[0].revents != 0)
			return KI_SUCCESS;
	}
}

static int process_answer(struct ki_worker *w, json_t **answer, struct ki_failure *f)
{
	struct ki_wire_message m = {0};
	struct ki_error e = {0};
	int rc = ki_wire_receive(&m, &w->wire, false, &e);

	if (rc == KI_FAIL_SYSTEM)
		return process_ended(w, f);
	if (rc == KI_SUCCESS && m.type != KI_WIRE_ANSWER && m.type != KI_WIRE_FAILED)
		rc = ki_error_set(&e, KI_FAIL_BACKEND, "a message of an unknown kind");
	if (rc != KI_SUCCESS) {
		ki_wire_message_free(&m);
		process_kill(w);
		return process_fail(
			f, rc == KI_FAIL_MEMORY ? KI_FAILURE_HARNESS : KI_FAILURE_PROTOCOL, e.text);
	}
	if (m.type == KI_WIRE_FAILED)
		rc = process_reported(m.payload, f);
	else if (answer != NULL)
		*answer = json_incref(m.payload);
	ki_wire_message_free(&m);
	return rc;
}

int ki_worker_ask(struct ki_worker *w, json_t **answer, enum ki_wire_type type,
		  const json_t *question, const int *fds, int n_fds, uint64_t timeout_ns,
		  struct ki_failure *failure)
{
	uint64_t deadline = ki_clock_deadline_ns() + timeout_ns;
	struct ki_error e = {0};
	int rc;

	*failure = (struct ki_failure){.phase = process_phase(type)};
	if (w->pid == 0)
		return process_fail(failure, KI_FAILURE_EXITED, "the process is gone");
	if (w->paused) {
		kill(-w->pid, SIGCONT);
		w->paused = false;
	}
	rc = ki_wire_send(&w->wire, type, question, fds, n_fds, &e);
	if (rc == KI_FAIL_SYSTEM && (e.native == EPIPE || e.native == ECONNRESET))
		return process_ended(w, failure);
	if (rc != KI_SUCCESS)
		return process_fail(failure, KI_FAILURE_HARNESS, e.text);
	rc = process_await(w, deadline, timeout_ns, failure);
	return rc != KI_SUCCESS ? rc : process_answer(w, answer, failure);
}

bool ki_worker_alive(const struct ki_worker *w)
{
	return w != NULL && w->pid != 0;
}

void ki_worker_pause(struct ki_worker *w)
{
	if (w->pid == 0 || w->paused)
		return;
	kill(-w->pid, SIGSTOP);
	w->paused = true;
}

int ki_worker_finish(struct ki_worker *w, uint64_t timeout_ns, struct ki_failure *failure)
{
	pid_t group = w->pid;
	int rc = ki_worker_ask(w, NULL, KI_WIRE_FINISH, NULL, NULL, 0, timeout_ns, failure);

	if (rc != KI_SUCCESS)
		return rc;
	if (!process_reap(w, timeout_ns)) {
		process_kill(w);
		return process_fail(failure, KI_FAILURE_TIMEOUT,
				    "it said that it was done and did not exit; killed");
	}
	kill(-group, SIGKILL);
	if (WIFEXITED(w->status) && WEXITSTATUS(w->status) == 0)
		return KI_SUCCESS;
	if (WIFSIGNALED(w->status))
		return process_signalled(w, failure, " while it ended");
	failure->exit_status = WEXITSTATUS(w->status);
	snprintf(failure->text, sizeof failure->text, "it ended with exit status %d",
		 failure->exit_status);
	return process_fail(failure, KI_FAILURE_EXITED, NULL);
}

const char *ki_worker_log(const struct ki_worker *w, size_t *size, uint64_t *total)
{
	*size = w->log_size;
	*total = w->log_total;
	return w->log;
}

void ki_worker_free(struct ki_worker *w)
{
	if (w == NULL)
		return;
	process_kill(w);
	if (w->wire.fd >= 0)
		close(w->wire.fd);
	if (w->log_fd >= 0)
		close(w->log_fd);
	free(w->log);
	free(w);
}
