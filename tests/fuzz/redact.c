/*
 * The first line is a rule, the rest a document.  What comes out is JSON that the rules no
 * longer change, and a mark stands in it.
 */
#include <config.h>

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>

#include "formats/base/secret.h"
#include "record/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct redact *r, const char *at, struct str doc)
{
	struct buf once, twice;
	json_t *parsed;

	buf_init(&once, 1 << 24);
	buf_init(&twice, 1 << 24);
	if (redact_json(r, at, doc, &once) == REDACT_CHANGED) {
		parsed = json_loadb(once.p, once.n, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
		if (!parsed || !memmem(once.p, once.n, SECRET_MARK, strlen(SECRET_MARK)))
			abort();
		/* A mark in a mark's place is again a mark. */
		if (json_is_object(parsed) || json_is_array(parsed)) {
			if (redact_json(r, at, buf_str(&once), &twice) != REDACT_CHANGED || !str_eq(buf_str(&once), buf_str(&twice)))
				abort();
		}
		json_decref(parsed);
	} else if (once.n) {
		abort();
	}
	buf_release(&once);
	buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nl = memchr(data, '\n', size);
	struct redact *r = redact_create();
	char rule[256];
	struct err e;

	if (r && nl && (size_t)(nl - data) < sizeof(rule)) {
		struct str doc = { (const char *)nl + 1, size - (size_t)(nl - data) - 1 };

		memcpy(rule, data, (size_t)(nl - data));
		rule[nl - data] = '\0';
		if (redact_add(r, rule, &e) == 0) {
			check(r, "", doc);
			check(r, NULL, doc);
			check(r, "a[].b", doc);
		}
	}
	redact_free(r);
	return 0;
}
