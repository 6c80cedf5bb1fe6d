/* The links of a node of a cube: a part of place.h. */
#ifndef PLACE_CUBE_H
#define PLACE_CUBE_H

static inline void place_init(uint16_t address, unsigned dims)
{
    here = (uint32_t)address << WORD_DESTINATION_SHIFT;
    links = dims;
    mask = (1u << WORD_DESTINATION_SHIFT << dims) - (1u << WORD_DESTINATION_SHIFT);
}

/* The bit of an address that the next link of a message inverts, which is not at home: the lowest
 * of those in which its destination differs. */
static inline uint32_t place_next_bit(uint32_t delta)
{
    return delta & -delta;
}

/* The bit of an address that a link inverts. */
static inline uint32_t place_link_bit(unsigned link)
{
    return 1u << (WORD_DESTINATION_SHIFT + link);
}

/* What is asked of messages for a link. */
static inline struct link place_link(unsigned link)
{
    uint32_t bit = place_link_bit(link);
    return (struct link){.bit = bit, .deciding = (bit << 1) - 1, .wanted = bit};
}

/* Marks the difference of a message: with that, two masks decide which link it wants. */
static inline uint32_t place_mark(uint32_t delta)
{
    return delta;
}

/* Whether a message wants to go over this link. */
static inline int place_wants(uint32_t delta, const struct link *link)
{
    return (delta & link->deciding) == link->wanted;
}

/* The number of the injection register. */
static inline unsigned place_injection(void)
{
    return links;
}

/* The first register for messages from this link. */
static inline unsigned place_first_register(unsigned link)
{
    return link;
}

/* The registers for messages from a link, a bit each, of which this is the first. */
static inline uint32_t place_registers(unsigned first)
{
    return 1u << first;
}

/* The first of them that is one of `full`. */
static inline unsigned place_find(unsigned first, uint32_t full)
{
    (void)full;
    return first;
}

/* The next one of them after this one. */
static inline unsigned place_next_register(unsigned reg)
{
    (void)reg;
    return NO_REGISTER;
}

#endif
