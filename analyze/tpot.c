#include <config.h>

#include "analyze/tpot.h"

#include <math.h>

#include "formats/base/clock.h"

double tpot_corrected_ms(int64_t first_ns, int64_t last_ns, int64_t n, int64_t first_tokens)
{
	if (first_ns == NS_NONE || last_ns <= first_ns || n <= first_tokens)
		return NAN;
	return (double)(last_ns - first_ns) / (double)NS_PER_MS / (double)(n - first_tokens);
}

double tpot_ms(int64_t first_ns, int64_t last_ns, int64_t n)
{
	return tpot_corrected_ms(first_ns, last_ns, n, 1);
}
