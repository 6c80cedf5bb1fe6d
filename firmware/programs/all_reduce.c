/* The sum, the least and the greatest of one number per node, in every node.
 *
 * The host brings 32-bit numbers, to every node as many, and gets three for each. Each
 * of the three is an exchange per dimension: one superframe. */
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
