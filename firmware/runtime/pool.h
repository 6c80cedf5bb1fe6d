/* A node whose messages lie in a pool of places, which looks ahead: for the runtime's own use.
 *
 * It sends by the rules of docs/adaptive.md. What the host brings it looks at when a phase begins.
 * What comes over a link it looks at in the answer slot, and hands it over if it is at home. What
 * may be sent next, and which places are free, it finds out while a frame is on the wire.
 *
 * It keeps to those rules but for this, and all of it costs only time. What was sent and is still
 * there it looks at anew, in an answer slot in which nothing else has come; until then that does not
 * go. It takes nothing from the host in a phase in which the link has a frame to repeat, or is down.
 * A message whose links are all down it finds in a phase before one in which it receives, and gives
 * up in an answer slot. When a phase begins that it does not expect, for it came too late or fell
 * out of step, it sends and keeps nothing.
 *
 * A place from which a message was sent is used for another one a phase later, unless no other is
 * free.
 */
#ifndef POOL_H
#define POOL_H

#include "expect.h"
#include "node_port.h"
#include "place.h"
#include "tdma.h"

/* Places of a pool, at most. */
#define PLACES 16

/* Messages are compared by one word, which is also what DECIDE is told of them: the difference of
 * the destination from the node, DECIDE_SEND, and the number of the place. DECIDE takes no notice
 * of the difference. No message is as far as NO_MESSAGE. */
#define NO_MESSAGE UINT32_MAX
#define IS_MESSAGE(message) ((int32_t)(message) >= 0)

/* To DECIDE this is no place. It is more than a message at home, and less than any other. */
#define NO_PLACE 64u

/* What is known of the messages in the places, and of the phase that comes. */
struct pool {
    /* Of each place the message, if it is known, or 0; and the places that it is known of. A
     * message at home is never known, nor is one that was sent. */
    uint32_t *messages;
    uint32_t known;
    /* The place of the message that is sent, or of the one that may come, and how DECIDE is told
     * of it: 0 and NO_PLACE if there is none. */
    uint32_t moved, spare;
    /* What comes in this phase, into that place; and another place that is full and not known. */
    uint32_t arrivals;
    uint32_t arrival, strange;
    /* A place whose message can't go anywhere, for its links were down; and one that is given up. */
    unsigned hopeless, gone;
    /* What DECIDE is told in the next phase, without a place. */
    uint32_t decide;
    /* The bit of an address that its link inverts; 0 if the node receives. */
    uint32_t wanted;
    /* Of what is known: of the messages that come nearer over that link, the one with the least
     * difference, or NO_MESSAGE; of the others the one with the greatest, or NO_PLACE. */
    uint32_t nearest, farthest;
    /* The first two places that are free when the next phase begins, or NO_PLACE. The one of a
     * message that was sent is none of them. */
    uint32_t first, second;
    /* All that are free, with the one for what comes. */
    uint32_t free;
    /* POOL_CROWDED, if the node is to be held for crowded when the next phase begins, for with the
     * message that was handed over in the answer slot it was. */
    uint32_t crowded;
    /* A place that was looked at in the answer slot, and its message. */
    unsigned news;
    uint32_t message;
    /* These are here for the compiler to keep them in registers of the core. */
    uint32_t here, mask;
    /* All places. */
    uint32_t places;
    uint32_t *end;
};

/* The difference of the message in a place, which is selected, from the node; 0 if it is at
 * home. */
static inline uint32_t pool_difference(const struct pool *pool)
{
    return (port_read(PORT_RX_DATA) ^ pool->here) & pool->mask;
}

/* The message is known from now on. */
static inline void pool_learn(struct pool *pool, unsigned place, uint32_t message)
{
    pool->messages[place] = message;
    pool->known |= 1u << place;
}

static inline void pool_forget(struct pool *pool, unsigned place)
{
    pool->messages[place] = 0;
    pool->known &= ~(1u << place);
}

/* One more message that may be sent. */
static inline void pool_compare(struct pool *pool, uint32_t message)
{
    if (message & pool->wanted)
        pool->nearest = message < pool->nearest ? message : pool->nearest;
    else
        pool->farthest = message < pool->farthest ? pool->farthest : message;
}

/* Whether a message of the host may come. */
static inline int pool_takes(const struct pool *pool)
{
    uint32_t status = port_read(PORT_HOST_STATUS) | pool->crowded;
    return (status & (HOST_OFFERS | POOL_CROWDED)) == HOST_OFFERS;
}

/* Takes it. Returns it. As the node is not crowded, two places are free beside `spare`. */
static inline uint32_t pool_take(const struct pool *pool)
{
    port_write(PORT_DIM_SELECT, pool->first & DECIDE_REGISTER);
    tdma_on_phase();
    return pool_difference(pool) | pool->first;
}

/* The phase is decided, and `message` was taken, or is 0. */
static inline void pool_decide(struct pool *pool, uint32_t choice, uint32_t message)
{
    port_write(PORT_DECIDE, choice | pool->decide);
    if (message > NO_PLACE)
        pool_learn(pool, message & DECIDE_REGISTER, message);
}

/* A phase begins as usual, in which the node sends. Returns what it sends, or NO_PLACE. */
static inline uint32_t pool_send(struct pool *pool)
{
    uint32_t choice = pool->nearest, message = 0;
    if (pool_takes(pool))
        message = pool_take(pool);
    if (message & pool->wanted) {
        if (message < choice)
            choice = message;
    } else if (!IS_MESSAGE(choice)) {
        choice = NO_PLACE;
        if (port_read(PORT_HOST_STATUS) & POOL_CROWDED)
            choice = message < pool->farthest ? pool->farthest : message;
    }
    pool_decide(pool, choice, message);
    return choice;
}

/* The same where it receives. Returns the place for what comes, or NO_PLACE. */
static inline uint32_t pool_receive(struct pool *pool)
{
    uint32_t choice = pool->first, message = 0;
    if (pool_takes(pool)) {
        message = pool_take(pool);
        choice = pool->second;
    } else if (choice == NO_PLACE && !(port_read(PORT_RX_STATUS) & pool->moved)) {
        choice = pool->spare;
    }
    pool_decide(pool, choice, message);
    return choice;
}

/* The same where the link has a frame to repeat, or is down. The host has to wait. */
static inline uint32_t pool_repeat_or_give_up(struct pool *pool, uint32_t config)
{
    uint32_t choice = NO_PLACE;
    if (config & CONFIG_REPEATS) {
        unsigned repeats = place_turn((config & CONFIG_DIM) | SELECT_LAST_WORD);
        if (config & CONFIG_DOWN)
            pool->gone = repeats;
        else
            choice = DECIDE_SEND | repeats;
    }
    port_write(PORT_DECIDE, choice | pool->decide);
    return choice;
}

/* What is known of the phase that comes, where PHASE_CONFIG has it, and its link. */
static inline void pool_expect(struct pool *pool, uint32_t phase, unsigned link)
{
    pool->decide = phase | DECIDE_REOPEN;
    uint32_t bit = place_link_bit(link);
    pool->wanted = sends(pool->here, bit, phase) ? bit : 0;
}

/* Goes through the messages that are known. */
static inline void pool_choose(struct pool *pool)
{
    pool->nearest = NO_MESSAGE;
    pool->farthest = NO_PLACE;
    for (const uint32_t *message = pool->messages; message != pool->end; message++)
        pool_compare(pool, *message);
}

/* Leaves out the zeros at the lower end of a word that is not 0; `place` counts them. */
static inline uint32_t skip_zeros(uint32_t places, uint32_t *place)
{
    if (!(places & 15)) {
        places >>= 4;
        *place += 4;
    }
    for (; !(places & 1); places >>= 1)
        ++*place;
    return places;
}

/* Finds out which places are free. A sender needs one. */
static inline void pool_make_room(struct pool *pool)
{
    uint32_t free = pool->free & ~pool->moved, place = DECIDE_SEND;
    pool->first = pool->second = NO_PLACE;
    if (!free)
        return;
    free = skip_zeros(free, &place);
    pool->first = place;
    while (!pool->wanted && (free >>= 1)) {
        place++;
        if (free & 1) {
            pool->second = place;
            return;
        }
    }
}

/* Whether a message is known whose links are all down. */
static inline int pool_is_hopeless(const struct pool *pool, uint32_t message)
{
    return message && !(message & pool->mask & ~port_read(PORT_DOWN));
}

/* Looks for the first one, if links are down. */
static inline void pool_give_up(struct pool *pool)
{
    if (!port_read(PORT_DOWN))
        return;
    for (unsigned place = 0; pool->messages + place != pool->end; place++)
        if (pool_is_hopeless(pool, pool->messages[place])) {
            pool->hopeless = place;
            return;
        }
}

/* While the frame is on the wire: what is to be done in the answer slot, and what may be done in
 * the next phase. `choice` is what DECIDE was told of a place. */
static inline void pool_prepare(struct pool *pool, uint32_t config, uint32_t choice)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    if (pool->news != NO_REGISTER)
        pool_learn(pool, pool->news, pool->message);
    pool->news = NO_REGISTER;
    if ((config & (CONFIG_REPEATS | CONFIG_DOWN)) == CONFIG_DOWN && pool->wanted &&
        pool_is_hopeless(pool, pool->messages[pool->hopeless]))
        pool->gone = pool->hopeless;
    if (pool->gone != NO_REGISTER)
        pool_forget(pool, pool->gone);
    pool->moved = 0;
    pool->arrival = choice & DECIDE_REGISTER;
    pool->spare = choice & (NO_PLACE | DECIDE_SEND | DECIDE_REGISTER);
    if (choice & DECIDE_SEND) {
        pool_forget(pool, pool->arrival);
        pool->moved = 1u << pool->arrival;
    }
    pool->arrivals = pool->moved & ~full;

    /* Each link has two phases. */
    unsigned link = config & CONFIG_DIM;
    unsigned later = next_link(link, links);
    uint32_t next = (config & CONFIG_PHASE) + ONE_PHASE;
    if (next & ONE_PHASE)
        pool_expect(pool, next, link);
    else
        pool_expect(pool, later ? next : 0, later);
    if (pool->wanted)
        pool_choose(pool);
    else
        pool_give_up(pool);
    pool->free = pool->places & ~full;
    pool_make_room(pool);
    pool->strange = NO_REGISTER;
    uint32_t unknown = full & ~pool->known & ~pool->moved & ~port_read(PORT_HELD);
    if (unknown) {
        pool->strange = 0;
        skip_zeros(unknown, &pool->strange);
    }
    NOW(pool->known);
    NOW(pool->arrivals);
    NOW(pool->strange);
    NOW(pool->free);
    NOW(pool->decide);
    NOW(pool->wanted);
    NOW(pool->nearest);
    NOW(pool->farthest);
}

/* Whether so many places are free at least. */
static inline int pool_has_four(uint32_t free)
{
    free &= free - 1;
    free &= free - 1;
    return (free & (free - 1)) != 0;
}

/* Looks at a message, and hands it over if it is at home. */
static inline void pool_look(struct pool *pool, unsigned place)
{
    port_write(PORT_DIM_SELECT, place);
    uint32_t delta = pool_difference(pool);
    if (delta) {
        pool->news = place;
        pool->message = delta | DECIDE_SEND | place;
    } else {
        tdma_on_arrival(place);
        if (!pool_has_four(pool->free))
            pool->crowded = POOL_CROWDED;
    }
}

/* The answer slot: looks at what has come, and hands over. */
static inline void pool_slot(struct pool *pool, uint32_t config)
{
    pool->crowded = 0;
    if (pool->gone != NO_REGISTER) {
        give_up(pool->gone, config);
        pool->gone = NO_REGISTER;
    } else if (port_read(PORT_RX_STATUS) & pool->arrivals) {
        pool_look(pool, pool->arrival);
    } else {
        /* Nothing has come into the place that was kept for it. */
        if (pool->arrivals && pool->spare < pool->first) {
            pool->second = pool->first;
            pool->first = pool->spare;
        } else if (pool->arrivals && pool->spare < pool->second) {
            pool->second = pool->spare;
        }
        if (pool->strange != NO_REGISTER)
            pool_look(pool, pool->strange);
    }
    port_write(PORT_DECIDE, config & CONFIG_PHASE);
    if (pool->news != NO_REGISTER)
        pool_compare(pool, pool->message);
}

/* Routes. */
__attribute__((noinline)) static _Noreturn void pool_forward(void)
{
    unsigned places = port_read(PORT_DIMENSIONS) >> DIMENSIONS_PLACES_SHIFT;
    uint32_t messages[PLACES];
    struct pool pool = {
        .messages = messages,
        .end = messages + places,
        .gone = NO_REGISTER,
        .news = NO_REGISTER,
        .here = here,
        .mask = mask,
        .places = (1u << places) - 1,
        .nearest = NO_MESSAGE,
        .farthest = NO_PLACE,
        .spare = NO_PLACE,
        .first = DECIDE_SEND,
        .second = DECIDE_SEND | 1,
    };
    for (unsigned place = 0; place < places; place++)
        messages[place] = 0;
    pool_expect(&pool, 0, 0);
    for (;;) {
        port_wait();
        uint32_t config = port_read(PORT_PHASE_CONFIG), choice = NO_PLACE;
        uint32_t differs = (config ^ pool.decide) & CONFIG_UNUSUAL;
        if (!differs && pool.wanted)
            choice = pool_send(&pool);
        else if (differs & (CONFIG_PHASE | CONFIG_DECIDED))
            port_write(PORT_DECIDE, (config & CONFIG_PHASE) | DECIDE_REOPEN);
        else if (!pool.wanted)
            choice = pool_receive(&pool);
        else
            choice = pool_repeat_or_give_up(&pool, config);
        /* A decision that came in another phase is void: there is no time to be lost. */
        if ((port_read(PORT_PHASE_CONFIG) ^ config) & CONFIG_PHASE) {
            pool.gone = NO_REGISTER;
            continue;
        }
        pool_prepare(&pool, config, choice);
        port_wait();
        pool_slot(&pool, config);
    }
}

#endif
