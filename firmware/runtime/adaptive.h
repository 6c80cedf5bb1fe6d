/* What a node sends whose messages lie in a pool of places: for the runtime's own use. */
#ifndef ADAPTIVE_H
#define ADAPTIVE_H

#include "node_port.h"
#include "place.h"
#include "tdma.h"

/* Messages are compared by one word, the lower the better: the difference of the destination from
 * the node, with the number of the place below it. Of what does not come nearer all bits are
 * inverted. */
#define NOTHING UINT32_MAX
#define IS_UNWANTED(best) ((best) >> 31)
#define PLACE_NUMBER 0x1Fu

/* Places of the pool. */
static unsigned places;

/* Which places are full, from the one looked at on, and whether a message of the host may come. */
struct pool {
    uint32_t full, takes;
};

/* Looks at a place: a message that is at home goes to the host, and if the place is free then, one
 * of the host may come in. Returns the difference of the message's destination from the node; 0 if
 * there is none, or the host has no room for it. */
static inline __attribute__((always_inline)) uint32_t look(struct pool *pool, unsigned place)
{
    for (;;) {
        if (pool->full & 1) {
            port_write(PORT_DIM_SELECT, place);
            uint32_t delta = (port_read(PORT_RX_DATA) ^ here) & mask;
            if (delta)
                return delta;
            tdma_on_arrival(place);
            pool->full = port_read(PORT_RX_STATUS) >> place;
            if (pool->full & 1)
                return 0;
        } else if (pool->takes) {
            pool->takes = 0;
            port_write(PORT_DIM_SELECT, place);
            tdma_on_phase();
            pool->full = port_read(PORT_RX_STATUS) >> place;
        } else {
            return 0;
        }
    }
}

/* A receiver keeps the first place that is free for what comes. */
static inline uint32_t receive(struct pool pool)
{
    uint32_t choice = 0;
    for (unsigned place = 0; place < places; place++, pool.full >>= 1) {
        look(&pool, place);
        if (!(pool.full & 1) && !choice)
            choice = DECIDE_SEND | place;
    }
    return choice;
}

/* A sender sends, of the messages that come nearer, the one with the least difference; if there is
 * none and it is crowded, the one with the greatest. No link must repeat them. */
static inline uint32_t send(struct pool pool, uint32_t wanted)
{
    uint32_t candidates = ~port_read(PORT_HELD);
    uint32_t best = NOTHING;
    for (unsigned place = 0; place < places; place++, pool.full >>= 1, candidates >>= 1) {
        uint32_t delta = look(&pool, place);
        if (!delta || !(candidates & 1))
            continue;
        uint32_t key = delta | place;
        if (!(delta & wanted))
            key = ~key;
        if (key < best)
            best = key;
    }
    if (!IS_UNWANTED(best))
        return DECIDE_SEND | (best & PLACE_NUMBER);
    if (best != NOTHING && port_read(PORT_HOST_STATUS) & POOL_CROWDED)
        return DECIDE_SEND | (~best & PLACE_NUMBER);
    return 0;
}

/* A link that has a frame to repeat repeats it. If the link is down, this message goes to the host,
 * for it may have arrived; else one whose links are all down does. */
static uint32_t repeat_or_give_up(struct pool pool, uint32_t config)
{
    uint32_t down = config & CONFIG_DOWN, phase = config & CONFIG_PHASE;
    uint32_t candidates = 0, repeats = NO_REGISTER;
    if (config & CONFIG_REPEATS) {
        port_write(PORT_DIM_SELECT, (config & CONFIG_DIM) | SELECT_LAST_WORD);
        repeats = port_read(PORT_RX_DATA) & PLACE_NUMBER;
    } else {
        candidates = ~port_read(PORT_HELD);
    }
    uint32_t choice = down ? 0 : DECIDE_SEND | repeats;
    for (unsigned place = 0; place < places; place++, pool.full >>= 1, candidates >>= 1) {
        uint32_t delta;
        while ((delta = look(&pool, place)) && down) {
            if (place == repeats) {
                port_write(PORT_MOVE, phase | MOVE_UNKNOWN);
                repeats = NO_REGISTER;
            } else if (candidates & 1 && !(delta & ~port_read(PORT_DOWN))) {
                port_write(PORT_MOVE, phase | MOVE_UNDELIVERED);
                candidates = 0;
            } else {
                break;
            }
            pool.full = port_read(PORT_RX_STATUS) >> place;
        }
    }
    return choice;
}

/* What a node does at the beginning of every phase (docs/adaptive.md): it looks at its places in
 * ascending order. If it was not crowded, a message of the host comes into the first one that is
 * free. */
static void serve(void)
{
    uint32_t config = port_read(PORT_PHASE_CONFIG);
    uint32_t wanted = config & CONFIG_TRANSMIT;
    struct pool pool;
    uint32_t choice;
    pool.takes = (port_read(PORT_HOST_STATUS) & (HOST_OFFERS | POOL_CROWDED)) == HOST_OFFERS;
    pool.full = port_read(PORT_RX_STATUS);
    if (!wanted)
        choice = receive(pool);
    else if (config & (CONFIG_REPEATS | CONFIG_DOWN))
        choice = repeat_or_give_up(pool, config);
    else
        choice = send(pool, wanted);
    port_write(PORT_DECIDE, choice | (config & CONFIG_PHASE));
}

#endif
