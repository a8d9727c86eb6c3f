/*
 * Service levels as people type them: "ttft:500", "tpot:50,e2e:10000", in ms.
 */
#ifndef PLOT_TARGET_H
#define PLOT_TARGET_H

#include <stdbool.h>

#include "formats/base/err.h"
#include "plot/data.h"

/*
 * Adds the levels in text, separated by commas or spaces, to target_ms.  0 or -1.
 */
int target_parse(const char *text, double target_ms[MEASURES], struct err *e);

/* True if text reads like a level: the name of a metric and a colon begin it. */
bool target_like(const char *text);

#endif
