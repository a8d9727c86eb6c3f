/*
 * Compares one line of JSON with what it should hold: expect FILE LINE WANT...
 *
 *     PATH=JSON          exactly that value
 *     PATH~JSON[@TOL]    numbers (or lists of numbers, of the same length) within TOL, 15 if not said
 *
 * PATH is members and indices joined by dots ("ttft_ms.p50", "tool_calls.0").  LINE 0: the
 * whole file is one document.  The variable SLACK, a number, widens every TOL so many times.
 * Prints each difference; exits 1 if there is one.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static json_t *load(const char *path, int line)
{
	FILE *f = fopen(path, "r");
	json_t *doc = NULL;
	char *text = NULL;
	size_t cap = 0;

	if (!f)
		return NULL;
	if (line == 0) {
		doc = json_loadf(f, 0, NULL);
	} else {
		while (line > 0 && getline(&text, &cap, f) > 0)
			line--;
		doc = line == 0 ? json_loads(text, 0, NULL) : NULL;
		free(text);
	}
	fclose(f);
	return doc;
}

static const json_t *find(const json_t *v, char *path)
{
	for (char *key = strtok(path, "."); v && key; key = strtok(NULL, "."))
		v = json_is_array(v) ? json_array_get(v, strtoul(key, NULL, 10))
			: json_object_get(v, key);
	return v;
}

static int near(const json_t *got, const json_t *want, double tolerance)
{
	if (json_is_array(want)) {
		size_t n = json_array_size(want);

		if (!json_is_array(got) || json_array_size(got) != n)
			return 0;
		for (size_t i = 0; i < n; i++)
			if (!near(json_array_get(got, i), json_array_get(want, i), tolerance))
				return 0;
		return 1;
	}
	return json_is_number(got) && fabs(json_number_value(got) - json_number_value(want)) <= tolerance;
}

static int check(const json_t *doc, const char *arg)
{
	char *path = strdup(arg), *value = path + strcspn(path, "=~"), *at;
	const char *slack = getenv("SLACK");
	char op = *value;
	double tolerance = 15;
	const json_t *got;
	json_t *want;
	int ok;

	if (!op)
		return fprintf(stderr, "expect: no value in '%s'\n", arg), 0;
	*value++ = '\0';
	at = op == '~' ? strchr(value, '@') : NULL;
	if (at) {
		*at = '\0';
		tolerance = atof(at + 1);
	}
	if (slack)
		tolerance *= atof(slack);
	want = json_loads(value, JSON_DECODE_ANY, NULL);
	got = find(doc, path);
	ok = want && got && (op == '=' ? json_equal(got, want) : near(got, want, tolerance));
	if (!ok) {
		char *text = got ? json_dumps(got, JSON_ENCODE_ANY) : NULL;

		printf("want %s, got %s\n", arg, text ? text : "nothing");
		free(text);
	}
	json_decref(want);
	free(path);
	return ok;
}

int main(int argc, char **argv)
{
	json_t *doc = argc > 3 ? load(argv[1], atoi(argv[2])) : NULL;
	int bad = 0;

	if (!doc) {
		printf("no line %s in %s\n", argc > 2 ? argv[2] : "?", argc > 1 ? argv[1] : "?");
		return 1;
	}
	for (int i = 3; i < argc; i++)
		bad |= !check(doc, argv[i]);
	json_decref(doc);
	return bad;
}
