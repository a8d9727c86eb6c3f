/* request: recorded bodies byte for byte, options on top of them, synthetic bodies. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "replay/request.h"
#include "replay/tokens.h"

static const char odd_body[] =
	"{ \"messages\" : [{\"role\":\"user\",\"content\":\"h\\u00e9 \\/ 1\"}],\n"
	"  \"temperature\":0.70,\"model\":\"a\", \"max_tokens\":5 }";

static struct request_opts no_options(void)
{
	return (struct request_opts){ .max_tokens = COUNT_NONE };
}

static struct rec_request recorded(const char *body)
{
	struct record r;

	record_init(&r, REC_REQUEST);
	r.u.request.id = 7;
	r.u.request.endpoint = str_of("/v1/chat/completions");
	r.u.request.body = str_of(body);
	return r.u.request;
}

/* Builds the body as a NUL-terminated string that lasts until the next call. */
static const char *build(const struct request_opts *o, const struct request_ask *ask,
			 struct request_facts *f)
{
	static char text[1 << 16];
	struct prompt *p = prompt_create();
	struct buf out;
	struct err e;

	buf_init(&out, sizeof(text));
	assert_int_equal(request_build(o, p, ask, &out, f, &e), 0);
	assert_true(out.n < sizeof(text));
	memcpy(text, out.p, out.n);
	text[out.n] = '\0';
	buf_release(&out);
	prompt_free(p);
	return text;
}

static void a_recorded_body_stays_as_it_is(void **state)
{
	struct request_opts o = no_options();
	struct rec_request q = recorded(odd_body);
	struct request_ask ask = { .req = &q, .output_tokens = 9 };
	struct request_facts f;

	(void)state;
	assert_string_equal(build(&o, &ask, &f), odd_body);
	assert_string_equal(f.model, "a");
	assert_int_equal(f.max_tokens, 5);
	assert_int_equal(f.output_tokens, 5);
	assert_int_equal(f.choices, 1);
	assert_false(f.stream);
	request_facts_release(&f);

	/* Options that say what it says already change nothing. */
	o.model = "a";
	o.max_tokens = 5;
	assert_string_equal(build(&o, &ask, NULL), odd_body);
}

static void even_a_body_that_is_no_json(void **state)
{
	struct request_opts o = no_options();
	struct rec_request q = recorded("not json");
	struct request_ask ask = { .req = &q, .output_tokens = COUNT_NONE };
	struct prompt *p = prompt_create();
	struct buf out;
	struct err e;

	(void)state;
	assert_string_equal(build(&o, &ask, NULL), "not json");
	o.model = "b";
	buf_init(&out, 1000);
	assert_int_equal(request_build(&o, p, &ask, &out, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "request 7"));
	buf_release(&out);
	prompt_free(p);
}

static void options_change_only_their_keys_in_place(void **state)
{
	struct request_opts o = no_options();
	struct rec_request q = recorded("{\"z\":1,\"model\":\"a\",\"max_completion_tokens\":5,\"b\":[1.5]}");
	struct request_ask ask = { .req = &q, .output_tokens = 3 };
	struct request_facts f;

	(void)state;
	o.model = "m2";
	o.max_tokens = 8;
	o.ignore_eos = true;
	o.stream = true;
	o.extra = json_loads("{\"top_p\":0.5,\"z\":2}", 0, NULL);
	assert_string_equal(build(&o, &ask, &f),
		"{\"z\":2,\"model\":\"m2\",\"max_completion_tokens\":8,\"b\":[1.5],\"ignore_eos\":true,"
		"\"stream\":true,\"stream_options\":{\"include_usage\":true},\"top_p\":0.5}");
	assert_true(f.stream);
	assert_int_equal(f.output_tokens, 8); /* forced */
	request_facts_release(&f);
	json_decref(o.extra);
}

static void a_synthetic_chat_body(void **state)
{
	struct request_opts o = no_options();
	struct rec_request q = recorded(NULL);
	struct request_ask ask = { .req = &q, .synthetic = true, .input_tokens = 1,
				   .output_tokens = 0 };
	struct request_facts f;
	const char *text;
	char want[512];
	json_t *j;

	(void)state;
	o.model_default = "m";
	o.seed = 3;
	text = build(&o, &ask, &f);
	j = json_loads(text, 0, NULL);
	snprintf(want, sizeof(want), "{\"model\":\"m\",\"messages\":[{\"role\":\"user\","
		 "\"content\":\"%s\"}],\"max_tokens\":1,\"stream\":true,\"stream_options\":"
		 "{\"include_usage\":true},\"temperature\":0,\"seed\":3}",
		 json_string_value(json_object_get(json_array_get(json_object_get(j, "messages"), 0),
						   "content")));
	assert_string_equal(text, want);
	assert_int_equal(f.output_tokens, 1);
	assert_int_equal(f.api, API_CHAT);
	request_facts_release(&f);
	json_decref(j);
}

static void a_synthetic_completions_body_of_the_asked_length(void **state)
{
	struct request_opts o = no_options();
	struct rec_request q = recorded(NULL);
	struct request_ask ask = { .req = &q, .synthetic = true, .input_tokens = 777,
				   .output_tokens = COUNT_NONE };
	struct request_facts f;
	json_t *j;

	(void)state;
	o.endpoint = API_COMPLETIONS;
	o.ignore_eos = true;
	assert_true(str_is(request_endpoint(&o, &ask), "/v1/completions"));
	j = json_loads(build(&o, &ask, &f), 0, NULL);
	assert_int_equal(tokens_count(str_of(json_string_value(json_object_get(j, "prompt")))), 777);
	assert_null(json_object_get(j, "max_tokens"));
	assert_null(json_object_get(j, "model"));
	assert_true(json_is_true(json_object_get(j, "ignore_eos")));
	assert_int_equal(f.max_tokens, COUNT_NONE);
	assert_int_equal(f.api, API_COMPLETIONS);
	request_facts_release(&f);
	json_decref(j);
}

/* Each protocol's own words for a prompt and a limit. */
static void synthetic_in_every_protocol(void **state)
{
	static const struct { const char *endpoint, *want; } cases[] = {
		{ "/v1/messages", "{\"messages\":[{\"role\":\"user\",\"content\":\"" },
		{ "/v1/responses", "{\"input\":\"" },
		{ "/api/chat", "{\"messages\":[{\"role\":\"user\",\"content\":\"" },
		{ "/api/generate", "{\"prompt\":\"" },
	};
	static const char *const limits[] = {
		"\"max_tokens\":9,\"stream\":true,\"temperature\":0}", "\"max_output_tokens\":9,\"stream\":true,\"temperature\":0}",
		"\"options\":{\"num_predict\":9,\"temperature\":0,\"seed\":0},\"stream\":true}",
		"\"options\":{\"num_predict\":9,\"temperature\":0,\"seed\":0},\"stream\":true}",
	};
	struct request_opts o = no_options();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rec_request q = recorded("");
		struct request_ask ask = { .req = &q, .synthetic = true, .input_tokens = 5, .output_tokens = 9 };
		struct request_facts f;
		const char *got;

		q.endpoint = str_of(cases[i].endpoint);
		got = build(&o, &ask, &f);
		assert_memory_equal(got, cases[i].want, strlen(cases[i].want));
		assert_non_null(strstr(got, limits[i]));
		assert_int_equal(f.max_tokens, 9);
		assert_true(f.stream);
		request_facts_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synthetic_in_every_protocol),
		cmocka_unit_test(a_recorded_body_stays_as_it_is),
		cmocka_unit_test(even_a_body_that_is_no_json),
		cmocka_unit_test(options_change_only_their_keys_in_place),
		cmocka_unit_test(a_synthetic_chat_body),
		cmocka_unit_test(a_synthetic_completions_body_of_the_asked_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
