#include <config.h>

#include "formats/wire/fault.h"

#include <jansson.h>
#include <stdlib.h>

enum { TEXT_MAX = 1000 };

static void add_line(struct buf *text, const char *p, size_t n)
{
	for (size_t i = 0; i < n && i < TEXT_MAX; i++) {
		char c = (unsigned char)p[i] < 0x20 || p[i] == 0x7f ? ' ' : p[i];

		buf_add(text, &c, 1);
	}
}

static void read_code(const json_t *code, int64_t *out)
{
	char *end;
	long v;

	if (json_is_integer(code)) {
		*out = json_integer_value(code);
	} else if (json_is_string(code)) {
		v = strtol(json_string_value(code), &end, 10);
		if (end != json_string_value(code) && !*end)
			*out = v;
	}
}

void fault_read(struct str data, struct buf *text, int64_t *code)
{
	json_t *root = json_loadb(data.p, data.n, JSON_ALLOW_NUL, NULL);
	json_t *err = json_object_get(root, "error"), *message;

	if (!err || json_is_null(err))
		err = root;
	message = json_is_string(err) ? err : json_object_get(err, "message");
	if (json_is_string(message))
		add_line(text, json_string_value(message), json_string_length(message));
	else
		add_line(text, data.p, data.n);
	read_code(json_object_get(err, "code"), code);
	json_decref(root);
}
