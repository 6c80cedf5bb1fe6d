/* Sorts one number per node by Batcher's bitonic sort.
 *
 * The host brings a 32-bit number with a sign, and gets one. They ascend by the
 * addresses read from right to left: the node 0b0001 of 16 has the number of rank
 * 0b1000. By the addresses themselves, stage k would compare across the dimensions k-1
 * down to 0, a superframe for each; read from right to left, these are n-k up to n-1,
 * which one superframe holds. So n stages take n superframes. */
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
        /* Whether this stage sorts downwards here: by the dimension below, and the last
         * stage upwards everywhere. */
        unsigned down = low ? here >> (low - 1) : 0;
        for (unsigned dim = low; dim < dims; dim++) {
            uint32_t other = collective_exchange(dim, number);
            number = ((here >> dim ^ down) & 1 ? collective_max : collective_min)(number, other);
        }
    }
    ctrl_send(&number, sizeof number);
    ctrl_exit(0);
}
