/* A node of a cube or a metacube that does nothing but route and looks ahead: for the runtime's own
 * use.
 *
 * It sends by the same rule as serve() in ecube.h, but what it knows of its messages it goes
 * through while a frame is on the wire. What it does not know it looks at when it has time: where
 * links have answers (ahead_acked.h), and where they have none (ahead_raw.h).
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
     * all of them. */
    uint32_t arrivals;
    unsigned arrival;
    /* What DECIDE is told in the next phase, without a register. */
    uint32_t decide;
    /* Its link, or NO_LINK if the node receives; and the link's turn, 0 without answers. */
    struct link link;
    uint32_t turn;
    /* The lowest rank of the registers that are known; the rank of the injection register, and without
     * answers the one of `arrival`. */
    uint32_t rank, injection_rank, arrival_rank;
    /* Of each register that is known how its message differs from the node's address, marked. */
    uint32_t *deltas;
    /* These are here for the compiler to keep them in registers of the core. */
    uint32_t here, mask;
    unsigned injection;

    /* What follows is for links with answers. */

    /* Another register that is full and not known. */
    unsigned strange;
    /* Registers to be handed over: with a message that is at home, and with one that is given
     * up. */
    unsigned home, gone;
    /* What DIM_SELECT is told for the turn of the next phase's link, and of the one of the phase
     * after it; and the latter's turn. In a cube of one dimension that is not the latest, but there
     * no two registers want a link. */
    uint32_t select, select_later, later_turn;
    /* Not 0 once a phase has told that registers take turns. Before, all turns are 0. */
    uint32_t takes_turns;
    /* A register that was looked at in the answer slot, and how its message differs. */
    unsigned news;
    uint32_t delta;
};

/* What is known when a node begins, where the last phase of a superframe is taken for the one before:
 * nothing. */
static inline struct ahead ahead_of_nothing(uint32_t *deltas)
{
    return (struct ahead){
        .home = NO_REGISTER,
        .gone = NO_REGISTER,
        .news = NO_REGISTER,
        .deltas = deltas,
        .rank = RANK_NONE,
        .here = here,
        .mask = mask,
        .injection = place_injection(),
    };
}

/* What PHASE_CONFIG is taken to have said of that phase. */
static inline uint32_t ahead_last_phase(void)
{
    return ONE_PHASE | (links - 1);
}

/* How the message of a register differs from the node's address, marked by place_mark(); 0 if it is at
 * home. */
static inline uint32_t ahead_look(const struct ahead *ahead, unsigned reg)
{
    port_write(PORT_DIM_SELECT, reg);
    return place_mark((port_read(PORT_RX_DATA) ^ ahead->here) & ahead->mask);
}

/* The rank of a register that wants the link. */
static inline uint32_t ahead_rank(const struct ahead *ahead, unsigned reg)
{
    return reg < ahead->turn ? DECIDE_SEND | RANK_AFTER_TURN | reg : DECIDE_SEND | reg;
}

/* The link after the one of which PHASE_CONFIG said that. */
static inline unsigned ahead_later_link(const struct ahead *ahead, uint32_t config)
{
    return next_link(config & CONFIG_DIM, ahead->injection + CLASS_BITS);
}

/* The phase after the one of which PHASE_CONFIG said that, and its link: the same, or `later`, for each
 * link has two phases. */
static inline void ahead_expect(struct ahead *ahead, uint32_t config, unsigned later)
{
    unsigned link = config & CONFIG_DIM;
    uint32_t phase = (config & CONFIG_PHASE) + ONE_PHASE;
    if (!(phase & ONE_PHASE)) {
        link = later;
        phase = later ? phase : 0;
    }
    ahead->decide = phase | DECIDE_REOPEN;
    ahead->link = place_link(link);
    if (!sends(ahead->here, ahead->link.bit, phase))
        ahead->link = NO_LINK;
    ahead->select = SELECT_LAST_WORD | place_first_register(link);
    ahead->turn = ahead->later_turn;
    ahead->injection_rank = ahead_rank(ahead, ahead->injection);
}

/* Goes through all registers that are known. None of their messages is at home. */
static inline void ahead_scan(struct ahead *ahead)
{
    uint32_t left = ahead->link.bit ? ahead->known : 0;
    uint32_t rank = RANK_NONE;
    const uint32_t *delta = ahead->deltas;
    for (unsigned reg = 0; left; reg++, delta++, left >>= 1) {
        if (!(left & 1) || (*delta & ahead->link.deciding) != ahead->link.wanted)
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

#endif
