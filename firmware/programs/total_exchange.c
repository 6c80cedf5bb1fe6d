/* Every node sends a word of its own to every other node.
 *
 * The host sends a number x. The word for the node with address t is x + t. The host receives the
 * sum and the exclusive or of all words for this node, including its own.
 *
 * In one superframe a node sends to itself xor c, and to itself xor the complement of c. The two
 * share no dimension, so N nodes take N/2 superframes. Every wire carries a message in every phase,
 * so no schedule is faster. The odd one of the two leaves in the first dimension, so the other one
 * finds the injection buffer free. */
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    unsigned all = (1u << dims) - 1;
    uint32_t number;
    if (!ctrl_wait(&number, sizeof number))
        ctrl_exit(1);
    uint32_t results[2] = {number + here, number + here};
    for (unsigned odd = all; odd <= all; odd -= 2) {
        unsigned offsets[2] = {odd, odd ^ all}, count = odd == all ? 1 : 2;
        for (unsigned i = 0; i < count; i++) {
            unsigned to = here ^ offsets[i];
            uint32_t word = number + to;
            tdma_route((uint16_t)to, &word, sizeof word);
        }
        for (unsigned i = 0; i < count; i++) {
            /* A message arrives at its destination across the highest dimension of its offset. */
            unsigned dim = dims - 1;
            while (!(offsets[i] >> dim & 1))
                dim--;
            uint32_t word = collective_receive(dim);
            results[0] += word;
            results[1] ^= word;
        }
    }
    ctrl_send(&results[0], sizeof results[0]);
    ctrl_send(&results[1], sizeof results[1]);
    ctrl_exit(0);
}
