/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/progress.h"

/* A terminal: what is written to the FILE can be read from *reader. */
static FILE *terminal(int *reader, unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	FILE *f;

	cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	cr_assert(slave >= 0);
	cr_assert_eq(ioctl(slave, TIOCSWINSZ, &size), 0);
	f = fdopen(slave, "w");
	cr_assert_not_null(f);
	*reader = master;
	setenv("TERM", "xterm", 1);
	return f;
}

/* All that has arrived so far. */
static const char *arrived(char out[4096], int reader)
{
	ssize_t n;

	fcntl(reader, F_SETFL, O_NONBLOCK);
	n = read(reader, out, 4095);
	out[n > 0 ? n : 0] = '\0';
	return out;
}

static char *run_into_a_file(bool quiet)
{
	struct ki_progress p;
	char *text = NULL;
	size_t size;
	FILE *f = tmpfile();

	cr_assert_not_null(f);
	ki_progress_init(&p, f, quiet, 2, NULL);
	ki_progress_case(&p, "seq=32");
	ki_progress_step(&p, 0.5, "timing a");
	ki_progress_case_done(&p, "seq=32  a 1 us");
	ki_progress_case(&p, "seq=64");
	ki_progress_case_done(&p, "seq=64  a 2 us");
	ki_progress_fini(&p);
	rewind(f);
	size = 4096;
	text = calloc(1, size);
	cr_assert_not_null(text);
	cr_assert(fread(text, 1, size - 1, f) < size);
	fclose(f);
	return text;
}

Test(progress, without_a_terminal_is_one_line_a_finished_case)
{
	char *text = run_into_a_file(false);

	cr_assert_str_eq(text, "[1/2] seq=32  a 1 us\n[2/2] seq=64  a 2 us\n");
	free(text);
}

Test(progress, quiet_prints_nothing)
{
	char *text = run_into_a_file(true);

	cr_assert_str_empty(text);
	free(text);
}

Test(progress, on_a_terminal_says_the_case_and_what_is_done)
{
	struct ki_progress p;
	char text[4096];
	int reader;
	FILE *f = terminal(&reader, 80);

	ki_progress_init(&p, f, false, 6, NULL);
	ki_progress_case(&p, "seq=128");
	cr_assert_not_null(strstr(arrived(text, reader), "[1/6] seq=128: starting"));
	ki_progress_clear(&p);
	cr_assert_str_eq(arrived(text, reader), "\r\033[K");
	ki_progress_fini(&p);
	fclose(f);
	close(reader);
}

Test(progress, a_line_is_never_longer_than_the_terminal_is_wide)
{
	struct ki_progress p;
	char text[4096], *end;
	int reader;
	FILE *f = terminal(&reader, 20);

	ki_progress_init(&p, f, false, 6, NULL);
	ki_progress_case(&p, "seq=128 with a label that is much longer than that");
	arrived(text, reader);
	cr_assert_eq(text[0], '\r');
	end = strstr(text, "\033[K");
	cr_assert_not_null(end);
	cr_assert_eq(end - (text + 1), 19);
	ki_progress_fini(&p);
	fclose(f);
	close(reader);
}

Test(progress, steps_that_come_at_once_are_drawn_once)
{
	struct ki_progress p;
	char text[4096];
	int reader, i;
	FILE *f = terminal(&reader, 80);

	ki_progress_init(&p, f, false, 1, NULL);
	ki_progress_case(&p, "seq=128");
	for (i = 0; i < 100; i++)
		ki_progress_step(&p, i / 100.0, "timing");
	cr_assert_null(strstr(arrived(text, reader), "timing"));
	ki_progress_fini(&p);
	fclose(f);
	close(reader);
}

Test(progress, the_time_left_follows_the_weights_of_the_cases)
{
	const double weights[] = {1, 9};
	struct ki_progress p;
	char text[4096];
	double left;
	int reader;
	FILE *f = terminal(&reader, 80);

	ki_progress_init(&p, f, false, 2, weights);
	/* As if the first case had taken ten seconds: nine times as long is to come. */
	p.started_ns -= 10000000000u;
	ki_progress_case_done(&p, NULL);
	ki_progress_case(&p, "second");
	arrived(text, reader);
	cr_assert_not_null(strstr(text, "about "), "%s", text);
	cr_assert_eq(sscanf(strstr(text, "about "), "about %lf s left", &left), 1);
	cr_assert(left >= 90 && left <= 92, "%g", left);
	ki_progress_fini(&p);
	fclose(f);
	close(reader);
}
