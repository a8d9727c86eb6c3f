#include <config.h>

#include "replay/say.h"

#include <inttypes.h>
#include <stdio.h>

void say_source(const struct source *s, const struct plan *p, const char *cut, bool quiet)
{
	if (cut)
		warn("%s; going on with what is there", cut);
	if (s->foreign && !quiet)
		warn("left out %zu records that are no chat or completions request", s->foreign);
	if (s->estimated && !quiet)
		warn("the engine did not count %zu of the prompts: their lengths are estimates", s->estimated);
	if (s->redacted && !quiet)
		warn("%zu bodies were redacted when they were recorded, and are sent so", s->redacted);
	if (s->warmups && !quiet)
		warn("left out %zu warm-up requests of the recorded run", s->warmups);
	if (p->wrapped && !quiet)
		warn("the trace has %zu requests: it is sent again from its beginning (synthetic "
		     "prompts get other words each time)", s->n);
}

int say_plan(const struct plan *p, struct err *e)
{
	struct buf line;
	bool bad = false;

	buf_init(&line, 1 << 20);
	for (size_t i = 0; i < p->n && !bad; i++) {
		if (p->e[i].elsewhere)
			continue;
		buf_clear(&line);
		bad = plan_line(p, i, &line) < 0 || fwrite(line.p, 1, line.n, stdout) != line.n;
	}
	buf_release(&line);
	if (!bad)
		bad = printf("{\"plan_digest\":\"%s\",\"source_digest\":\"%s\",\"requests\":%zu",
			     p->digest, p->source->digest, p->n) < 0;
	if (!bad && p->opts.shard.count > 1)
		bad = printf(",\"shard\":\"%" PRId64 "/%" PRId64 "\",\"sent_here\":%" PRId64,
			     p->opts.shard.index, p->opts.shard.count, plan_mine(p)) < 0;
	if (!bad)
		bad = printf("}\n") < 0;
	if (fflush(stdout) == EOF || bad)
		return err_set(e, "stdout: cannot write the plan");
	return 0;
}

/* The time that the schedules of the open loops take, and their requests. */
static double scheduled_s(const struct plan *p, size_t *requests)
{
	double s = 0;

	*requests = 0;
	for (size_t i = 0; i < p->n_phases; i++) {
		const struct plan_phase *ph = &p->phases[i];

		if (ph->load.timing == TIMING_CLOSED || ph->n == 0)
			continue;
		*requests += ph->n;
		if (ph->load.duration_ns != NS_NONE)
			s += (double)ph->load.duration_ns / 1e9;
		else
			s += (double)p->e[ph->first + ph->n - 1].intended_ns / 1e9;
	}
	return s;
}

void say_plan_summary(const struct plan *p)
{
	size_t scheduled;
	double s = scheduled_s(p, &scheduled);
	char rate[64] = "";

	if (s > 0)
		snprintf(rate, sizeof(rate), " (%.6g requests/s)", (double)scheduled / s);
	if (scheduled)
		warn("%zu requests in %zu phases; %zu of them at set times, within %.3f s%s", p->n,
		     p->n_phases, scheduled, s, rate);
	else
		warn("%zu requests in %zu phases, each as soon as a slot is free", p->n, p->n_phases);
}

/* "600 requests", or of how many planned ones they are where time ran out. */
static void say_how_many(const struct tally *t, char *out, size_t size)
{
	if (t->done < t->planned)
		snprintf(out, size, "%" PRId64 " requests (%" PRId64 " were planned)", t->done, t->planned);
	else
		snprintf(out, size, "%" PRId64 " requests", t->done);
}

int say_result(enum drive_result r, const struct tally *t, const struct health *h,
	       const struct target *target, int64_t took_ns, const struct options *o, const struct err *e)
{
	const char *kind = t->n_kinds ? t->kinds[0].kind : "none";
	const char *why = t->n_kinds ? t->kinds[0].text : "";
	double s = (double)took_ns / 1e9;
	char failures[512], requests[96], limit[160];

	say_how_many(t, requests, sizeof(requests));
	tally_failures(t, failures, sizeof(failures));
	health_reason(h, limit, sizeof(limit));
	if (r == DRIVE_FAILED)
		err_print(e);
	else if (r == DRIVE_NO_ENGINE)
		warn("no engine at %s: %s; is it running there?", target->shown,
		     *why ? why : "connection refused");
	else if (r == DRIVE_INTERRUPTED)
		warn("interrupted: %" PRId64 " of %" PRId64 " requests had ended, %" PRId64
		     " of them ok; %s holds what was captured", t->done, t->planned, t->ok,
		     o->output);
	else if (t->planned == 0)
		warn("no request of the plan is in this part: there are fewer slots than parts");
	else if (t->ok == 0)
		warn("none of %s was ok (%s); the first failure: %s%s%s", requests, failures,
		     kind, *why ? ": " : "", why);
	else if (!o->quiet)
		warn("%" PRId64 " of %s ok%s%s; %" PRId64 " output tokens in "
		     "%.1f s, %.1f tok/s; %s%s%s", t->ok, requests, *failures ? "; failed: " : "",
		     failures, t->output_tokens, s, s > 0 ? (double)t->output_tokens / s : 0,
		     o->output, *limit ? "; client-limited: " : "", limit);
	if (t->ran_out && o->load.counts.n == 0 && !o->quiet)
		warn("the planned requests were all sent before the duration was over; plan more of "
		     "them with -n");
	return r == DRIVE_COMPLETE && (t->ok > 0 || t->planned == 0) ? EXIT_OK : EXIT_FAILED;
}
