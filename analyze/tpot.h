/*
 * TPOT, time per output token after the first: (last - first) / (N - 1), the definition of
 * vLLM's and genai-perf's benchmarks, over token events and the engine's own count N.
 */
#ifndef ANALYZE_TPOT_H
#define ANALYZE_TPOT_H

#include <stdint.h>

/* ms; NaN if N <= 1 or no decode window was seen (all tokens in one event): 0 would mean infinite speed. */
double tpot_ms(int64_t first_ns, int64_t last_ns, int64_t n);
/* The same without the tokens that came with the first event: (last - first) / (N - first_tokens). */
double tpot_corrected_ms(int64_t first_ns, int64_t last_ns, int64_t n, int64_t first_tokens);

#endif
