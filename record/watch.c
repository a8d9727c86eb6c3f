#include <config.h>

#include "record/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 24 };

/* Seconds that the window really covers: less than a minute at first, never none. */
static double covered_s(const struct watch_view *v, int span_s)
{
	int64_t up = v->now_ns / NS_PER_S;

	return up < 1 ? 1 : up < span_s ? (double)up : span_s;
}

static double rate_hz(const struct watch_view *v, const struct stats_minute *m, int span_s)
{
	return (double)stats_minute_sum(m, v->now_ns, span_s) / covered_s(v, span_s);
}

static void text_of_bytes(int64_t n, char out[CELL])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double x = (double)n;
	int u = 0;

	while (x >= 1024 && u < 4) {
		x /= 1024;
		u++;
	}
	snprintf(out, CELL, u ? "%.1f %s" : "%.0f %s", x, units[u]);
}

static void text_of_time(double s, char out[CELL])
{
	if (isnan(s))
		snprintf(out, CELL, "-");
	else if (s < 10)
		snprintf(out, CELL, "%.0f ms", 1000 * s);
	else
		snprintf(out, CELL, "%.1f s", s);
}

static void text_of_uptime(int64_t ns, char out[CELL])
{
	int64_t s = ns / NS_PER_S;

	snprintf(out, CELL, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
}

/* The kinds of the last minute, as many as have room. */
static void add_errors(const struct watch_view *v, size_t room, struct buf *out)
{
	size_t begin = out->n, left = 0;

	for (size_t i = 0; i < v->stats->n_kinds; i++) {
		const struct stats_kind *k = &v->stats->kind[i];
		int64_t n = stats_minute_sum(&k->minute, v->now_ns, STATS_WINDOW_S);
		char cell[STATS_KIND_MAX + CELL];

		if (n == 0)
			continue;
		snprintf(cell, sizeof(cell), "%s %" PRId64, k->name, n);
		if (out->n - begin + strlen(cell) + 10 > room)
			left++;
		else
			buf_printf(out, "%s%s", out->n > begin ? ", " : "", cell);
	}
	if (left)
		buf_printf(out, ", %zu more", left);
	if (out->n == begin)
		buf_adds(out, "none");
}

/* Cut to the width; what is outside is of no use on a terminal. */
static void end_line(struct buf *out, size_t begin)
{
	if (out->n - begin > WATCH_COLUMNS)
		out->n = begin + WATCH_COLUMNS;
	buf_adds(out, "\n");
}

/* The end of a path says more than its begin. */
static const char *tail(const char *s, size_t room)
{
	size_t n = strlen(s);

	return n > room ? s + (n - room) : s;
}

static void add_file(const struct watch_view *v, struct buf *out)
{
	size_t begin = out->n;
	char size[CELL];

	text_of_bytes(v->rec->file_bytes, size);
	buf_printf(out, "file       %s%s  %s", v->rec->failed ? "NOT RECORDING  " : "", tail(v->rec->file, 40), size);
	end_line(out, begin);
	begin = out->n;
	text_of_bytes(v->rec->queue_bytes, size);
	buf_printf(out, "queue      %s, oldest %.1f s   dropped %" PRId64, size,
		   (double)v->rec->lag_ns / (double)NS_PER_S, v->rec->dropped);
	end_line(out, begin);
}

void watch_screen(const struct watch_view *v, struct buf *out)
{
	struct stats_ttft t = stats_ttft(v->stats, v->now_ns);
	char up[CELL], p50[CELL], p95[CELL];
	size_t begin = out->n;

	text_of_uptime(v->now_ns, up);
	text_of_time(t.p50_s, p50);
	text_of_time(t.p95_s, p95);
	buf_printf(out, "tokrecord  %s -> %s  %s", v->listen, v->upstream, up);
	end_line(out, begin);
	begin = out->n;
	buf_printf(out, "exchanges  %" PRId64 " in flight   %.1f/s   %" PRId64 " recorded   %" PRId64 " passed",
		   v->stats->in_flight, rate_hz(v, &v->stats->begun, STATS_WINDOW_S), v->stats->recorded, v->stats->passed);
	end_line(out, begin);
	begin = out->n;
	buf_printf(out, "tokens     %.0f tok/s   %" PRId64 " in all",
		   rate_hz(v, &v->stats->tokens, STATS_RATE_S), v->stats->token_events);
	end_line(out, begin);
	begin = out->n;
	buf_printf(out, "TTFT       p50 %s   p95 %s   of %zu in the last minute", p50, p95, t.n);
	end_line(out, begin);
	begin = out->n;
	buf_adds(out, "errors     ");
	add_errors(v, WATCH_COLUMNS - 11, out);
	end_line(out, begin);
	add_file(v, out);
}

void watch_line(const struct watch_view *v, struct buf *out)
{
	struct stats_ttft t = stats_ttft(v->stats, v->now_ns);
	char up[CELL], p50[CELL], p95[CELL], size[CELL];

	text_of_uptime(v->now_ns, up);
	text_of_time(t.p50_s, p50);
	text_of_time(t.p95_s, p95);
	text_of_bytes(v->rec->file_bytes, size);
	buf_printf(out, "%s: %" PRId64 " in flight, %.1f req/s, %.0f tok/s, TTFT p50 %s p95 %s, errors: ", up,
		   v->stats->in_flight, rate_hz(v, &v->stats->begun, STATS_WINDOW_S),
		   rate_hz(v, &v->stats->tokens, STATS_RATE_S), p50, p95);
	add_errors(v, 200, out);
	buf_printf(out, "; %s%s, dropped %" PRId64 "\n", size, v->rec->failed ? ", NOT RECORDING" : "", v->rec->dropped);
}

void watch_redraw(const struct buf *screen, bool first, struct buf *out)
{
	const char *p = screen->p, *end = screen->p + screen->n;

	if (!first)
		buf_printf(out, "\x1b[%dA", WATCH_LINES);
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);

		buf_adds(out, "\x1b[2K");
		buf_add(out, p, n);
		p += n;
	}
}
