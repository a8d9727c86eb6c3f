/*
 * Seeded random numbers: xoshiro256** (Blackman, Vigna: "Scrambled linear pseudorandom
 * number generators", 2021), seeded through splitmix64.  One generator per stream of
 * numbers, named by its purpose, so that drawing from one never moves another.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* The stream for (seed, purpose, index): same arguments, same numbers, on any machine. */
void rng_init(struct rng *r, uint64_t seed, const char *purpose, uint64_t index);
uint64_t rng_u64(struct rng *r);
/* Uniform in [0, n), without modulo bias; n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);
/* Uniform in [0, 1), 53 bits. */
double rng_unit(struct rng *r);

/*
 * Other distributions, by documented methods on portable.h: the same numbers on any
 * machine, too.
 */
/* Exponential with mean 1, by inversion. */
double rng_exponential(struct rng *r);
/* Normal with mean 0 and variance 1, by Marsaglia's polar method. */
double rng_normal(struct rng *r);
/* Gamma with mean and variance = shape > 0, by Marsaglia and Tsang's method. */
double rng_gamma(struct rng *r, double shape);

#endif
