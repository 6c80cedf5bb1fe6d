/* Computes the sum of one number per node, in every node.
 *
 * The host sends 32-bit numbers, the same count to every node. In step d the node exchanges its
 * partial sum with its neighbour across dimension d and adds. After the last step every node has
 * the total and sends it to its host. The exchange of step d takes the phases 2d and 2d + 1, so a
 * sum takes one superframe. This program spells out every step; all_reduce.c uses collectives.h. */
#include "ctrl.h"
#include "tdma.h"

int main(void)
{
    unsigned dims = tdma_strapped_dims();
    tdma_init(tdma_strapped_address(), dims);
    uint32_t sum = 0;
    while (ctrl_wait(&sum, sizeof sum)) {
        for (unsigned dim = 0; dim < dims; dim++) {
            uint32_t other = 0;
            tdma_send(dim, &sum, sizeof sum);
            while (tdma_recv(dim, &other, sizeof other) < 0)
                tdma_next_phase();
            sum += other;
        }
        ctrl_send(&sum, sizeof sum);
    }
    ctrl_exit(0);
}
