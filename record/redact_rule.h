/*
 * One redaction rule as a list of steps, and the places in it at which a walk through a
 * document can be: bit i = step i is next; the bit behind the last step = the rule leads here.
 * Private to redact.
 */
#ifndef RECORD_REDACT_RULE_H
#define RECORD_REDACT_RULE_H

#include <stdint.h>

#include "formats/base/err.h"
#include "formats/base/str.h"

enum { RULE_STEPS_MAX = 60, INDEX_ANY = -1, INDEX_NONE = -2 };

struct step {
	enum step_kind { STEP_NAME, STEP_MEMBERS, STEP_ELEMENTS, STEP_INDEX, STEP_DEEP } kind;
	char *name;    /* STEP_NAME: owned */
	int64_t index; /* STEP_INDEX */
};

struct rule {
	struct step steps[RULE_STEPS_MAX];
	size_t n;
};

/* 0, or -1: err names the mistake and, if there is one, the nearest right spelling. */
int rule_parse(struct rule *r, const char *text, struct err *e);
void rule_release(struct rule *r);

uint64_t rule_begin(const struct rule *r);
/* Into a member (index INDEX_NONE) or an element (its index; INDEX_ANY: which one is not known). */
uint64_t rule_into(const struct rule *r, uint64_t at, struct str name, int64_t index);
static inline bool rule_here(const struct rule *r, uint64_t at)
{
	return at >> r->n & 1;
}
static inline bool rule_below(const struct rule *r, uint64_t at)
{
	return (at & ~(UINT64_C(1) << r->n)) != 0;
}

#endif
