/* Node with a pool of message slots, which looks ahead. For internal use by the runtime.
 *
 * The node sends by the rules of docs/adaptive.md. It examines a message from the host when a phase
 * begins. It examines a message from a link in the answer slot, and delivers it to the host if it
 * is for this node. While a frame is on the wire it determines the messages that may be sent next
 * and the free slots.
 *
 * The program deviates from these rules in the following points, which cost only time. A message
 * that was sent and is still in its slot is examined again in an answer slot in which no other
 * message arrived. Until then it is not sent. The node takes no message from the host in a phase in
 * which the link repeats a frame or is down. It finds a message whose links are all down in a phase
 * before one in which it receives, and returns the message to the host in an answer slot. If an
 * unexpected phase begins, because the program was too late or the node lost sync, it sends and
 * stores nothing.
 *
 * The slot of a message that was sent is reused one phase later, unless no other slot is free. */
#ifndef POOL_H
#define POOL_H

#include "expect.h"
#include "node_port.h"
#include "place.h"
#include "tdma.h"

/* Maximum number of slots. */
#define PLACES 16

/* A message is represented by one word, which orders messages and is also written to DECIDE. The
 * word contains the difference between destination and node, DECIDE_SEND, and the number of the
 * slot. DECIDE ignores the difference. NO_MESSAGE is greater than any message. */
#define NO_MESSAGE UINT32_MAX
#define IS_MESSAGE(message) ((int32_t)(message) >= 0)

/* Represents no slot for DECIDE. The value is greater than a message for this node, and less than
 * any other message. */
#define NO_PLACE 64u

/* State of the messages in the slots and of the next phase. */
struct pool {
    /* Word of the message in each slot, or 0 if it is unknown, and the set of known slots. A
     * message for this node is never known, nor is one that was sent. */
    uint32_t *messages;
    uint32_t known;
    /* Slot of the sent message as a bit, or 0. Slot of the sent or arriving message as written to
     * DECIDE, or NO_PLACE. */
    uint32_t moved, spare;
    /* Slot of the message that arrives in this phase, as a bit and as a number, and another full
     * slot with an unknown message. */
    uint32_t arrivals;
    uint32_t arrival, strange;
    /* Slot of a message whose links were all down, and slot of a message to return to the host. */
    unsigned hopeless, gone;
    /* Value for DECIDE in the next phase, without a slot. */
    uint32_t decide;
    /* Address bit that the link inverts, or 0 if the node receives. */
    uint32_t wanted;
    /* Least difference among the known messages that come nearer over the link, or NO_MESSAGE.
     * Greatest difference among the other known messages, or NO_PLACE. */
    uint32_t nearest, farthest;
    /* First two slots that are free when the next phase begins, or NO_PLACE. They exclude the slot
     * of a message that was sent. */
    uint32_t first, second;
    /* All free slots, including the one for an arriving message. */
    uint32_t free;
    /* POOL_CROWDED if the node counts as crowded when the next phase begins. It was crowded before
     * a message was delivered in the answer slot. */
    uint32_t crowded;
    /* Slot that was examined in the answer slot, and its message. */
    unsigned news;
    uint32_t message;
    /* Copies that let the compiler keep these values in core registers. */
    uint32_t here, mask;
    /* All slots. */
    uint32_t places;
    uint32_t *end;
};

/* Returns the difference between the message in the selected slot and the node, or 0 if the message
 * is for this node. */
static inline uint32_t pool_difference(const struct pool *pool)
{
    return (port_read(PORT_RX_DATA) ^ pool->here) & pool->mask;
}

/* Records a message as known. */
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

/* Considers one more message for sending. */
static inline void pool_compare(struct pool *pool, uint32_t message)
{
    if (message & pool->wanted)
        pool->nearest = message < pool->nearest ? message : pool->nearest;
    else
        pool->farthest = message < pool->farthest ? pool->farthest : message;
}

/* Returns whether a message from the host may be taken. */
static inline int pool_takes(const struct pool *pool)
{
    uint32_t status = port_read(PORT_HOST_STATUS) | pool->crowded;
    return (status & (HOST_OFFERS | POOL_CROWDED)) == HOST_OFFERS;
}

/* Takes the host's message and returns its word. The node is not crowded, so two slots are free in
 * addition to `spare`. */
static inline uint32_t pool_take(const struct pool *pool)
{
    port_write(PORT_DIM_SELECT, pool->first & DECIDE_REGISTER);
    tdma_on_phase();
    return pool_difference(pool) | pool->first;
}

/* Decides the phase. `message` is the message taken from the host, or 0. */
static inline void pool_decide(struct pool *pool, uint32_t choice, uint32_t message)
{
    port_write(PORT_DECIDE, choice | pool->decide);
    if (message > NO_PLACE)
        pool_learn(pool, message & DECIDE_REGISTER, message);
}

/* Begins an expected phase in which the node sends. Returns the message to send, or NO_PLACE. */
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

/* Begins an expected phase in which the node receives. Returns the slot for the arriving message,
 * or NO_PLACE. */
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

/* Begins a phase in which the link repeats a frame or is down. The host waits. */
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

/* Prepares the next phase and its link. `phase` is positioned as in PHASE_CONFIG. */
static inline void pool_expect(struct pool *pool, uint32_t phase, unsigned link)
{
    pool->decide = phase | DECIDE_REOPEN;
    uint32_t bit = place_link_bit(link);
    pool->wanted = sends(pool->here, bit, phase) ? bit : 0;
}

/* Searches the known messages. */
static inline void pool_choose(struct pool *pool)
{
    pool->nearest = NO_MESSAGE;
    pool->farthest = NO_PLACE;
    for (const uint32_t *message = pool->messages; message != pool->end; message++)
        pool_compare(pool, *message);
}

/* Removes the zeros at the lower end of a nonzero word, and adds their number to `*place`. */
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

/* Determines the free slots. A sender needs one. */
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

/* Returns whether the message is known and all its links are down. */
static inline int pool_is_hopeless(const struct pool *pool, uint32_t message)
{
    return message && !(message & pool->mask & ~port_read(PORT_DOWN));
}

/* Searches for the first hopeless message, if links are down. */
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

/* Prepares the answer slot and the next phase while the frame is on the wire. `choice` is the slot
 * as written to DECIDE. */
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

/* Returns whether at least four slots are free. */
static inline int pool_has_four(uint32_t free)
{
    free &= free - 1;
    free &= free - 1;
    return (free & (free - 1)) != 0;
}

/* Examines a message, and delivers it if it is for this node. */
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

/* Handles the answer slot: examines the received message, and delivers messages to the host. */
static inline void pool_slot(struct pool *pool, uint32_t config)
{
    pool->crowded = 0;
    if (pool->gone != NO_REGISTER) {
        give_up(pool->gone, config);
        pool->gone = NO_REGISTER;
    } else if (port_read(PORT_RX_STATUS) & pool->arrivals) {
        pool_look(pool, pool->arrival);
    } else {
        /* No message arrived in the slot that was reserved for it. */
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

/* Routes in a node with a pool. */
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
        /* A decision for a past phase is void, so the next phase must be decided at once. */
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
