/* What the address of a node says of its links, in a cube or a metacube: for the
 * runtime's own use.
 *
 * A cube is the metacube MC(0, n): one class, whose field is the whole address. Which one
 * the program is for is known when it is compiled: CLASS_BITS is k. What is here of
 * addresses stands where a destination stands in the first word of a message.
 */
#ifndef PLACE_H
#define PLACE_H

#include "node_port.h"

#ifndef CLASS_BITS
#define CLASS_BITS 0
#endif

/* No register: a number that none has, for which a word has a bit all the same. */
#define NO_REGISTER 31

/* The turn of a link. `select` is what DIM_SELECT is told for it: SELECT_LAST_WORD, and the first
 * register of the link. */
static inline uint32_t place_turn(uint32_t select)
{
    port_write(PORT_DIM_SELECT, select);
    return port_read(PORT_RX_DATA) & WORD_TURN;
}

/* The address of the node, and the bits of an address. */
static uint32_t here;
static uint32_t mask;
static unsigned links;

/* Whether a message wants to go over a link is asked of `delta`, the bits in which its destination
 * differs from the node, marked by place_mark(): what they are in `deciding` must be `wanted`. */
struct link {
    /* The bit of an address that the link inverts. */
    uint32_t bit;
    uint32_t deciding, wanted;
};

/* A link that no message wants: the lowest bit is none of an address. */
#define NO_LINK ((struct link){.bit = 0, .deciding = 0, .wanted = 1})

#if CLASS_BITS == 0
#include "place_cube.h"
#else
#include "place_metacube.h"
#endif

#endif
