#include <config.h>

#include "tests/server/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char envelope[] = "{\"id\":\"r\",\"object\":\"chat.completion.chunk\","
	"\"created\":1900000000,\"model\":\"m\",\"choices\":[";

static int hex(char c)
{
	const char *digits = "0123456789abcdef";
	const char *p = strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);

	return c && p ? (int)(p - digits) : -1;
}

static int add_raw(struct buf *b, const char *s)
{
	for (; *s; s++) {
		char c = *s;

		if (c == '\\') {
			c = *++s;
			if (c == 'n') {
				c = '\n';
			} else if (c == 'r') {
				c = '\r';
			} else if (c == 'x') {
				if (hex(s[1]) < 0 || hex(s[2]) < 0)
					return -1;
				c = (char)(hex(s[1]) * 16 + hex(s[2]));
				s += 2;
			} else if (c != '\\') {
				return -1;
			}
		}
		if (buf_add(b, &c, 1) < 0)
			return -1;
	}
	return 0;
}

/* A chat chunk with one choice, and what " + " adds to it. */
static int add_choice(struct buf *b, int index, const char *key, const char *value,
		const char *finish, const char *more)
{
	int c;

	if (buf_printf(b, "%s{\"index\":%d,\"delta\":", envelope, index) < 0 ||
	    buf_printf(b, key ? "{\"%s\":%s}" : "%s%s", key ? key : "", value) < 0 ||
	    buf_printf(b, ",\"finish_reason\":%s}]", finish) < 0)
		return -1;
	if (more && sscanf(more, "u %d", &c) == 1)
		return buf_printf(b, ",\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":%d,"
				"\"total_tokens\":%d}}", c, 10 + c);
	return buf_printf(b, "%s%s}", more ? "," : "", more ? more : "");
}

static int add_usage(struct buf *b, const char *arg)
{
	int p, c, used = 0;

	if (sscanf(arg, "%d %d %n", &p, &c, &used) < 2)
		return -1;
	return buf_printf(b, "data: %s],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,"
			"\"total_tokens\":%d%s%s}}\n\n", envelope, p, c, p + c,
			used && arg[used] ? "," : "", used ? arg + used : "");
}

static int add_item(struct buf *b, char *item)
{
	char *arg = strchr(item, ' ');
	char *more;
	int index, bad;

	if (strcmp(item, "DONE") == 0)
		return buf_adds(b, "data: [DONE]\n\n");
	if (!arg)
		return -1;
	*arg++ = '\0';
	if (strcmp(item, "raw") == 0)
		return add_raw(b, arg);
	if (strcmp(item, "U") == 0)
		return add_usage(b, arg);
	more = strstr(arg, " + ");
	if (more) {
		*more = '\0';
		more += 3;
	}
	if (strcmp(item, "J") == 0)
		return add_choice(b, 0, "content", arg, "null", more);
	if (!strchr("TDF", item[0]) || (item[1] && strcmp(item + 1, "1") != 0))
		return -1;
	index = item[1] == '1';
	bad = buf_adds(b, "data: ");
	if (item[0] == 'T')
		bad |= add_choice(b, index, "content", arg, "null", more);
	else if (item[0] == 'D')
		bad |= add_choice(b, index, NULL, arg, "null", more);
	else
		bad |= add_choice(b, index, NULL, "{}", arg, more);
	return bad | buf_adds(b, "\n\n");
}

static int read_row(struct answer *a, const char *line)
{
	char text[8192], *item = text, *end;
	struct row *r = realloc(a->rows, (a->n + 1) * sizeof(*r));
	int64_t at = strtoll(line, &end, 10);

	if (!r)
		return -1;
	a->rows = r;
	r += a->n++;
	*r = (struct row){ .at_ms = at };
	buf_init(&r->bytes, 1 << 20);
	if (end == line || *end != ' ')
		return -1;
	snprintf(text, sizeof(text), "%s", end + 1);
	for (int k = ROW_ZERO; k <= ROW_HOLD; k++) {
		static const char *const words[] = { "", "ZERO", "CUT", "HOLD" };

		if (strcmp(text, words[k]) == 0) {
			r->kind = (enum row_kind)k;
			return 0;
		}
	}
	while (item) {
		char *next = strstr(item, " | ");

		if (next) {
			*next = '\0';
			next += 3;
		}
		if (add_item(&r->bytes, item) < 0)
			return -1;
		item = next;
	}
	return 0;
}

static int begin_answer(struct script *s, const char *line)
{
	struct answer *a = realloc(s->answers, (s->n + 1) * sizeof(*a));

	if (!a)
		return -1;
	s->answers = a;
	a[s->n++] = (struct answer){
		.bytes = strstr(line, " bytes") != NULL,
		.plain = strstr(line, " plain") != NULL,
	};
	return 0;
}

int script_read(struct script *s, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[8192];
	int no = 1, bad = 0;

	*s = (struct script){ 0 };
	if (!f)
		return no;
	for (; !bad && fgets(line, sizeof(line), f); no++) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '\0' || line[0] == '#')
			continue;
		if (strncmp(line, "request", 7) == 0)
			bad = begin_answer(s, line);
		else
			bad = s->n == 0 ? -1 : read_row(&s->answers[s->n - 1], line);
	}
	fclose(f);
	return bad ? no - 1 : 0;
}
