/* Links of a node of a cube: a part of links.h. */
#ifndef LINKS_CUBE_H
#define LINKS_CUBE_H

static inline void links_init(uint16_t address, unsigned dims)
{
    here = (uint32_t)address << WORD_DESTINATION_SHIFT;
    links = dims;
    mask = (1u << WORD_DESTINATION_SHIFT << dims) - (1u << WORD_DESTINATION_SHIFT);
}

/* Returns the address bit that the next link of a message inverts: the lowest bit in which its
 * destination differs. The message must not be for this node. */
static inline uint32_t links_next_bit(uint32_t delta)
{
    return delta & -delta;
}

/* Returns the address bit that a link inverts. */
static inline uint32_t links_bit(unsigned link)
{
    return 1u << (WORD_DESTINATION_SHIFT + link);
}

/* Returns the selection of the messages for a link. */
static inline struct link links_select(unsigned link)
{
    uint32_t bit = links_bit(link);
    return (struct link){.bit = bit, .deciding = (bit << 1) - 1, .wanted = bit};
}

/* Marks the difference of a message, so that two masks decide whether it takes a link. */
static inline uint32_t links_mark(uint32_t delta)
{
    return delta;
}

/* Returns whether a message takes this link. */
static inline int links_wants(uint32_t delta, const struct link *link)
{
    return (delta & link->deciding) == link->wanted;
}

/* Returns the number of the injection buffer. */
static inline unsigned links_injection(void)
{
    return links;
}

/* Returns the first buffer for messages from this link. */
static inline unsigned links_first_buffer(unsigned link)
{
    return link;
}

/* Returns the buffers for messages from a link, one bit each. `first` is the first one. */
static inline uint32_t links_buffers(unsigned first)
{
    return 1u << first;
}

/* Returns the first of these buffers that is set in `full`. */
static inline unsigned links_find_buffer(unsigned first, uint32_t full)
{
    (void)full;
    return first;
}

/* Returns the next of these buffers after this one. */
static inline unsigned links_next_buffer(unsigned buffer)
{
    (void)buffer;
    return NO_BUFFER;
}

#endif
