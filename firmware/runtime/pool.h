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
#include "links.h"
#include "tdma.h"

/* Maximum number of slots. */
#define SLOTS 16

/* A message is represented by one word, which orders messages and is also written to DECIDE. The
 * word contains the difference between destination and node, DECIDE_SEND, and the number of the
 * slot. DECIDE ignores the difference. NO_MESSAGE is greater than any message. */
#define NO_MESSAGE UINT32_MAX
#define IS_MESSAGE(message) ((int32_t)(message) >= 0)

/* Represents no slot for DECIDE. The value is greater than a message for this node, and less than
 * any other message. */
#define NO_SLOT 64u

/* State of the messages in the slots and of the next phase. */
struct pool {
    /* Word of the message in each slot, or 0 if it is unknown, and the set of known slots. A
     * message for this node is never known, nor is one that was sent. */
    uint32_t *messages;
    uint32_t known;
    /* Slot of the sent message as a bit, or 0. Slot of the sent or arriving message as written to
     * DECIDE, or NO_SLOT. */
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
     * Greatest difference among the other known messages, or NO_SLOT. */
    uint32_t nearest, farthest;
    /* First two slots that are free when the next phase begins, or NO_SLOT. They exclude the slot
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
    uint32_t slots;
    uint32_t *end;
};

/* Returns the difference between the message in the selected slot and the node, or 0 if the message
 * is for this node. */
static inline uint32_t pool_difference(const struct pool *pool)
{
    return (port_read(PORT_RX_DATA) ^ pool->here) & pool->mask;
}

/* Records a message as known. */
static inline void pool_learn(struct pool *pool, unsigned slot, uint32_t message)
{
    pool->messages[slot] = message;
    pool->known |= 1u << slot;
}

static inline void pool_forget(struct pool *pool, unsigned slot)
{
    pool->messages[slot] = 0;
    pool->known &= ~(1u << slot);
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
    port_write(PORT_DIM_SELECT, pool->first & DECIDE_BUFFER);
    tdma_on_phase();
    return pool_difference(pool) | pool->first;
}

/* Decides the phase. `message` is the message taken from the host, or 0. */
static inline void pool_decide(struct pool *pool, uint32_t choice, uint32_t message)
{
    port_write(PORT_DECIDE, choice | pool->decide);
    if (message > NO_SLOT)
        pool_learn(pool, message & DECIDE_BUFFER, message);
}

/* Begins an expected phase in which the node sends. Returns the message to send, or NO_SLOT. */
static inline uint32_t pool_send(struct pool *pool)
{
    uint32_t choice = pool->nearest, message = 0;
    if (pool_takes(pool))
        message = pool_take(pool);
    if (message & pool->wanted) {
        if (message < choice)
            choice = message;
    } else if (!IS_MESSAGE(choice)) {
        choice = NO_SLOT;
        if (port_read(PORT_HOST_STATUS) & POOL_CROWDED)
            choice = message < pool->farthest ? pool->farthest : message;
    }
    pool_decide(pool, choice, message);
    return choice;
}

/* Begins an expected phase in which the node receives. Returns the slot for the arriving message,
 * or NO_SLOT. */
static inline uint32_t pool_receive(struct pool *pool)
{
    uint32_t choice = pool->first, message = 0;
    if (pool_takes(pool)) {
        message = pool_take(pool);
        choice = pool->second;
    } else if (choice == NO_SLOT && !(port_read(PORT_RX_STATUS) & pool->moved)) {
        choice = pool->spare;
    }
    pool_decide(pool, choice, message);
    return choice;
}

/* Begins a phase in which the link repeats a frame or is down. The host waits. */
static inline uint32_t pool_repeat_or_give_up(struct pool *pool, uint32_t config)
{
    uint32_t choice = NO_SLOT;
    if (config & CONFIG_REPEATS) {
        unsigned repeats = links_turn((config & CONFIG_DIM) | SELECT_LAST_WORD);
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
    uint32_t bit = links_bit(link);
    pool->wanted = sends(pool->here, bit, phase) ? bit : 0;
}

/* Searches the known messages. */
static inline void pool_choose(struct pool *pool)
{
    pool->nearest = NO_MESSAGE;
    pool->farthest = NO_SLOT;
    for (const uint32_t *message = pool->messages; message != pool->end; message++)
        pool_compare(pool, *message);
}

/* Removes the zeros at the lower end of a nonzero word, and adds their number to `*slot`. */
static inline uint32_t skip_zeros(uint32_t slots, uint32_t *slot)
{
    if (!(slots & 15)) {
        slots >>= 4;
        *slot += 4;
    }
    for (; !(slots & 1); slots >>= 1)
        ++*slot;
    return slots;
}

/* Determines the free slots. A sender needs one. */
static inline void pool_make_room(struct pool *pool)
{
    uint32_t free = pool->free & ~pool->moved, slot = DECIDE_SEND;
    pool->first = pool->second = NO_SLOT;
    if (!free)
        return;
    free = skip_zeros(free, &slot);
    pool->first = slot;
    while (!pool->wanted && (free >>= 1)) {
        slot++;
        if (free & 1) {
            pool->second = slot;
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
    for (unsigned slot = 0; pool->messages + slot != pool->end; slot++)
        if (pool_is_hopeless(pool, pool->messages[slot])) {
            pool->hopeless = slot;
            return;
        }
}

/* Prepares the answer slot and the next phase while the frame is on the wire. `choice` is the slot
 * as written to DECIDE. */
static inline void pool_prepare(struct pool *pool, uint32_t config, uint32_t choice)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    if (pool->news != NO_BUFFER)
        pool_learn(pool, pool->news, pool->message);
    pool->news = NO_BUFFER;
    if ((config & (CONFIG_REPEATS | CONFIG_DOWN)) == CONFIG_DOWN && pool->wanted &&
        pool_is_hopeless(pool, pool->messages[pool->hopeless]))
        pool->gone = pool->hopeless;
    if (pool->gone != NO_BUFFER)
        pool_forget(pool, pool->gone);
    pool->moved = 0;
    pool->arrival = choice & DECIDE_BUFFER;
    pool->spare = choice & (NO_SLOT | DECIDE_SEND | DECIDE_BUFFER);
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
    pool->free = pool->slots & ~full;
    pool_make_room(pool);
    pool->strange = NO_BUFFER;
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
static inline void pool_look(struct pool *pool, unsigned slot)
{
    port_write(PORT_DIM_SELECT, slot);
    uint32_t delta = pool_difference(pool);
    if (delta) {
        pool->news = slot;
        pool->message = delta | DECIDE_SEND | slot;
    } else {
        tdma_on_arrival(slot);
        if (!pool_has_four(pool->free))
            pool->crowded = POOL_CROWDED;
    }
}

/* Handles the answer slot: examines the received message, and delivers messages to the host. */
static inline void pool_slot(struct pool *pool, uint32_t config)
{
    pool->crowded = 0;
    if (pool->gone != NO_BUFFER) {
        give_up(pool->gone, config);
        pool->gone = NO_BUFFER;
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
        if (pool->strange != NO_BUFFER)
            pool_look(pool, pool->strange);
    }
    port_write(PORT_DECIDE, config & CONFIG_PHASE);
    if (pool->news != NO_BUFFER)
        pool_compare(pool, pool->message);
}

/* Routes in a node with a pool. */
__attribute__((noinline)) static _Noreturn void pool_forward(void)
{
    unsigned slots = port_read(PORT_DIMENSIONS) >> DIMENSIONS_SLOTS_SHIFT;
    uint32_t messages[SLOTS];
    struct pool pool = {
        .messages = messages,
        .end = messages + slots,
        .gone = NO_BUFFER,
        .news = NO_BUFFER,
        .here = here,
        .mask = mask,
        .slots = (1u << slots) - 1,
        .nearest = NO_MESSAGE,
        .farthest = NO_SLOT,
        .spare = NO_SLOT,
        .first = DECIDE_SEND,
        .second = DECIDE_SEND | 1,
    };
    for (unsigned slot = 0; slot < slots; slot++)
        messages[slot] = 0;
    pool_expect(&pool, 0, 0);
    for (;;) {
        port_wait();
        uint32_t config = port_read(PORT_PHASE_CONFIG), choice = NO_SLOT;
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
            pool.gone = NO_BUFFER;
            continue;
        }
        pool_prepare(&pool, config, choice);
        port_wait();
        pool_slot(&pool, config);
    }
}

#endif
