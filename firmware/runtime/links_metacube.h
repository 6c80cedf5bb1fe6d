/* Links of a node of a metacube: a part of links.h. The functions are described in links_cube.h. */
#ifndef LINKS_METACUBE_H
#define LINKS_METACUBE_H

/* Bits of the field of the node's own class, and the lowest bit of a class. */
static uint32_t own_field;
static uint32_t cross;

#if CLASS_BITS == 2
/* Number of the lowest class bit, and the rule that selects between the two cross edges. The index
 * of `second` is the xor of the node's class and the destination's class, 0 to 3. A message takes
 * the second cross edge if a bit in `wrong` differs and no bit in `right` differs. It thereby
 * visits the classes with wrong fields on a shorter path (routing::metacube::next_link). */
static unsigned class_shift;
static struct {
    uint32_t wrong, right;
} second[4];
#endif

/* Buffers of link 0, one bit each. */
static uint32_t buffers_of_link_0;

/* Returns the bits of the field of a class, with `field_bits` bits for each field. */
static inline uint32_t links_field(unsigned class, unsigned field_bits)
{
    uint32_t bits = ((1u << field_bits) - 1) << WORD_DESTINATION_SHIFT;
    for (; class; class--)
        bits <<= field_bits;
    return bits;
}

static inline void links_init(uint16_t address, unsigned dims)
{
    unsigned field_bits = dims - CLASS_BITS;
    unsigned end = WORD_DESTINATION_SHIFT + (field_bits << CLASS_BITS);
    here = (uint32_t)address << WORD_DESTINATION_SHIFT;
    links = dims;
    cross = 1u << end;
    mask = (cross << CLASS_BITS) - (1u << WORD_DESTINATION_SHIFT);
    for (uint32_t bit = 1; bit; bit <<= dims)
        buffers_of_link_0 |= bit;
#if CLASS_BITS == 1
    own_field = links_field(here >> end, field_bits);
#else
    uint32_t field[4];
    for (unsigned difference = 0; difference < 4; difference++)
        field[difference] = links_field(here >> end ^ difference, field_bits);
    own_field = field[0];
    class_shift = end;
    second[0].wrong = second[3].wrong = field[2];
    second[1].wrong = field[2] | field[3];
    second[2].wrong = mask;
    second[0].right = second[2].right = field[1] | field[3];
    second[3].right = field[1];
#endif
}

/* Returns whether a message takes the second cross edge first. */
static inline uint32_t links_take_second(uint32_t delta)
{
#if CLASS_BITS == 2
    unsigned difference = delta >> class_shift;
    return delta & second[difference].wrong && !(delta & second[difference].right);
#else
    (void)delta;
    return 0;
#endif
}

/* Lowest differing bit of the own field, else a bit of the class. */
static inline uint32_t links_next_bit(uint32_t delta)
{
    uint32_t own = delta & own_field;
    return own ? own & -own : cross << links_take_second(delta);
}

static inline unsigned links_injection(void)
{
    return links - CLASS_BITS;
}

static inline uint32_t links_bit(unsigned link)
{
    unsigned field_bits = links_injection();
    return link < field_bits ? (own_field & -own_field) << link : cross << (link - field_bits);
}

/* A message takes a cross edge if its own field is correct and it is not for this node. */
static inline struct link links_select(unsigned link)
{
    uint32_t bit = links_bit(link);
    unsigned cross_edge = link - links_injection();
    if (link < links_injection())
        return (struct link){.bit = bit, .deciding = own_field & ((bit << 1) - 1), .wanted = bit};
    return (struct link){.bit = bit, .deciding = own_field | 1, .wanted = cross_edge};
}

/* Bit 0 is not part of an address, so it holds the number of the cross edge. */
static inline uint32_t links_mark(uint32_t delta)
{
    return delta | links_take_second(delta);
}

/* For a cross edge no bit of the own field may differ. This is also true of a message for this
 * node. */
static inline int links_wants(uint32_t delta, const struct link *link)
{
    return delta && (delta & link->deciding) == link->wanted;
}

/* A message that arrives over a cross edge has passed one. */
static inline unsigned links_first_buffer(unsigned link)
{
    return link < links_injection() ? link : link + links;
}

static inline uint32_t links_buffers(unsigned first)
{
    return buffers_of_link_0 << first;
}

static inline unsigned links_find_buffer(unsigned first, uint32_t full)
{
    for (full >>= first; !(full & 1); full >>= links)
        first += links;
    return first;
}

static inline unsigned links_next_buffer(unsigned buffer)
{
    return buffer == links_injection() ? NO_BUFFER : buffer + links;
}

#endif
