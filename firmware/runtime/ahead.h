/* A node of a cube or a metacube that does nothing but route and looks ahead, where links have
 * answers: for the runtime's own use.
 *
 * It sends by the same rule as serve() in ecube.h, but at the beginning of a phase it looks at no
 * message but the one that the host brings. What comes over a link it looks at in the answer slot,
 * and what it knows it goes through while a frame is on the wire. A message that is at home goes
 * to the host in the answer slot of the phase after it came, and so does one whose link is down.
 *
 * When a phase begins that it does not expect, for it came too late or fell out of step, it sends
 * nothing. What it does not know it looks at later, a register in a phase.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include "expect.h"
#include "node_port.h"
#include "place.h"
#include "tdma.h"

/* Registers, at most: those of MC(2,2). */
#define REGISTERS 20

/* The rank of a register that wants the link of a phase: the lower, the sooner it is served. The
 * lower six bits are what DECIDE is told; of the others the first means nothing to it, and the
 * second, DECIDE_REOPEN, is always set. */
#define RANK_AFTER_TURN 64u
#define RANK_NONE (128u | NO_REGISTER)

/* What is known of the messages in the registers, and of the phases that come. */
struct ahead {
    /* Full registers whose message was looked at, and is not at home. */
    uint32_t known;
    /* The one that was sent last. */
    uint32_t sent;
    /* The injection register, if it is not known when the next phase begins. */
    uint32_t fresh;
    /* The registers for a message that comes in this phase, if they are not known, and the first of
     * all of them; and another register that is full and not known. */
    uint32_t arrivals;
    unsigned arrival, strange;
    /* Registers to be handed over: with a message that is at home, and with one that is given
     * up. */
    unsigned home, gone;
    /* What DECIDE is told in the next phase, without a register. */
    uint32_t decide;
    /* Its link, or NO_LINK if the node receives; and the link's turn. */
    struct link link;
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
    /* Of each register that is known how its message differs. */
    uint32_t *deltas;
    /* These are here for the compiler to keep them in registers of the core. */
    uint32_t here, mask;
    unsigned injection;
};

/* How the message of a register differs from the node's address. */
static inline uint32_t ahead_look(const struct ahead *ahead, unsigned reg)
{
    port_write(PORT_DIM_SELECT, reg);
    return (port_read(PORT_RX_DATA) ^ ahead->here) & ahead->mask;
}

/* A message was looked at. It is known from now on, unless it is at home: then it is handed over, if
 * no other one is before the answer slot; if one is, it is looked at anew. */
static inline void ahead_learn(struct ahead *ahead, unsigned reg, uint32_t delta)
{
    ahead->deltas[reg] = delta;
    if (delta)
        ahead->known |= 1u << reg;
    else
        ahead->home = reg;
}

/* The rank of a register that wants the link. */
static inline uint32_t ahead_rank(const struct ahead *ahead, unsigned reg)
{
    return reg < ahead->turn ? DECIDE_SEND | RANK_AFTER_TURN | reg : DECIDE_SEND | reg;
}

/* The phase that comes next, where PHASE_CONFIG has it, and its link. */
static inline void ahead_expect(struct ahead *ahead, uint32_t phase, unsigned link)
{
    ahead->decide = phase | DECIDE_REOPEN;
    ahead->link = place_link(link);
    if (!sends(ahead->here, ahead->link.bit, phase))
        ahead->link = NO_LINK;
    ahead->select = SELECT_LAST_WORD | place_first_register(link);
    ahead->turn = ahead->later_turn;
    ahead->injection_rank = ahead_rank(ahead, ahead->injection);
}

/* Goes through all registers that are known. */
static inline void ahead_scan(struct ahead *ahead)
{
    uint32_t left = ahead->link.bit ? ahead->known : 0;
    uint32_t rank = RANK_NONE;
    for (unsigned reg = 0; left; reg++, left >>= 1) {
        if (!(left & 1) || !place_wants(ahead->deltas[reg], &ahead->link))
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

/* The phase is decided. If its link is down, the message that would be sent is given up. */
static inline uint32_t ahead_decide(struct ahead *ahead, uint32_t rank, uint32_t is_down)
{
    if (is_down) {
        ahead->gone = rank & DECIDE_REGISTER;
        rank = RANK_NONE;
    }
    port_write(PORT_DECIDE, rank | ahead->decide);
    return rank;
}

/* A phase begins as usual, or its link is down. Returns the rank of what is sent. */
static inline uint32_t ahead_begin(struct ahead *ahead, uint32_t is_down)
{
    uint32_t rank = ahead->rank;
    tdma_on_phase();
    if (!(port_read(PORT_RX_STATUS) & ahead->fresh))
        return ahead_decide(ahead, rank, is_down);
    uint32_t delta = ahead_look(ahead, ahead->injection);
    if (place_wants(delta, &ahead->link) && ahead->injection_rank < rank)
        rank = ahead->injection_rank;
    rank = ahead_decide(ahead, rank, is_down);
    ahead_learn(ahead, ahead->injection, delta);
    return rank;
}

/* The same where the link has a frame to repeat, which comes before all others. */
static inline uint32_t ahead_repeat(struct ahead *ahead, uint32_t is_down)
{
    uint32_t rank = DECIDE_SEND | place_turn(ahead->select);
    tdma_on_phase();
    return ahead_decide(ahead, rank, is_down);
}

/* The same where a phase begins that it does not expect. */
static inline uint32_t ahead_sit_out(struct ahead *ahead, uint32_t config)
{
    port_write(PORT_DECIDE, (config & CONFIG_PHASE) | DECIDE_REOPEN);
    /* The register may have been free meanwhile, and full again. */
    ahead->known &= ~ahead->sent;
    ahead->gone = NO_REGISTER;
    return RANK_NONE;
}

/* While the frame is on the wire: what is to be done in the answer slot, and what may be sent in
 * the next phase. */
static inline void ahead_prepare(struct ahead *ahead, uint32_t config, uint32_t rank)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    uint32_t injection = 1u << ahead->injection;
    ahead->known &= full;
    if (ahead->news != NO_REGISTER)
        ahead_learn(ahead, ahead->news, ahead->delta);
    ahead->news = NO_REGISTER;
    /* If one is still full then, because the host has no room, it is looked at anew. */
    uint32_t handed = 1u << ahead->gone | 1u << ahead->home;
    ahead->known &= ~handed;

    /* Each link has two phases. */
    unsigned link = config & CONFIG_DIM;
    unsigned later = next_link(link, ahead->injection + CLASS_BITS);
    uint32_t phase = (config & CONFIG_PHASE) + ONE_PHASE;
    ahead->arrival = place_first_register(link);
    ahead->select_later = SELECT_LAST_WORD | place_first_register(later);
    if (!(phase & ONE_PHASE)) {
        link = later;
        phase = later ? phase : 0;
    }
    ahead_expect(ahead, phase, link);
    ahead_scan(ahead);
    ahead->sent = 1u << (rank & DECIDE_REGISTER);
    /* The host may bring another message into it before it is seen to be free. */
    ahead->known &= ~(ahead->sent & injection);
    ahead->fresh = injection & ~ahead->known;
    ahead->arrivals = place_registers(ahead->arrival) & ~(ahead->known | handed);
    ahead->strange = NO_REGISTER;
    uint32_t unknown = full & ~(ahead->known | handed | ahead->sent);
    for (unsigned reg = 0; unknown; reg++, unknown >>= 1)
        if (unknown & 1)
            ahead->strange = reg;
    NOW(ahead->known);
    NOW(ahead->fresh);
    NOW(ahead->arrivals);
    NOW(ahead->decide);
    NOW(ahead->link.deciding);
    NOW(ahead->rank);
    NOW(ahead->injection_rank);
    NOW(ahead->select);
    NOW(ahead->select_later);
    NOW(ahead->turn);
    NOW(ahead->home);
}

/* The answer slot: looks at what has come, and hands over. */
static inline void ahead_slot(struct ahead *ahead, uint32_t config)
{
    uint32_t arrived = port_read(PORT_RX_STATUS) & ahead->arrivals;
    ahead->news = arrived ? place_find(ahead->arrival, arrived) : ahead->strange;
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
    ahead->home = ahead->gone = NO_REGISTER;
    if (ahead->news != NO_REGISTER && place_wants(ahead->delta, &ahead->link)) {
        uint32_t rank = ahead_rank(ahead, ahead->news);
        if (rank < ahead->rank)
            ahead->rank = rank;
    }
}

/* Routes, where links have answers. By its name it is known which programs look ahead. */
__attribute__((noinline)) static _Noreturn void ahead_forward(void)
{
    uint32_t deltas[REGISTERS];
    struct ahead ahead = {
        .home = NO_REGISTER,
        .gone = NO_REGISTER,
        .news = NO_REGISTER,
        .deltas = deltas,
        .rank = RANK_NONE,
        .here = here,
        .mask = mask,
        .injection = place_injection(),
    };
    /* As if the last phase of a superframe were over, in which nothing was sent. */
    uint32_t config = ONE_PHASE | (links - 1), rank = RANK_NONE;
    int began = 0;
    for (;;) {
        ahead_prepare(&ahead, config, rank);
        if (began) {
            port_wait();
            ahead_slot(&ahead, config);
        }
        began = 1;
        /* A decision that came in another phase is void: there is no time to be lost. */
        do {
            port_wait();
            config = port_read(PORT_PHASE_CONFIG);
            uint32_t differs = (config ^ ahead.decide) & CONFIG_UNUSUAL;
            uint32_t is_down = differs & CONFIG_DOWN;
            if (differs == is_down)
                rank = ahead_begin(&ahead, is_down);
            else if (!(differs & CONFIG_PHASE))
                rank = ahead_repeat(&ahead, is_down);
            else
                rank = ahead_sit_out(&ahead, config);
        } while ((port_read(PORT_PHASE_CONFIG) ^ config) & CONFIG_PHASE);
    }
}

#endif
