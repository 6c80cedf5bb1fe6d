/* A permutation of one word per node along a schedule that was made before, by
 * `phasecube compile --sweep up --data FILE`. Every node calls the function, each with its
 * own part of the schedule.
 *
 * In a pair of phases, 2d and 2d + 1, a node exchanges with its neighbour across dimension
 * d; dimensions ascend, and begin again from 0 in the next superframe. A message may leave
 * in any dimension in which it does not have to wait for another: so two superframes carry
 * permutations for which messages of tdma_route would take many.
 *
 * Each word waits for the one before it, not for a phase: a node that is late costs time, not
 * words. A program that uses tdma_send or tdma_route beside it takes its own messages
 * before it calls this.
 */
#ifndef PERMUTE_H
#define PERMUTE_H

#include <stdint.h>

#include "collectives.h"
#include "ctrl.h"

/* The places of a node for words: PERMUTE_OWN has its own at the beginning, PERMUTE_HOME the
 * one that is for it at the end, those between have what passes through. There is no place 0. */
#define PERMUTE_OWN 1
#define PERMUTE_HOME 15
#define PERMUTE_PLACES 16

/* Steps that a node has room for. */
#define PERMUTE_STEPS 48

/* What one node does. */
struct tdma_schedule {
    unsigned dims;
    /* Pairs of phases. */
    unsigned pairs;
    /* For each of them: bits 0 to 3 the place that it sends from, bits 4 to 7 the place that
     * it then receives into; 0 for none. */
    const uint8_t *steps;
};

/* Takes from the host what `phasecube compile --data` writes: the number of pairs, then the
 * steps, four to a word. Waits for phase 0: else a schedule would begin in the middle of a
 * superframe, and be over in the middle. Returns 0, or -1 if there are too many steps. */
static inline int permute_given(struct tdma_schedule *schedule, unsigned dims,
                                uint32_t steps[PERMUTE_STEPS / 4])
{
    schedule->dims = dims;
    schedule->steps = (const uint8_t *)steps;
    schedule->pairs = 0;
    ctrl_wait(&schedule->pairs, sizeof schedule->pairs);
    if (schedule->pairs > PERMUTE_STEPS)
        return -1;
    for (unsigned pair = 0; pair < schedule->pairs; pair += 4)
        ctrl_wait(steps++, sizeof *steps);
    tdma_wait_for_phase(0);
    return 0;
}

/* Gives this node's word, and returns the one that is for it; its own, if none is. */
static inline uint32_t tdma_permute(const struct tdma_schedule *schedule, uint32_t word)
{
    uint32_t place[PERMUTE_PLACES];
    place[PERMUTE_OWN] = place[PERMUTE_HOME] = word;
    unsigned dim = 0;
    for (unsigned pair = 0; pair < schedule->pairs; pair++) {
        unsigned from = schedule->steps[pair] & 15, into = schedule->steps[pair] >> 4;
        if (from)
            tdma_send(dim, &place[from], sizeof place[from]);
        if (into)
            place[into] = collective_receive(dim);
        if (++dim == schedule->dims)
            dim = 0;
    }
    return place[PERMUTE_HOME];
}

#endif
