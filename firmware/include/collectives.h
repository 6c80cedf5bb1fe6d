/* Collective operations of all nodes of a cube: exchange, reduce, scan, broadcast. Every node calls
 * the same function with the same arguments except its own word.
 *
 * The basic step of the machine is the exchange across a dimension. The exchange across dimension d
 * takes the phases 2d and 2d + 1. Steps in ascending order of dimensions share a superframe. A step
 * to the same or to a lower dimension begins another superframe. All operations here use ascending
 * order and take one superframe each. This requires that the node computes fast enough to send a
 * result in the phase after it received the data.
 *
 * Messages are words of 4 bytes. A program that also uses tdma_send or tdma_route takes its own
 * messages before it calls one of these functions. The functions are static, so a program contains
 * only those that it calls. */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include <stdint.h>

#include "tdma.h"

/* Receives the word from the neighbour across a dimension. */
static inline uint32_t collective_receive(unsigned dim)
{
    uint32_t word;
    while (tdma_recv(dim, &word, sizeof word) < 0)
        tdma_next_phase();
    return word;
}

/* Exchanges a word with the neighbour across a dimension.
 *
 * The node whose address bit is 1 sends second, and then already has the other node's word. It
 * waits until its own word is on the link. Otherwise a long computation could miss the deadline for
 * sending. The wait costs nothing, because the phase of the next dimension is still to come. */
static inline uint32_t collective_exchange(unsigned dim, uint32_t word)
{
    tdma_send(dim, &word, sizeof word);
    uint32_t other = collective_receive(dim);
    if (tdma_current_phase() == 2 * dim + 1)
        tdma_next_phase();
    return other;
}

/* Associative operation on two words. The first operand is from the lower addresses. */
typedef uint32_t (*collective_operation)(uint32_t, uint32_t);

static inline uint32_t collective_add(uint32_t a, uint32_t b)
{
    return a + b;
}

/* Minimum and maximum of signed words. */
static inline uint32_t collective_min(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? a : b;
}

static inline uint32_t collective_max(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? b : a;
}

/* Combines the words of the nodes 0 to `here` in the order of their addresses. Stores the combined
 * words of all nodes in `*all`. Takes one superframe. */
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

/* Combines the words of all nodes, in every node. The operation must also be commutative. Takes one
 * superframe. */
static inline uint32_t collective_reduce(unsigned dims, collective_operation operation,
                                         uint32_t word)
{
    for (unsigned dim = 0; dim < dims; dim++)
        word = operation(word, collective_exchange(dim, word));
    return word;
}

/* Returns the word of the node `root`, in every node. Another node receives it over the highest
 * dimension in which its address differs from `root`, and sends it over the dimensions above. Takes
 * one superframe. */
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
