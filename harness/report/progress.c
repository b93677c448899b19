/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "report/progress.h"

#define PROGRESS_REDRAW_NS 100000000u
#define PROGRESS_WIDTH 80
/* Before this share of the work is done, the time left would be a guess from nothing. */
#define PROGRESS_SHARE_FOR_TIME 0.02

static bool progress_is_terminal(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term != NULL && strcmp(term, "dumb") != 0;
}

void ki_progress_init(struct ki_progress *p, FILE *out, bool quiet, size_t n_cases,
		      const double *weights)
{
	size_t i;

	*p = (struct ki_progress){.out = out, .quiet = quiet, .n_cases = n_cases};
	p->terminal = !quiet && progress_is_terminal(out);
	p->started_ns = ki_clock_deadline_ns();
	/* Without memory all cases count alike: a poorer guess is no reason to stop. */
	p->weights = weights != NULL ? calloc(n_cases > 0 ? n_cases : 1, sizeof *p->weights) : NULL;
	if (p->weights != NULL)
		memcpy(p->weights, weights, n_cases * sizeof *weights);
	for (i = 0; i < n_cases; i++)
		p->weight_total += p->weights != NULL ? p->weights[i] : 1;
}

void ki_progress_fini(struct ki_progress *p)
{
	if (p->out != NULL)
		ki_progress_clear(p);
	free(p->weights);
	*p = (struct ki_progress){0};
}

static double progress_weight(const struct ki_progress *p)
{
	if (p->finished >= p->n_cases)
		return 0;
	return p->weights != NULL ? p->weights[p->finished] : 1;
}

/* ", about 12 s left", or nothing while nothing is known. */
static void progress_left(char *out, size_t size, const struct ki_progress *p, double done)
{
	double share, elapsed = (double)(ki_clock_deadline_ns() - p->started_ns);
	double left;

	out[0] = '\0';
	if (p->weight_total <= 0)
		return;
	share = (p->weight_done + progress_weight(p) * done) / p->weight_total;
	if (share < PROGRESS_SHARE_FOR_TIME || share > 1)
		return;
	/* Whole seconds or minutes: the guess is no better. */
	left = elapsed * 1e-9 * (1 - share) / share;
	if (left < 119)
		snprintf(out, size, ", about %.0f s left", left + 0.5);
	else
		snprintf(out, size, ", about %.0f min left", left / 60 + 0.5);
}

static int progress_columns(const struct ki_progress *p)
{
	struct winsize w;

	if (ioctl(fileno(p->out), TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	return PROGRESS_WIDTH;
}

void ki_progress_case(struct ki_progress *p, const char *label)
{
	snprintf(p->case_label, sizeof p->case_label, "%s", label);
	p->last_draw_ns = 0;
	ki_progress_step(p, 0, "starting");
}

void ki_progress_step(struct ki_progress *p, double done, const char *what)
{
	uint64_t now = ki_clock_deadline_ns();
	char left[64], line[512];

	if (!p->terminal || (p->last_draw_ns != 0 && now - p->last_draw_ns < PROGRESS_REDRAW_NS))
		return;
	p->last_draw_ns = now;
	progress_left(left, sizeof left, p, done);
	snprintf(line, sizeof line, "[%zu/%zu] %s: %s%s", p->finished + 1, p->n_cases,
		 p->case_label, what, left);
	/* A line that wraps could not be taken back. */
	fprintf(p->out, "\r%.*s\033[K", progress_columns(p) - 1, line);
	fflush(p->out);
}

void ki_progress_case_done(struct ki_progress *p, const char *text)
{
	p->weight_done += progress_weight(p);
	p->finished++;
	if (p->terminal || p->quiet || text == NULL)
		return;
	fprintf(p->out, "[%zu/%zu] %s\n", p->finished, p->n_cases, text);
	fflush(p->out);
}

void ki_progress_clear(struct ki_progress *p)
{
	if (!p->terminal || p->last_draw_ns == 0)
		return;
	p->last_draw_ns = 0;
	fputs("\r\033[K", p->out);
	fflush(p->out);
}
