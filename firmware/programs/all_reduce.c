/* Computes the sum, the minimum and the maximum of one number per node, in every node.
 *
 * The host sends 32-bit numbers, the same count to every node, and receives three results for each.
 * Each of the three is one exchange per dimension, in one superframe. */
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    static const collective_operation operations[] = {collective_add, collective_min,
                                                      collective_max};
    unsigned dims = tdma_strapped_dims();
    tdma_init(tdma_strapped_address(), dims);
    uint32_t number;
    while (ctrl_wait(&number, sizeof number)) {
        for (unsigned i = 0; i < 3; i++) {
            uint32_t result = collective_reduce(dims, operations[i], number);
            ctrl_send(&result, sizeof result);
        }
    }
    ctrl_exit(0);
}
