/* Sorts one number per node by Batcher's bitonic sort.
 *
 * The host sends a signed 32-bit number and receives one. The results ascend by bit-reversed
 * addresses: node 0b0001 of 16 has the number of rank 0b1000. With plain addresses, stage k would
 * compare across the dimensions k-1 down to 0, with a superframe for each. With bit-reversed
 * addresses these are dimensions n-k up to n-1, which fit in one superframe. The n stages therefore
 * take n superframes. */
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    uint32_t number;
    if (!ctrl_wait(&number, sizeof number))
        ctrl_exit(1);
    for (unsigned low = dims; low--;) {
        /* Bit 0 is set if this stage sorts downwards here. It is the address bit below `low`. The
         * last stage sorts upwards everywhere. */
        unsigned down = low ? here >> (low - 1) : 0;
        for (unsigned dim = low; dim < dims; dim++) {
            uint32_t other = collective_exchange(dim, number);
            number = ((here >> dim ^ down) & 1 ? collective_max : collective_min)(number, other);
        }
    }
    ctrl_send(&number, sizeof number);
    ctrl_exit(0);
}
