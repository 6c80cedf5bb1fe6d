/* Conway's game of life on a torus, one cell per node.
 *
 * The low half of the address (the smaller half, if they differ) is the column, and the high half
 * is the row. Both are in Gray code, so the neighbours to the east, west, north and south are
 * neighbours in the cube. The host sends the cell, 0 or 1, and to node 0 also the number of
 * generations. It receives the cell after these generations. A torus one cell wide (1 dimension) is
 * rejected with exit code 1.
 *
 * A generation exchanges cells with east and west, then sums of three cells with north and south.
 * The dimensions ascend, so a generation takes one superframe. The broadcast of the number of
 * generations also takes one. */
#include "collectives.h"
#include "ctrl.h"

/* Returns the sum of `own` and the values of the two neighbours in a ring in Gray code. The nodes
 * of the ring differ in the dimensions `low` to `last`. On a ring of two nodes both neighbours are
 * the same. */
static uint32_t ring_sum(unsigned here, unsigned low, unsigned last, uint32_t own)
{
    /* One neighbour differs in the lowest bit. The other one differs in the bit above the lowest 1,
     * or in the last bit if there is no 1 or no bit above it. */
    unsigned dim = low;
    while (dim < last)
        if (here >> dim++ & 1)
            break;
    uint32_t sum = own, theirs = 0;
    for (unsigned i = 0, across = low; i < 2; i++, across = dim) {
        if (i == 0 || dim != low)
            theirs = collective_exchange(across, own);
        sum += theirs;
    }
    return sum;
}

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims(), half = dims / 2;
    tdma_init((uint16_t)here, dims);
    uint32_t cell = 0, generations = 0;
    if (!half)
        ctrl_exit(1);
    ctrl_wait(&cell, sizeof cell);
    if (!here)
        ctrl_wait(&generations, sizeof generations);
    generations = collective_broadcast(here, dims, 0, generations);
    for (; generations; generations--) {
        uint32_t row = ring_sum(here, 0, half - 1, cell);
        uint32_t nine = ring_sum(here, half, dims - 1, row);
        cell = nine == 3 || nine == 3 + cell;
    }
    ctrl_send(&cell, sizeof cell);
    ctrl_exit(0);
}
