/* SplitMix64 and the numbers drawn from it, identical to the simulator (crates/interconnect). */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* Returns the next 64 random bits and advances the state. */
uint64_t random_next(uint64_t *state);

/* Returns a number below n, for n below 2^32: the high half of the 128-bit product. */
unsigned random_below(uint64_t *state, unsigned n);

/* Returns a product modulo 2^64. */
uint64_t random_times(uint64_t a, uint64_t b);

#endif
