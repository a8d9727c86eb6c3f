#include <config.h>

#include "replay/shard.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/rng.h"
#include "formats/base/unit.h"

enum { SHARDS_MAX = 1000000, NUMBER_MAX = 32 };

static int number(const char *text, size_t n, int64_t *out)
{
	char word[NUMBER_MAX];

	if (n == 0 || n >= sizeof(word) || strspn(text, "0123456789") < n)
		return -1;
	memcpy(word, text, n);
	word[n] = '\0';
	return unit_parse_count(word, out);
}

static int from_environment(const char *name, int64_t *out, struct err *e)
{
	const char *text = getenv(name);

	if (!text)
		return err_set(e, "%s is not set", name);
	if (number(text, strlen(text), out) < 0)
		return err_set(e, "%s is '%s', no number", name, text);
	return 0;
}

/* rest: what stands behind "auto": nothing, or "/n". */
static int parse_auto(const char *rest, struct shard *s, struct err *e)
{
	bool slurm = getenv("SLURM_PROCID") != NULL;

	if (!slurm && !getenv("JOB_COMPLETION_INDEX"))
		return err_set(e, "auto: neither SLURM_PROCID nor JOB_COMPLETION_INDEX is set");
	if (from_environment(slurm ? "SLURM_PROCID" : "JOB_COMPLETION_INDEX", &s->index, e) < 0)
		return -1;
	if (*rest == '/')
		return number(rest + 1, strlen(rest + 1), &s->count) < 0 ?
			err_set(e, "'auto%s' is not like 'auto/8'", rest) : 0;
	if (!slurm)
		return err_set(e, "auto: JOB_COMPLETION_INDEX says which part, but not of how many; "
			       "say 'auto/N'");
	return from_environment("SLURM_NTASKS", &s->count, e);
}

int shard_parse(const char *text, struct shard *s, struct err *e)
{
	const char *slash = strchr(text, '/');

	if (strncmp(text, "auto", 4) == 0 && (text[4] == '\0' || text[4] == '/')) {
		if (parse_auto(text + 4, s, e) < 0)
			return -1;
	} else if (!slash || number(text, (size_t)(slash - text), &s->index) < 0 ||
		   number(slash + 1, strlen(slash + 1), &s->count) < 0) {
		return err_set(e, "'%s' is neither like '0/4' nor 'auto'", text);
	}
	if (s->count < 1 || s->count > SHARDS_MAX)
		return err_set(e, "'%s': 1 to %d parts", text, SHARDS_MAX);
	if (s->index >= s->count)
		return err_set(e, "'%s': the parts are 0 to %d", text, (int)s->count - 1);
	return 0;
}

int64_t shard_share(const struct shard *s, int64_t whole)
{
	return whole / s->count + (s->index < whole % s->count);
}

bool shard_has_turn(const struct shard *s, int64_t k, int64_t concurrency)
{
	int64_t parts = s->count < concurrency ? s->count : concurrency;

	return k % parts == s->index;
}

bool shard_has_lot(const struct shard *s, uint64_t seed, uint64_t k)
{
	struct rng r;

	if (s->count == 1)
		return true;
	rng_init(&r, seed, "shard", k);
	return rng_below(&r, (uint64_t)s->count) == (uint64_t)s->index;
}
