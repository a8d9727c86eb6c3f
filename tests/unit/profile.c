/* profile: the file's syntax, and mistakes named by line, key and remedy. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "replay/engine.h"
#include "replay/profile.h"

#define HEAD "toktrace_profile = 1\n"

static void says(const char *text, const char *message)
{
	struct profile p;
	struct err e = { "" };

	assert_int_equal(profile_parse(str_of(text), &p, &e), -1);
	assert_string_equal(e.msg, message);
}

static void keys_comments_and_defaults(void **state)
{
	struct profile p;
	struct err e;

	(void)state;
	assert_int_equal(profile_parse(str_of("# c\n" HEAD "model = a b # x\r\n\n"
					      "\tmax_num_seqs=4\nstep_base_us = 6.5"),
				       &p, &e), 0);
	assert_string_equal(p.model, "a b");
	assert_int_equal(p.max_num_seqs, 4);
	assert_true(p.step_base_us > 6.499 && p.step_base_us < 6.501);
	assert_int_equal(p.output_tokens, 256);
}

static void mistakes_name_their_place(void **state)
{
	(void)state;
	says("", "no 'toktrace_profile = 1' in it; is it a profile?");
	says("model = x\n", "line 1: 'model' comes before the version; begin with 'toktrace_profile = 1'");
	says("toktrace_profile = 2\n", "line 1: toktrace_profile: 2 is out of range; give 1 to 1");
	says(HEAD "max_num_seq = 4\n", "line 2: unknown key 'max_num_seq'; did you mean 'max_num_seqs'?");
	says(HEAD "zzz = 4\n", "line 2: unknown key 'zzz'; tokserve(1) lists the keys");
	says(HEAD "\njitter\n", "line 3: no '='; a line is 'key = value' or a comment after '#'");
	says(HEAD "jitter =\n", "line 2: jitter: no value; write 'jitter = VALUE'");
	says(HEAD "jitter = x\n", "line 2: jitter: 'x' is not a number; give a plain one like '128' or '6.5'");
	says(HEAD "jitter = nan\n", "line 2: jitter: 'nan' is not a number; give a plain one like '128' or '6.5'");
	says(HEAD "jitter = 1\n", "line 2: jitter: 1 is out of range; give 0 to 0.98999999999999999");
	says(HEAD "output_tokens = 0\n", "line 2: output_tokens: 0 is out of range; give 1 to 9007199254740992");
	says(HEAD "output_tokens = 1.5\n", "line 2: output_tokens: '1.5' is not whole; give a whole number");
	says(HEAD "jitter = 0\njitter = 0\n", "line 3: 'jitter' is given twice; keep one");
	says(HEAD "model = \001\n", "line 2: byte 0x01; a profile is plain text");
}

static void impossible_engines_are_refused(void **state)
{
	(void)state;
	says(HEAD "kv_tokens = 100\nmax_model_len = 200\n",
	     "kv_tokens (100) is less than max_model_len (200): the longest request would never "
	     "run; raise kv_tokens or lower max_model_len");
	says(HEAD "max_batched_tokens = 2\nmax_num_seqs = 3\n",
	     "max_batched_tokens (2) is less than max_num_seqs (3): a step could not hold a token "
	     "of each; raise it");
	says(HEAD "step_base_us = 0\nstep_sequence_us = 0\n",
	     "step_base_us and step_sequence_us are both 0: steps would take no time; give one of them");
}

static void a_missing_file_is_named(void **state)
{
	struct profile p;
	struct err e;

	(void)state;
	assert_int_equal(profile_load("no/such.profile", &p, &e), -1);
	assert_string_equal(e.msg, "no/such.profile: No such file or directory; name a profile "
				   "file, see tokserve(1)");
}

static void the_shipped_profile_loads(void **state)
{
	struct profile p;
	struct err e = { "" };
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/replay/profiles/h200-9b-bf16.profile",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	assert_int_equal(profile_load(path, &p, &e), 0);
	assert_int_equal(p.max_model_len, 262144);
	/* What ran fits, what was over capacity does not. */
	assert_true(p.kv_tokens >= 128 * (16384 + 4096));
	assert_true(p.kv_tokens < 16 * (251 * 1024 + 4096));
	assert_true(p.kv_tokens < 128 * (32768 + 4096) && p.kv_tokens < 64 * (65536 + 4096));
}

static void count(void *arg, const struct engine_event *ev)
{
	(void)arg;
	++*(int64_t *)ev->user;
}

/* Published decode tok/s of one cell, all requests in steady decode for 10 s. */
static void cell(const struct profile *p, int64_t context, int n, double published)
{
	struct engine *e = engine_create(p, 3);
	struct engine_stats st0, st1;
	int64_t tokens[128] = { 0 }, decoding_ns;
	double rate;

	for (int i = 0; i < n; i++)
		assert_non_null(engine_submit(e, 0, &(struct engine_request){
			.prompt_tokens = context, .output_tokens = 4096, .user = &tokens[i] }));
	do { /* until the last of them decodes */
		decoding_ns = engine_next_ns(e);
		engine_advance(e, decoding_ns, count, NULL);
	} while (tokens[n - 1] == 0);
	engine_stats(e, &st0);
	assert_int_equal(st0.running, n);
	engine_advance(e, decoding_ns + 10 * NS_PER_S, count, NULL);
	engine_stats(e, &st1);
	rate = (double)(st1.generation_tokens - st0.generation_tokens) / 10;
	print_message("# %lldK x %d: %.1f tok/s, published %.1f\n", (long long)context / 1024, n,
		      rate, published);
	assert_true(fabs(rate / published - 1) < 0.1);
	engine_free(e);
}

static void the_shipped_profile_meets_its_figures(void **state)
{
	struct profile p;
	struct err err = { "" };
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/replay/profiles/h200-9b-bf16.profile",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	assert_int_equal(profile_load(path, &p, &err), 0);
	cell(&p, 8192, 1, 162.0);
	cell(&p, 32768, 1, 156.7);
	cell(&p, 65536, 2, 276.5);
	cell(&p, 65536, 4, 495.0);
	cell(&p, 16384, 128, 4790.4);
	cell(&p, 32768, 64, 2755.9);
	cell(&p, 131072, 16, 763.7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_comments_and_defaults),
		cmocka_unit_test(mistakes_name_their_place),
		cmocka_unit_test(impossible_engines_are_refused),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(the_shipped_profile_loads),
		cmocka_unit_test(the_shipped_profile_meets_its_figures),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
