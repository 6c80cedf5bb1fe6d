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

/* No register. */
#define NO_REGISTER 32

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

#if CLASS_BITS == 0

static inline void place_init(uint16_t address, unsigned dims)
{
    here = (uint32_t)address << WORD_DESTINATION_SHIFT;
    links = dims;
    mask = (1u << WORD_DESTINATION_SHIFT << dims) - (1u << WORD_DESTINATION_SHIFT);
}

/* The bit of an address that the next link of a message inverts: the lowest of those in
 * which its destination differs. */
static inline uint32_t place_next_bit(uint32_t delta)
{
    return delta & -delta;
}

/* The bit of an address that a link inverts. */
static inline uint32_t place_link_bit(unsigned link)
{
    return 1u << (WORD_DESTINATION_SHIFT + link);
}

/* The number of the injection register. */
static inline unsigned place_injection(void)
{
    return links;
}

/* The first register for messages from this link; for `links` the injection register. */
static inline unsigned place_first_register(unsigned link)
{
    return link;
}

/* The next one after it. */
static inline unsigned place_next_register(unsigned reg)
{
    (void)reg;
    return NO_REGISTER;
}

#else

/* The bits of the field of the node's own class, and of those whose class differs from it
 * by 1, 2 and 3. */
static uint32_t field[1 << CLASS_BITS];
/* The lowest bit of a class. */
static uint32_t cross;

static inline void place_init(uint16_t address, unsigned dims)
{
    unsigned field_bits = dims - CLASS_BITS;
    unsigned end = WORD_DESTINATION_SHIFT + (field_bits << CLASS_BITS);
    here = (uint32_t)address << WORD_DESTINATION_SHIFT;
    links = dims;
    cross = 1u << end;
    mask = (cross << CLASS_BITS) - (1u << WORD_DESTINATION_SHIFT);
    for (unsigned flip = 0; flip < 1 << CLASS_BITS; flip++) {
        uint32_t bits = ((1u << field_bits) - 1) << WORD_DESTINATION_SHIFT;
        for (unsigned below = here >> end ^ flip; below; below--)
            bits <<= field_bits;
        field[flip] = bits;
    }
}

/* The bit of a class that the message must change first. Of two cross edges it takes
 * the second if that leads to classes whose fields are wrong on a shorter way
 * (routing::metacube::next_link). */
static inline uint32_t place_cross_edge(uint32_t delta)
{
#if CLASS_BITS == 1
    (void)delta;
    return cross;
#else
    int one = (delta & field[1]) != 0;
    int two = (delta & field[2]) != 0;
    int three = (delta & field[3]) != 0;
    int second;
    if (delta & cross << 1)
        second = delta & cross ? two & !one : !one & !three;
    else
        second = delta & cross ? two | three : two & !one & !three;
    return cross << second;
#endif
}

/* The bit of an address that the next link of a message inverts: the lowest of the own
 * field in which its destination differs, else one of the class. */
static inline uint32_t place_next_bit(uint32_t delta)
{
    uint32_t own = delta & field[0];
    return own ? own & -own : place_cross_edge(delta);
}

static inline uint32_t place_link_bit(unsigned link)
{
    unsigned field_bits = links - CLASS_BITS;
    return link < field_bits ? (field[0] & -field[0]) << link : cross << (link - field_bits);
}

static inline unsigned place_injection(void)
{
    return links - CLASS_BITS;
}

/* What comes by a cross edge has passed one. */
static inline unsigned place_first_register(unsigned link)
{
    unsigned field_bits = links - CLASS_BITS;
    if (link == links)
        return place_injection();
    return link < field_bits ? link : link + links;
}

static inline unsigned place_next_register(unsigned reg)
{
    return reg == place_injection() ? NO_REGISTER : reg + links;
}

#endif

#endif
