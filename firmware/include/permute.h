/* Permutation of one word per node along a schedule that `phasecube compile --sweep up --data FILE`
 * has compiled. Every node calls the function with its own part of the schedule.
 *
 * In a pair of phases, 2d and 2d + 1, a node exchanges with its neighbour across dimension d.
 * Dimensions ascend, and begin again from 0 in the next superframe. A message leaves in any
 * dimension in which it does not wait for another message. Two superframes can therefore carry
 * permutations for which messages of tdma_route would take many.
 *
 * Each word waits for the previous one, not for a phase. A node that misses a deadline costs time,
 * but no words are lost. A program that also uses tdma_send or tdma_route takes its own messages
 * before it calls this function. */
#ifndef PERMUTE_H
#define PERMUTE_H

#include <stdint.h>

#include "collectives.h"
#include "ctrl.h"

/* Slots of a node for words. PERMUTE_OWN has the node's own word at the beginning. PERMUTE_HOME has
 * the word for this node at the end. The slots between them hold words in transit. There is no slot
 * 0. */
#define PERMUTE_OWN 1
#define PERMUTE_HOME 15
#define PERMUTE_SLOTS 16

/* Maximum number of steps. */
#define PERMUTE_STEPS 48

/* Schedule of one node. */
struct tdma_schedule {
    unsigned dims;
    /* Number of pairs of phases. */
    unsigned pairs;
    /* One step for each pair. Bits 0 to 3 are the slot that the node sends from. Bits 4 to 7 are
     * the slot that it then receives into. 0 means none. */
    const uint8_t *steps;
};

/* Takes from the host the output of `phasecube compile --data`: the number of pairs, then the
 * steps, four to a word. Waits for phase 0, so that the schedule begins and ends with a superframe.
 * Returns 0, or -1 if there are too many steps. */
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

/* Sends this node's word, and returns the word for this node, or its own if there is none. */
static inline uint32_t tdma_permute(const struct tdma_schedule *schedule, uint32_t word)
{
    uint32_t slots[PERMUTE_SLOTS];
    slots[PERMUTE_OWN] = slots[PERMUTE_HOME] = word;
    unsigned dim = 0;
    for (unsigned pair = 0; pair < schedule->pairs; pair++) {
        unsigned from = schedule->steps[pair] & 15, into = schedule->steps[pair] >> 4;
        if (from)
            tdma_send(dim, &slots[from], sizeof slots[from]);
        if (into)
            slots[into] = collective_receive(dim);
        if (++dim == schedule->dims)
            dim = 0;
    }
    return slots[PERMUTE_HOME];
}

#endif
