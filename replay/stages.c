#include <config.h>

#include "replay/stages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/unit.h"

enum { LINE_MOST = 200, WORDS_MOST = 4, FILE_MOST = 1 << 20, CONCURRENCY_MOST = 1000000 };

/* Splits in place; how many words there are, WORDS_MOST + 1 for too many. */
static size_t split(char *line, char *words[WORDS_MOST])
{
	size_t n = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok(line, " \t\r"); w; w = strtok(NULL, " \t\r")) {
		if (n == WORDS_MOST)
			return WORDS_MOST + 1;
		words[n++] = w;
	}
	return n;
}

/* "5" or "5..50". */
static int parse_range(char *word, double *from, double *to)
{
	char *dots = strstr(word, "..");

	if (dots)
		*dots = '\0';
	if (unit_parse_double(word, from) < 0 || unit_parse_double(dots ? dots + 2 : word, to) < 0)
		return -1;
	return 0;
}

static int parse_shape(const char *word, enum ramp_shape *shape, struct err *e)
{
	if (strcmp(word, "linear") == 0)
		*shape = RAMP_LINEAR;
	else if (strcmp(word, "exponential") == 0)
		*shape = RAMP_EXPONENTIAL;
	else
		return err_set(e, "'%s' is neither linear nor exponential", word);
	return 0;
}

static int check_rate(const struct ramp *r, struct err *e)
{
	if (!ramp_is_rate(r->from) || !ramp_is_rate(r->to) || (r->from == 0 && r->to == 0))
		return err_set(e, "a rate is at least 1e-6 and at most 1000000 (for none, say 'pause')");
	if (r->shape == RAMP_EXPONENTIAL && (r->from == 0 || r->to == 0))
		return err_set(e, "an exponential ramp neither begins nor ends at 0");
	return 0;
}

static int check_concurrency(const struct ramp *r, struct err *e)
{
	if (r->from < 1 || r->to < 1 || r->from > CONCURRENCY_MOST || r->to > CONCURRENCY_MOST ||
	    floor(r->from) != r->from || floor(r->to) != r->to)
		return err_set(e, "concurrency is a whole number from 1 to %d", CONCURRENCY_MOST);
	return 0;
}

static int set_rate(struct load *l, const struct ramp *r, const struct stage_opts *o, struct err *e)
{
	*l = load_closed(o->concurrency);
	l->timing = o->timing;
	l->burstiness = o->burstiness;
	l->rate = *r;
	return check_rate(r, e);
}

static int set_concurrency(struct load *l, const struct ramp *r, struct err *e)
{
	if (check_concurrency(r, e) < 0)
		return -1;
	*l = load_closed((int64_t)(r->from > r->to ? r->from : r->to));
	l->cap = *r;
	return 0;
}

static int parse_kind(char *const *words, size_t n, int64_t over_ns, const struct stage_opts *o,
		      struct load *l, struct err *e)
{
	struct ramp r = { RAMP_LINEAR, 0, 0, over_ns };

	if (n == 2 && strcmp(words[1], "pause") == 0) {
		*l = load_closed(COUNT_NONE);
		l->timing = TIMING_CONSTANT;
		return 0;
	}
	if (n < 3)
		return err_set(e, "a stage is like '30s rate 5', '30s concurrency 1..8' or '30s pause'");
	if (parse_range(words[2], &r.from, &r.to) < 0)
		return err_set(e, "'%s' is neither a number nor like '1..8'", words[2]);
	if (n == 4 && parse_shape(words[3], &r.shape, e) < 0)
		return -1;
	if (r.from == r.to)
		r = ramp_flat(r.to);
	if (strcmp(words[1], "rate") == 0)
		return set_rate(l, &r, o, e);
	if (strcmp(words[1], "concurrency") == 0)
		return set_concurrency(l, &r, e);
	return err_set(e, "'%s' is neither rate, concurrency nor pause", words[1]);
}

/* 1: a stage, 0: an empty line, -1. */
static int parse_line(char *line, const struct stage_opts *o, struct load *l, struct err *e)
{
	char *words[WORDS_MOST];
	size_t n = split(line, words);
	int64_t over_ns;

	if (n == 0)
		return 0;
	if (n > WORDS_MOST)
		return err_set(e, "too many words");
	if (unit_parse_ns(words[0], &over_ns) < 0 || over_ns == 0 || over_ns > LOAD_LONGEST_NS)
		return err_set(e, "'%s' is not a time like '30s'", words[0]);
	if (parse_kind(words, n, over_ns, o, l, e) < 0)
		return -1;
	l->duration_ns = over_ns;
	return 1;
}

static int add_stage(struct load **loads, size_t *n, const struct load *l, struct err *e)
{
	struct load *more;

	if (*n == STAGES_MAX)
		return err_set(e, "more than %d stages", STAGES_MAX);
	more = realloc(*loads, (*n + 1) * sizeof(*more));
	if (!more)
		return err_set(e, "out of memory");
	*loads = more;
	more[*n] = *l;
	more[*n].follows = *n > 0;
	++*n;
	return 0;
}

static int parse_all(const char *text, size_t n, const char *name, const struct stage_opts *o,
		     struct load **loads, size_t *n_loads, struct err *e)
{
	char line[LINE_MOST + 1];
	size_t number = 1;
	struct load l;

	for (size_t at = 0; at < n; number++) {
		const char *nl = memchr(text + at, '\n', n - at);
		size_t len = nl ? (size_t)(nl - text) - at : n - at;
		int rc;

		if (len > LINE_MOST || memchr(text + at, '\0', len)) {
			err_set(e, "no line of text, or longer than %d bytes", LINE_MOST);
			return err_wrap(e, "%s: line %zu", name, number);
		}
		memcpy(line, text + at, len);
		line[len] = '\0';
		at += len + 1;
		rc = parse_line(line, o, &l, e);
		if (rc < 0 || (rc == 1 && add_stage(loads, n_loads, &l, e) < 0))
			return err_wrap(e, "%s: line %zu", name, number);
	}
	return *n_loads ? 0 : err_set(e, "%s: no stage in it", name);
}

int stages_parse(const char *text, size_t n, const char *name, const struct stage_opts *o,
		 struct load **loads, size_t *n_loads, struct err *e)
{
	*loads = NULL;
	*n_loads = 0;
	if (parse_all(text, n, name, o, loads, n_loads, e) == 0)
		return 0;
	free(*loads);
	*loads = NULL;
	*n_loads = 0;
	return -1;
}

int stages_load(const char *path, const struct stage_opts *o, struct load **loads, size_t *n_loads,
		struct err *e)
{
	bool from_stdin = strcmp(path, "-") == 0;
	FILE *f = from_stdin ? stdin : fopen(path, "r");
	char *text;
	size_t n;
	int rc;

	if (!f)
		return err_set(e, "%s: %s", path, strerror(errno));
	text = malloc(FILE_MOST + 1);
	n = text ? fread(text, 1, FILE_MOST + 1, f) : 0;
	if (!text)
		rc = err_set(e, "out of memory");
	else if (ferror(f))
		rc = err_set(e, "%s: %s", path, strerror(errno));
	else if (n > FILE_MOST)
		rc = err_set(e, "%s: larger than %d bytes", path, FILE_MOST);
	else
		rc = stages_parse(text, n, path, o, loads, n_loads, e);
	free(text);
	if (!from_stdin)
		fclose(f);
	return rc;
}
