/* The nodes of a cube as a grid: rows and columns in Gray code, closed to a torus.
 *
 * The low half of the address (the smaller half, if they differ) is the column, and the high half is
 * the row. The column X has the bits X ^ X >> 1. Columns that follow each other, also the last and
 * the first, differ in one bit. The neighbours to the east, west, north and south are therefore
 * neighbours in the cube. 12 dimensions are 64 x 64 nodes, and 5 dimensions 8 rows of 4.
 *
 * Messages are words of 4 bytes. All nodes call grid_exchange together, as the functions of
 * collectives.h. In a ring of two nodes both neighbours are the same node, and in a ring of one the
 * node itself. */
#ifndef GRID_H
#define GRID_H

#include "collectives.h"

/* Words of the four neighbours. Row 0 is in the north, and column 0 in the west. */
struct grid_words {
    uint32_t east, west, north, south;
};

/* Returns the number of columns. */
static inline unsigned grid_columns(unsigned dims)
{
    return 1u << dims / 2;
}

/* Returns the number of rows. */
static inline unsigned grid_rows(unsigned dims)
{
    return 1u << (dims - dims / 2);
}

/* Returns the number with this Gray code. */
static inline unsigned grid_from_gray(unsigned code)
{
    unsigned number = 0;
    for (; code; code >>= 1)
        number ^= code;
    return number;
}

/* Returns the column of a node, 0 to grid_columns(dims) - 1. */
static inline unsigned grid_column(unsigned node, unsigned dims)
{
    return grid_from_gray(node & (grid_columns(dims) - 1));
}

/* Returns the row of a node, 0 to grid_rows(dims) - 1. */
static inline unsigned grid_row(unsigned node, unsigned dims)
{
    return grid_from_gray(node >> dims / 2);
}

/* Returns the node in this row and column. */
static inline unsigned grid_node(unsigned row, unsigned column, unsigned dims)
{
    return (row ^ row >> 1) << dims / 2 | (column ^ column >> 1);
}

/* Exchanges a word with both neighbours in a ring in Gray code. The nodes of the ring differ in the
 * dimensions `low` to `end` - 1. */
static inline void grid_exchange_ring(unsigned here, unsigned low, unsigned end, uint32_t word,
                                      uint32_t *before, uint32_t *after)
{
    *before = *after = word;
    if (low == end)
        return;
    /* One neighbour differs in the lowest bit. The other one differs in the bit above the lowest 1,
     * or in the last bit if there is no 1 or no bit above it. */
    unsigned code = here >> low & ((1u << (end - low)) - 1), dim = low;
    while (dim < end - 1)
        if (here >> dim++ & 1)
            break;
    /* In a node with an even number the lowest bit leads to the next node. */
    uint32_t first = collective_exchange(low, word);
    uint32_t second = dim == low ? first : collective_exchange(dim, word);
    unsigned odd = grid_from_gray(code) & 1;
    *after = odd ? second : first;
    *before = odd ? first : second;
}

/* Sends a word to the four neighbours of this node, and returns theirs. The dimensions ascend, so it
 * takes one superframe. */
static inline struct grid_words grid_exchange(unsigned here, unsigned dims, uint32_t word)
{
    struct grid_words words;
    grid_exchange_ring(here, 0, dims / 2, word, &words.west, &words.east);
    grid_exchange_ring(here, dims / 2, dims, word, &words.north, &words.south);
    return words;
}

#endif
