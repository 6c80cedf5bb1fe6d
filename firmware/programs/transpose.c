/* Transposes a matrix of one word per node.
 *
 * The address consists of row and column, half of its bits each. The host sends a word, and
 * receives the word of the node with row and column exchanged. A cube with an odd number of
 * dimensions has no such matrix: exit code 1.
 *
 * Bit p of the column and bit p of the row are exchanged, one p after the other. If they differ,
 * the word crosses both dimensions, through a neighbour whose bits are equal and whose own word
 * stays. Every other p crosses the row's dimension first. Two p therefore share a superframe, and
 * all h of them take h/2 + 1 superframes, rounded down. Routed messages would conflict on the
 * diagonal. */
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims(), half = dims / 2;
    tdma_init((uint16_t)here, dims);
    uint32_t word;
    if (dims & 1 || !ctrl_wait(&word, sizeof word))
        ctrl_exit(1);
    for (unsigned p = 0; p < half; p++) {
        unsigned first = p & 1 ? p + half : p, second = p & 1 ? p : p + half;
        if ((here >> first ^ here >> second) & 1) {
            tdma_send(first, &word, sizeof word);
            word = collective_receive(second);
        } else {
            uint32_t passes = collective_receive(first);
            tdma_send(second, &passes, sizeof passes);
        }
    }
    ctrl_send(&word, sizeof word);
    ctrl_exit(0);
}
