/* Random numbers of the host, computed without a multiplier. */
#include "random.h"

/* The core has no multiplier. */
static __attribute__((noinline)) uint64_t product(uint64_t a, uint32_t b)
{
    uint64_t sum = 0;
    for (; b; b >>= 1, a += a)
        if (b & 1)
            sum += a;
    return sum;
}

uint64_t random_times(uint64_t a, uint64_t b)
{
    return product(a, (uint32_t)b) + (product(a, b >> 32) << 32);
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = random_times(z ^ z >> 30, 0xBF58476D1CE4E5B9u);
    z = random_times(z ^ z >> 27, 0x94D049BB133111EBu);
    return z ^ z >> 31;
}

unsigned random_below(uint64_t *state, unsigned n)
{
    uint64_t bits = random_next(state);
    uint64_t carry = product((uint32_t)bits, n) >> 32;
    return (product(bits >> 32, n) + carry) >> 32;
}
