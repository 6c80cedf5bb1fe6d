/* A permutation of one word per node, along a schedule that was made before.
 *
 * The host brings the node's part of the schedule, as `phasecube compile --sweep up --data
 * FILE` writes it: the number of steps, then the steps, a byte each, four to a word. Then it
 * brings words, and for each of them gets the one that comes here. A schedule of more than
 * 48 steps has no room: exit code 1. */
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
