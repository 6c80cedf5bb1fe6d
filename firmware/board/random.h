/* SplitMix64, and what is drawn from it, as the simulator does (crates/interconnect). */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* The next 64 random bits; moves the state on. */
uint64_t random_next(uint64_t *state);

/* A number below n, for n below 2^32: the high half of the 128-bit product. */
unsigned random_below(uint64_t *state, unsigned n);

/* A product modulo 2^64. */
uint64_t random_times(uint64_t a, uint64_t b);

#endif
