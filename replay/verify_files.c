#include <config.h>

#include "replay/verify_files.h"

#include <string.h>

#include "replay/verify_out.h"

enum { COMPARISONS_MAX = 2 };

struct proof {
	const struct options_verify *o;
	struct trace_data run, other;
	struct verify v[COMPARISONS_MAX];
	size_t n;
};

/* A cut trace is compared as far as it goes. */
static int load(const char *path, struct trace_data *d, struct err *e)
{
	int rc = trace_data_load(path, true, d, e);

	if (rc < 0)
		return -1;
	if (rc == 1)
		warn("%s; comparing what is there", e->msg);
	*e->msg = '\0';
	return 0;
}

/* Makes a comparison, and keeps it if it found anything to compare. */
static int add(struct proof *p, const struct trace_data *reference, enum verify_against against,
	       struct err *e)
{
	struct verify *v = &p->v[p->n];

	if (verify_run(&p->run, reference, against, v, e) < 0)
		return -1;
	if (v->all.pairs > 0)
		p->n++;
	else
		verify_release(v);
	return 0;
}

static bool is_source(const struct proof *p, const char *digest)
{
	return p->run.n_segments == 1 && str_is(p->run.segments[0].header.source_digest, digest);
}

static int compare_other(struct proof *p, struct err *e)
{
	char digest[DIGEST_HEX + 1];

	if (source_digest(p->o->with, digest, e) < 0 || load(p->o->with, &p->other, e) < 0)
		return -1;
	if (add(p, &p->other, is_source(p, digest) ? VERIFY_RECORDED : VERIFY_OTHER, e) < 0)
		return -1;
	if (p->n == 0)
		return err_set(e, "%s: no request of the run has an answer there to compare with",
			       p->o->with);
	return 0;
}

static int compare_own(struct proof *p, const struct source *source, struct err *e)
{
	if (source && add(p, &source->d, VERIFY_RECORDED, e) < 0)
		return -1;
	if (add(p, &p->run, VERIFY_LEVELS, e) < 0)
		return -1;
	if (p->n == 0)
		return err_set(e, "nothing to compare: no request of the run was recorded with an "
			       "answer, and no two have the same body; --verify-with OTHER.tok "
			       "compares with another run");
	return 0;
}

/* Strictly: all was compared, and all is identical. */
static bool all_identical(const struct proof *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].all.identical != p->v[i].all.pairs ||
		    (p->v[i].against != VERIFY_LEVELS && p->v[i].unpaired))
			return false;
	return true;
}

static int compare(struct proof *p, const struct source *source, struct err *e)
{
	return p->o->with ? compare_other(p, e) : compare_own(p, source, e);
}

int verify_files(const char *path, const struct source *source, const struct options_verify *o,
		 struct err *e)
{
	struct proof p = { .o = o };
	int code = EXIT_FAILED;

	if (load(path, &p.run, e) < 0)
		return EXIT_FAILED;
	if (compare(&p, source, e) == 0 &&
	    verify_print(p.v, p.n, (enum table_format)o->format, stdout, e) == 0)
		code = o->strict && !all_identical(&p) ? EXIT_FAILED : EXIT_OK;
	for (size_t i = 0; i < p.n; i++)
		verify_release(&p.v[i]);
	trace_data_release(&p.other);
	trace_data_release(&p.run);
	return code;
}
