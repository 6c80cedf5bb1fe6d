/* A node of a cube that does nothing but route and looks ahead: for the runtime's own use.
 *
 * It sends by the same rule as serve() in ecube.h, but at the beginning of a phase it looks at no
 * message but the one that the host brings. What comes over a link it looks at in the answer slot,
 * and what it knows it goes through while a frame is on the wire. A message that is at home goes
 * to the host in the answer slot of the phase after it came, and so does one whose link is down.
 *
 * When a phase begins that it does not expect, for it came too late or fell out of step, it sends
 * nothing. What it does not know it looks at later, a register in a phase.
 *
 * In a metacube there is no room for it in the program store.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include "expect.h"
#include "node_port.h"
#include "place.h"
#include "tdma.h"

/* Numbers of registers, at most: one for each link, and the injection register, whose number is
 * that of the links. */
#define REGISTERS 16

/* The rank of a register that wants the link of a phase: the lower, the sooner it is served. The
 * lower six bits are what DECIDE is told; of the others the first means nothing to it, and the
 * second, DECIDE_REOPEN, is always set. */
#define RANK_AFTER_TURN 64u
#define RANK_NONE 128u

/* The link of a phase takes no message, for the node receives: no bit of a destination. */
#define NOTHING 1u

/* What is known of the messages in the registers, and of the phases that come. */
struct ahead {
    /* Full registers whose message was looked at. */
    uint32_t known;
    /* The one that was sent last. */
    uint32_t sent;
    /* The injection register, if it is not known. */
    uint32_t fresh;
    /* The register for a message that comes in this phase, if it is not known, and its number;
     * and another register that is full and not known. */
    uint32_t arrivals;
    unsigned arrival, strange;
    /* The host's message is for itself. */
    int to_self;
    /* Registers to be handed over: with a message that is at home, and with one that is given up;
     * and both of them. */
    unsigned home, gone;
    uint32_t handed;
    /* What DECIDE is told in the next phase, without a register. */
    uint32_t decide;
    /* The bit of an address that its link inverts, where a message has it, or NOTHING; and the
     * bits that tell whether a message wants it. */
    uint32_t wanted, deciding;
    /* The turn of its link. */
    uint32_t turn;
    /* The lowest rank of the registers that are known, and the rank of the injection register. */
    uint32_t rank, injection_rank;
    /* What DIM_SELECT is told for the turn of that link, and of the one of the phase after it; and
     * the latter's turn. In a cube of one dimension that is not the latest, but there no two
     * registers want a link. */
    uint32_t select, select_later, later_turn;
    /* A register that was looked at in the answer slot, and how its message differs from the
     * node's address. */
    unsigned news;
    uint32_t delta;
    /* Of each register that is known the bit of an address that the next link of its message
     * inverts; 0 if it is at home. */
    uint16_t *wants;
    /* These are here for the compiler to keep them in registers of the core. */
    uint32_t here, mask;
    unsigned injection;
};

/* How the message of a register differs from the node's address. */
static inline uint32_t ahead_look(const struct ahead *ahead, unsigned reg)
{
    port_write(PORT_DIM_SELECT, reg);
    return port_read(PORT_RX_DATA) ^ ahead->here;
}

/* The message is known from now on. Returns whether it is at home. */
static inline int ahead_learn(struct ahead *ahead, unsigned reg, uint32_t delta)
{
    delta &= ahead->mask;
    uint32_t want = delta & -delta;
    ahead->wants[reg] = (uint16_t)(want >> WORD_DESTINATION_SHIFT);
    ahead->known |= 1u << reg;
    return !want;
}

/* The rank of a register that wants the link. */
static inline uint32_t ahead_rank(const struct ahead *ahead, unsigned reg)
{
    return reg < ahead->turn ? DECIDE_SEND | RANK_AFTER_TURN | reg : DECIDE_SEND | reg;
}

/* The phase that comes next, where PHASE_CONFIG has it, and its link. */
static inline void ahead_expect(struct ahead *ahead, uint32_t phase, unsigned link)
{
    uint32_t bit = sends_over(ahead->here, link, phase);
    ahead->decide = phase | DECIDE_REOPEN;
    ahead->wanted = bit ? bit : NOTHING;
    /* It is the next link of a message if no lower bit differs. */
    ahead->deciding = ((ahead->wanted << 1) - 1) & ahead->mask;
    ahead->select = SELECT_LAST_WORD | link;
    ahead->turn = ahead->later_turn;
    ahead->injection_rank = ahead_rank(ahead, ahead->injection);
}

/* Goes through all registers that are known. */
static inline void ahead_scan(struct ahead *ahead)
{
    uint32_t wanted = ahead->wanted >> WORD_DESTINATION_SHIFT;
    uint32_t left = wanted ? ahead->known : 0;
    uint32_t rank = RANK_NONE;
    for (unsigned reg = 0; left; reg++, left >>= 1) {
        if (!(left & 1) || ahead->wants[reg] != wanted)
            continue;
        if (reg >= ahead->turn) {
            rank = DECIDE_SEND | reg;
            break;
        }
        if (rank == RANK_NONE)
            rank = DECIDE_SEND | RANK_AFTER_TURN | reg;
    }
    ahead->rank = rank;
}

/* A phase begins as usual. Returns the rank of what is sent. */
static inline uint32_t ahead_begin(struct ahead *ahead)
{
    uint32_t rank = ahead->rank;
    tdma_on_phase();
    if (port_read(PORT_RX_STATUS) & ahead->fresh) {
        uint32_t delta = ahead_look(ahead, ahead->injection);
        if ((delta & ahead->deciding) == ahead->wanted && ahead->injection_rank < rank)
            rank = ahead->injection_rank;
        port_write(PORT_DECIDE, rank | ahead->decide);
        ahead->to_self = ahead_learn(ahead, ahead->injection, delta);
    } else {
        port_write(PORT_DECIDE, rank | ahead->decide);
    }
    return rank;
}

/* The same where the link has a frame to repeat. */
static inline uint32_t ahead_repeat(struct ahead *ahead)
{
    uint32_t rank = DECIDE_SEND | place_turn(ahead->select);
    tdma_on_phase();
    port_write(PORT_DECIDE, rank | ahead->decide);
    return rank;
}

/* The same where the link is down: a message that wants it is given up, the one to be repeated
 * before all others. */
static inline void ahead_give_up(struct ahead *ahead, uint32_t config)
{
    tdma_on_phase();
    uint32_t turn = place_turn(ahead->select);
    port_write(PORT_DECIDE, ahead->decide);
    if (config & CONFIG_REPEATS)
        ahead->gone = turn;
    else if (ahead->rank != RANK_NONE)
        ahead->gone = ahead->rank & (DECIDE_SEND - 1);
}

/* While the frame is on the wire: what is to be done in the answer slot, and what may be sent in
 * the next phase. */
static inline void ahead_prepare(struct ahead *ahead, uint32_t config, uint32_t rank)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    uint32_t injection = 1u << ahead->injection;
    ahead->known &= full;
    ahead->handed = ahead->gone == NO_REGISTER ? 0 : 1u << ahead->gone;
    if (ahead->to_self) {
        ahead->home = ahead->injection;
        ahead->known &= ~injection;
    }
    if (ahead->news != NO_REGISTER && ahead_learn(ahead, ahead->news, ahead->delta))
        ahead->home = ahead->news;
    if (ahead->home != NO_REGISTER)
        ahead->handed |= 1u << ahead->home;
    ahead->to_self = 0;
    ahead->news = NO_REGISTER;

    /* Each link has two phases. */
    unsigned link = config & CONFIG_DIM;
    unsigned later = next_link(link, ahead->injection);
    uint32_t next = (config & CONFIG_PHASE) + ONE_PHASE;
    ahead->arrival = link;
    ahead->select_later = SELECT_LAST_WORD | later;
    if (next & ONE_PHASE)
        ahead_expect(ahead, next, link);
    else
        ahead_expect(ahead, later ? next : 0, later);
    ahead_scan(ahead);
    ahead->sent = rank == RANK_NONE ? 0 : 1u << (rank & (DECIDE_SEND - 1));
    /* The host may bring another message into it before it is seen to be free. */
    ahead->known &= ~(ahead->sent & injection);
    ahead->fresh = injection & ~(ahead->known & ~ahead->handed);
    ahead->arrivals = 1u << ahead->arrival & ~ahead->known;
    ahead->strange = NO_REGISTER;
    uint32_t unknown = full & ~ahead->known & ~ahead->sent;
    for (unsigned reg = 0; unknown; reg++, unknown >>= 1)
        if (unknown & 1)
            ahead->strange = reg;
    NOW(ahead->known);
    NOW(ahead->fresh);
    NOW(ahead->arrivals);
    NOW(ahead->handed);
    NOW(ahead->decide);
    NOW(ahead->deciding);
    NOW(ahead->rank);
    NOW(ahead->injection_rank);
    NOW(ahead->select_later);
}

/* The answer slot: looks at what has come, and hands over. */
static inline void ahead_slot(struct ahead *ahead, uint32_t config)
{
    ahead->news = port_read(PORT_RX_STATUS) & ahead->arrivals ? ahead->arrival : ahead->strange;
    if (ahead->news != NO_REGISTER)
        ahead->delta = ahead_look(ahead, ahead->news);
    ahead->later_turn = place_turn(ahead->select_later);
    if (ahead->home != NO_REGISTER) {
        port_write(PORT_DIM_SELECT, ahead->home);
        tdma_on_arrival(ahead->home);
    }
    if (ahead->gone != NO_REGISTER)
        give_up(ahead->gone, config);
    port_write(PORT_DECIDE, config & CONFIG_PHASE);
    /* If one is still full, because the host had no room, it is looked at anew. */
    ahead->known &= ~ahead->handed;
    ahead->home = ahead->gone = NO_REGISTER;
    if (ahead->news != NO_REGISTER && (ahead->delta & ahead->deciding) == ahead->wanted) {
        uint32_t rank = ahead_rank(ahead, ahead->news);
        if (rank < ahead->rank)
            ahead->rank = rank;
    }
}

/* Routes, where links have answers. By its name it is known which programs look ahead. */
__attribute__((noinline)) static _Noreturn void ahead_forward(void)
{
    uint16_t wants[REGISTERS];
    struct ahead ahead = {
        .home = NO_REGISTER,
        .gone = NO_REGISTER,
        .news = NO_REGISTER,
        .wants = wants,
        .rank = RANK_NONE,
        .here = here,
        .mask = mask,
        .injection = place_injection(),
        .select_later = SELECT_LAST_WORD,
    };
    ahead.fresh = 1u << ahead.injection;
    ahead_expect(&ahead, 0, 0);
    for (;;) {
        port_wait();
        uint32_t config = port_read(PORT_PHASE_CONFIG);
        uint32_t differs = (config ^ ahead.decide) & CONFIG_UNUSUAL, rank;
        if (!differs) {
            rank = ahead_begin(&ahead);
        } else if (differs == CONFIG_REPEATS) {
            rank = ahead_repeat(&ahead);
        } else if (!(differs & CONFIG_PHASE)) {
            rank = RANK_NONE;
            ahead_give_up(&ahead, config);
        } else {
            /* The register may have been free meanwhile, and full again. */
            rank = RANK_NONE;
            port_write(PORT_DECIDE, (config & CONFIG_PHASE) | DECIDE_REOPEN);
            ahead.known &= ~ahead.sent;
        }
        /* A decision that came in another phase is void: there is no time to be lost. */
        if ((port_read(PORT_PHASE_CONFIG) ^ config) & CONFIG_PHASE) {
            ahead.gone = NO_REGISTER;
            continue;
        }
        ahead_prepare(&ahead, config, rank);
        port_wait();
        ahead_slot(&ahead, config);
    }
}

#endif
