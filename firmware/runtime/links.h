/* Links of a node by its address, in a cube or a metacube. For internal use by the runtime.
 *
 * A cube is the metacube MC(0, n): one class, whose field is the whole address. CLASS_BITS is k and
 * selects the network at compile time. All addresses and address bits here are positioned like the
 * destination in the first word of a message. */
#ifndef LINKS_H
#define LINKS_H

#include "node_port.h"

#ifndef CLASS_BITS
#define CLASS_BITS 0
#endif

/* Number of no buffer. A word of buffer flags still has a bit for it. */
#define NO_BUFFER 31

/* Reads the turn of a link. `select` is the value for DIM_SELECT: SELECT_LAST_WORD, and the first
 * buffer of the link. */
static inline uint32_t links_turn(uint32_t select)
{
    port_write(PORT_DIM_SELECT, select);
    return port_read(PORT_RX_DATA) & WORD_TURN;
}

/* Address of the node, and the mask of the address bits. */
static uint32_t here;
static uint32_t mask;
static unsigned links;

/* Selection of the messages for a link. `delta` is the xor of the destination and the node, marked
 * by links_mark(). A message takes the link if the bits of `delta` in `deciding` equal `wanted`. */
struct link {
    /* Address bit that the link inverts. */
    uint32_t bit;
    uint32_t deciding, wanted;
};

/* A link that no message takes, because bit 0 is not part of an address. */
#define NO_LINK ((struct link){.bit = 0, .deciding = 0, .wanted = 1})

#if CLASS_BITS == 0
#include "links_cube.h"
#else
#include "links_metacube.h"
#endif

#endif
