#include <config.h>

#include "plot/target.h"

#include <stdio.h>
#include <string.h>

#include "formats/base/unit.h"

/* The metric that the word before the colon names, or MEASURES. */
static int measure_of(const char *text)
{
	int m;

	for (m = 0; m < MEASURES; m++) {
		size_t n = strlen(measure_name((enum measure)m));

		if (strncmp(text, measure_name((enum measure)m), n) == 0 && text[n] == ':')
			break;
	}
	return m;
}

bool target_like(const char *text)
{
	return measure_of(text) < MEASURES;
}

static int parse_one(const char *word, double target_ms[MEASURES], struct err *e)
{
	int m = measure_of(word);
	double ms;

	if (m == MEASURES)
		return err_set(e, "'%s' is no service level; write ttft:MS, tpot:MS or e2e:MS", word);
	if (unit_parse_double(strchr(word, ':') + 1, &ms) < 0 || ms <= 0)
		return err_set(e, "'%s': the level is a number of ms above 0", word);
	target_ms[m] = ms;
	return 0;
}

int target_parse(const char *text, double target_ms[MEASURES], struct err *e)
{
	char word[64];

	while (*(text += strspn(text, ", "))) {
		size_t n = strcspn(text, ", ");

		snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1), text);
		if (parse_one(word, target_ms, e) < 0)
			return -1;
		text += n;
	}
	return 0;
}
