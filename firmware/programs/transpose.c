/* Transposes a matrix of one word per node.
 *
 * The address is row and column, half of its bits each; the host brings a word and gets
 * the one of the node whose row is this one's column. A cube of an odd number of
 * dimensions has no such matrix: exit code 1.
 *
 * Bit p of the column and bit p of the row change places for one p after the other. Where
 * they differ, the word crosses both dimensions, by way of a neighbour whose bits are
 * equal and whose own word stays. Every other p crosses the row's dimension first: so two
 * p share a superframe, and all h of them take h/2 + 1, rounded down. Sent as messages
 * they would meet on the diagonal. */
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
