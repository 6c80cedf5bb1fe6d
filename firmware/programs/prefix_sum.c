/* Computes in each node the sum of the numbers of all nodes up to this one.
 *
 * The host sends 32-bit numbers, the same count to every node. It receives two results for each:
 * the sum over the nodes 0 to this one, and the sum over all nodes. Takes one superframe. */
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    uint32_t number, sums[2];
    while (ctrl_wait(&number, sizeof number)) {
        sums[0] = collective_scan(here, dims, collective_add, number, &sums[1]);
        ctrl_send(&sums[0], sizeof sums[0]);
        ctrl_send(&sums[1], sizeof sums[1]);
    }
    ctrl_exit(0);
}
