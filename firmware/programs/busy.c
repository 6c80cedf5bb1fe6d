/* Never sleeps: runs loops and shifts with lengths that depend on the node, so that no two nodes
 * are in lockstep. Sends nothing. For `phasecube bench`. */
#include "tdma.h"

static volatile uint32_t words[16];

int main(void)
{
    uint32_t x = tdma_strapped_address() + 1u;
    for (;;) {
        /* Xorshift of Marsaglia, 32 bits; never 0. */
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        words[x & 15] += x;
        for (uint32_t n = x & 7; n; n--)
            words[n] ^= x << n;
    }
}
