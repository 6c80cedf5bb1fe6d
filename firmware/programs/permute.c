/* Permutation of one word per node, along a compiled schedule.
 *
 * The host sends the node's part of the schedule, as `phasecube compile --sweep up --data FILE`
 * writes it. This is the number of steps, then the steps, one byte each, four to a word. Then it
 * sends words, and receives for each the word that arrives at this node. A schedule of more than 48
 * steps does not fit: exit code 1. */
#include "permute.h"

int main(void)
{
    unsigned dims = tdma_strapped_dims();
    tdma_init(tdma_strapped_address(), dims);
    uint32_t steps[PERMUTE_STEPS / 4];
    struct tdma_schedule schedule;
    if (permute_given(&schedule, dims, steps))
        ctrl_exit(1);
    uint32_t word;
    while (ctrl_wait(&word, sizeof word)) {
        word = tdma_permute(&schedule, word);
        ctrl_send(&word, sizeof word);
    }
    ctrl_exit(0);
}
