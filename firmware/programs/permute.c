/* A permutation of one word per node, along a schedule that was made before.
 *
 * The host brings the node's part of the schedule, as `phasecube compile --sweep up --data
 * FILE` writes it: the number of steps, then the steps, a byte each, four to a word. Then it
 * brings words, and for each of them gets the one that comes here. A schedule of more than
 * 48 steps has no room: exit code 1. */
#include "ctrl.h"
#include "permute.h"

#define STEPS_MAX 48

int main(void)
{
    unsigned dims = tdma_strapped_dims();
    tdma_init(tdma_strapped_address(), dims);
    uint32_t steps[STEPS_MAX / 4];
    struct tdma_schedule schedule = {dims, 0, (const uint8_t *)steps};
    ctrl_wait(&schedule.pairs, sizeof schedule.pairs);
    if (schedule.pairs > STEPS_MAX)
        ctrl_exit(1);
    for (unsigned i = 0; 4 * i < schedule.pairs; i++)
        ctrl_wait(&steps[i], sizeof steps[i]);
    /* Else a schedule would begin in the middle of a superframe, and be over in the middle. */
    tdma_wait_for_phase(0);
    uint32_t word;
    while (ctrl_wait(&word, sizeof word)) {
        word = tdma_permute(&schedule, word);
        ctrl_send(&word, sizeof word);
    }
    ctrl_exit(0);
}
