/* What all nodes of a cube do together: exchange, reduce, scan, broadcast. Every node
 * calls the same function with the same arguments but its own word.
 *
 * The natural step of this machine is the exchange across a dimension: that of
 * dimension d takes the phases 2d and 2d + 1, so steps in ascending order of dimensions
 * share a superframe, and a step to the same or to a lower dimension begins another.
 * All of these go in ascending order: one superframe each, if the node computes fast
 * enough to send what it has got in the phase before.
 *
 * Messages are words of 4 bytes. A program that uses tdma_send or tdma_route beside
 * them takes its own messages before it calls one of these. The functions are static,
 * so that a program has only those that it calls.
 */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include <stdint.h>

#include "tdma.h"

/* The word that comes from the neighbour across a dimension. */
static inline uint32_t collective_receive(unsigned dim)
{
    uint32_t word;
    while (tdma_recv(dim, &word, sizeof word) < 0)
        tdma_next_phase();
    return word;
}

/* Gives a word to the neighbour across a dimension, which gives its own.
 *
 * Of the two the node whose address bit is 1 sends second, when it has the other's word
 * already. It goes on only when its own is on the way: else it would be late for that
 * if it computed long. It loses nothing, the next dimension's phase is yet to come. */
static inline uint32_t collective_exchange(unsigned dim, uint32_t word)
{
    tdma_send(dim, &word, sizeof word);
    uint32_t other = collective_receive(dim);
    if (tdma_current_phase() == 2 * dim + 1)
        tdma_next_phase();
    return other;
}

/* What two words are put together by; it is associative. The first is from the lower
 * addresses. */
typedef uint32_t (*collective_operation)(uint32_t, uint32_t);

static inline uint32_t collective_add(uint32_t a, uint32_t b)
{
    return a + b;
}

/* The least and the greatest, of words with a sign. */
static inline uint32_t collective_min(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? a : b;
}

static inline uint32_t collective_max(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? b : a;
}

/* The words of the nodes 0 to `here`, put together in the order of their addresses;
 * in `*all`, those of all nodes. One superframe. */
static inline uint32_t collective_scan(unsigned here, unsigned dims, collective_operation operation,
                                       uint32_t word, uint32_t *all)
{
    uint32_t upto = word;
    for (unsigned dim = 0; dim < dims; dim++) {
        uint32_t other = collective_exchange(dim, word);
        if (here >> dim & 1) {
            upto = operation(other, upto);
            word = operation(other, word);
        } else {
            word = operation(word, other);
        }
    }
    *all = word;
    return upto;
}

/* The words of all nodes, put together, in every node; the operation is commutative,
 * too. One superframe. */
static inline uint32_t collective_reduce(unsigned dims, collective_operation operation,
                                         uint32_t word)
{
    for (unsigned dim = 0; dim < dims; dim++)
        word = operation(word, collective_exchange(dim, word));
    return word;
}

/* The word of the node `root`, in every node. The others get it over the highest
 * dimension in which they differ from it, and send it over those above. One
 * superframe. */
static inline uint32_t collective_broadcast(unsigned here, unsigned dims, unsigned root,
                                            uint32_t word)
{
    unsigned differ = here ^ root;
    for (unsigned dim = 0; dim < dims; dim++, differ >>= 1) {
        if (differ == 1)
            word = collective_receive(dim);
        else if (!differ)
            tdma_send(dim, &word, sizeof word);
    }
    return word;
}

#endif
