/* From the options of the load to its shape: a load for each level. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/unit.h"
#include "replay/options_load.h"
#include "replay/stages.h"

enum { WORD_MAX = 64 };
/* In the order of the choices of --arrival-pattern. */
static const enum timing patterns[] = { TIMING_CONSTANT, TIMING_POISSON, TIMING_GAMMA };

static double parse_rate(const char *word)
{
	double hz;

	if (strcmp(word, "inf") == 0)
		return HUGE_VAL;
	if (unit_parse_double(word, &hz) < 0 || hz == 0 || !ramp_is_rate(hz))
		opt_usage("--request-rate: '%s' is neither 'inf' nor a number from 1e-6 to 1000000",
			  word);
	return hz;
}

/* "1,2,4" -> an array that the caller frees; how many. */
static size_t parse_rates(const char *text, double **out)
{
	double *v = NULL;
	size_t n = 0;

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		char word[WORD_MAX];
		double *more = realloc(v, (n + 1) * sizeof(*v));

		if (!more)
			die(EXIT_FAILED, "out of memory");
		v = more;
		snprintf(word, sizeof(word), "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX), p);
		v[n++] = parse_rate(word);
		p += len;
		if (!*p)
			break;
	}
	*out = v;
	return n;
}

/* How arrivals at a rate are spaced. */
static void set_pattern(const struct options_load *o, enum timing *timing, double *burstiness)
{
	*burstiness = 1;
	if (o->burstiness && strcmp(o->burstiness, "inf") == 0)
		*burstiness = HUGE_VAL;
	else if (o->burstiness && (unit_parse_double(o->burstiness, burstiness) < 0 ||
				   *burstiness < 0.001 || *burstiness > 1e6))
		opt_usage("--burstiness: '%s' is neither 'inf' nor a number from 0.001 to 1000000",
			  o->burstiness);
	*timing = *burstiness == HUGE_VAL ? TIMING_CONSTANT :
		*burstiness != 1 ? TIMING_GAMMA : TIMING_POISSON;
	if (o->pattern == OPTION_UNSAID)
		return;
	if (patterns[o->pattern] == TIMING_GAMMA && !o->burstiness)
		opt_usage("--arrival-pattern gamma needs --burstiness");
	if (patterns[o->pattern] != TIMING_GAMMA && o->burstiness && patterns[o->pattern] != *timing)
		opt_usage("--burstiness is for --arrival-pattern gamma");
	if (*timing == TIMING_POISSON || *burstiness == HUGE_VAL)
		*timing = patterns[o->pattern] == TIMING_GAMMA ? *timing : patterns[o->pattern];
}

static struct load at_rate(const struct options_load *o, double hz)
{
	struct load l = load_closed(COUNT_NONE);

	set_pattern(o, &l.timing, &l.burstiness);
	l.rate = ramp_flat(hz);
	if (hz == HUGE_VAL) {
		l.timing = TIMING_BURST;
		l.rate = ramp_flat(0);
	}
	return l;
}

/* Several levels can be several rates, several caps, or both in step. */
static void shape_rates(struct options_load *o)
{
	double *rates;
	size_t n_rates = parse_rates(o->rates, &rates);
	size_t n_caps = o->levels.n, n = n_rates > n_caps ? n_rates : n_caps;

	if (o->timing != OPTION_UNSAID)
		opt_usage("--request-rate is a timing of its own: without --timing");
	if (n_caps > 1 && n_rates > 1 && n_caps != n_rates)
		opt_usage("--request-rate and --max-concurrency: give one number of one of them, "
			  "or as many of both");
	o->loads = calloc(n, sizeof(*o->loads));
	if (!o->loads)
		die(EXIT_FAILED, "out of memory");
	o->n_loads = n;
	for (size_t i = 0; i < n; i++)
		o->loads[i] = at_rate(o, rates[n_rates == 1 ? 0 : i]);
	free(rates);
}

static void shape_ramp(struct options_load *o)
{
	struct ramp r = { (enum ramp_shape)o->ramp_shape, o->ramp_start_hz, o->ramp_end_hz, 0 };

	if (isnan(r.from) || isnan(r.to))
		opt_usage("--ramp-up-strategy needs --ramp-up-start-rps and --ramp-up-end-rps");
	if (o->rates || o->timing != OPTION_UNSAID)
		opt_usage("--ramp-up-strategy says the rates: without --request-rate and --timing");
	if (!ramp_is_rate(r.from) || !ramp_is_rate(r.to) || (r.from == 0 && r.to == 0))
		opt_usage("--ramp-up-start-rps, --ramp-up-end-rps: must be 0, or 1e-6 to 1000000, and "
			  "not both 0");
	if (r.shape == RAMP_EXPONENTIAL && (r.from == 0 || r.to == 0))
		opt_usage("--ramp-up-strategy exponential neither begins nor ends at 0");
	if (o->duration_ns == NS_NONE && o->counts.n != 1)
		opt_usage("--ramp-up-strategy needs --duration or one number of -n: over what?");
	if (o->levels.n > 1)
		opt_usage("--ramp-up-strategy is one level: at most one number of --max-concurrency");
	r.over_ns = o->duration_ns != NS_NONE ? o->duration_ns :
		ramp_over_ns(r.shape, r.from, r.to, (double)o->counts.v[0]);
	o->loads = calloc(1, sizeof(*o->loads));
	if (!o->loads)
		die(EXIT_FAILED, "out of memory");
	o->n_loads = 1;
	o->loads[0] = at_rate(o, 1);
	o->loads[0].rate = r.from == r.to ? ramp_flat(r.to) : r;
}

static void shape_stages(struct options_load *o)
{
	struct stage_opts so = { .concurrency = o->levels.n ? o->levels.v[0] : COUNT_NONE };
	struct err e;

	if (o->rates || o->timing != OPTION_UNSAID || o->duration_ns != NS_NONE ||
	    o->levels.n > 1 || o->cap_ramp_ns != NS_NONE)
		opt_usage("--stages says the load: without --request-rate, --timing, --duration, "
			  "--concurrency-ramp-duration and several levels");
	set_pattern(o, &so.timing, &so.burstiness);
	if (stages_load(o->stages, &so, &o->loads, &o->n_loads, &e) < 0)
		opt_usage("--stages: %s", e.msg);
}

static void shape_levels(struct options_load *o)
{
	size_t n = o->levels.n ? o->levels.n : 1;

	o->loads = calloc(n, sizeof(*o->loads));
	if (!o->loads)
		die(EXIT_FAILED, "out of memory");
	o->n_loads = n;
	for (size_t i = 0; i < n; i++) {
		o->loads[i] = load_closed(o->timing == TIMING_RECORDED ? COUNT_NONE : 1);
		if (o->timing == TIMING_RECORDED)
			o->loads[i].timing = TIMING_RECORDED;
	}
}

static void set_caps(struct options_load *o)
{
	for (size_t i = 0; i < o->n_loads; i++) {
		struct load *l = &o->loads[i];

		l->duration_ns = o->duration_ns;
		if (o->levels.n) {
			l->concurrency = o->levels.v[o->levels.n == 1 ? 0 : i];
			l->cap = ramp_flat((double)l->concurrency);
		}
		if (o->cap_ramp_ns == NS_NONE || o->cap_ramp_ns == 0)
			continue;
		if (l->concurrency == COUNT_NONE)
			opt_usage("--concurrency-ramp-duration needs --max-concurrency");
		l->cap = (struct ramp){ RAMP_LINEAR, 1, (double)l->concurrency, o->cap_ramp_ns };
	}
}

void options_load_shape(struct options_load *o)
{
	bool rate = o->rates || o->ramp_shape != OPTION_UNSAID;

	if ((o->burstiness || o->pattern != OPTION_UNSAID) && !rate && !o->stages)
		opt_usage("--burstiness and --arrival-pattern need --request-rate");
	if (o->ramp_shape == OPTION_UNSAID && (!isnan(o->ramp_start_hz) || !isnan(o->ramp_end_hz)))
		opt_usage("--ramp-up-start-rps and --ramp-up-end-rps need --ramp-up-strategy");
	if (o->lanes && (rate || o->timing == TIMING_RECORDED))
		opt_usage("--lanes is for a closed loop");
	if (o->stages) {
		shape_stages(o);
		return;
	}
	if (o->ramp_shape != OPTION_UNSAID)
		shape_ramp(o);
	else if (o->rates)
		shape_rates(o);
	else
		shape_levels(o);
	set_caps(o);
}
