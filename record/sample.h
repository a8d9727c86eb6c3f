/* A share of the sessions: which ones are kept, decided once per session from its label. */
#ifndef RECORD_SAMPLE_H
#define RECORD_SAMPLE_H

#include <stdbool.h>

#include "formats/base/digest.h"

/* "10%", "2.5%" or "0.1" -> 0.1; more than 0, at most 1.  0 or -1. */
int sample_parse(const char *s, double *share);
/* The same for the same salt and label. */
bool sample_keeps(struct mac *salt, struct str label, double share);

#endif
