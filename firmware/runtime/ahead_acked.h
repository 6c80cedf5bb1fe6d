/* Looking ahead where links have answers (ahead.h): for the runtime's own use.
 *
 * At the beginning of a phase it looks at no message but the one that the host brings. What comes
 * over a link it looks at in the answer slot. A message that is at home goes to the host in the
 * answer slot of the phase after it came, and so does one whose link is down.
 */
#ifndef AHEAD_ACKED_H
#define AHEAD_ACKED_H

#include "ahead.h"

/* A message was looked at. It is known from now on, unless it is at home: then it is handed over, if
 * no other one is before the answer slot; if one is, it is looked at anew. */
static inline void acked_learn(struct ahead *ahead, unsigned reg, uint32_t delta)
{
    ahead->deltas[reg] = delta;
    if (delta)
        ahead->known |= 1u << reg;
    else
        ahead->home = reg;
}

/* The phase is decided. If its link is down, the message that would be sent is given up. */
static inline uint32_t acked_decide(struct ahead *ahead, uint32_t rank, uint32_t is_down)
{
    if (is_down) {
        ahead->gone = rank & DECIDE_REGISTER;
        rank = RANK_NONE;
    }
    port_write(PORT_DECIDE, rank | ahead->decide);
    return rank;
}

/* A phase begins as usual, or its link is down. Returns the rank of what is sent. */
static inline uint32_t acked_begin(struct ahead *ahead, uint32_t is_down)
{
    uint32_t rank = ahead->rank;
    tdma_on_phase();
    if (!(port_read(PORT_RX_STATUS) & ahead->fresh))
        return acked_decide(ahead, rank, is_down);
    uint32_t delta = ahead_look(ahead, ahead->injection);
    if (place_wants(delta, &ahead->link) && ahead->injection_rank < rank)
        rank = ahead->injection_rank;
    rank = acked_decide(ahead, rank, is_down);
    acked_learn(ahead, ahead->injection, delta);
    return rank;
}

/* The same where the link has a frame to repeat, which comes before all others. */
static inline uint32_t acked_repeat(struct ahead *ahead, uint32_t is_down)
{
    uint32_t rank = DECIDE_SEND | place_turn(ahead->select);
    tdma_on_phase();
    return acked_decide(ahead, rank, is_down);
}

/* The same where a phase begins that it does not expect. */
static inline uint32_t acked_sit_out(struct ahead *ahead, uint32_t config)
{
    port_write(PORT_DECIDE, (config & CONFIG_PHASE) | DECIDE_REOPEN);
    /* The register may have been free meanwhile, and full again. */
    ahead->known &= ~ahead->sent;
    ahead->gone = NO_REGISTER;
    return RANK_NONE;
}

/* While the frame is on the wire: what is to be done in the answer slot, and what may be sent in
 * the next phase. */
static inline void acked_prepare(struct ahead *ahead, uint32_t config, uint32_t rank)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    uint32_t injection = 1u << ahead->injection;
    ahead->known &= full;
    if (ahead->news != NO_REGISTER)
        acked_learn(ahead, ahead->news, ahead->delta);
    ahead->news = NO_REGISTER;
    /* If one is still full then, because the host has no room, it is looked at anew. */
    uint32_t handed = 1u << ahead->gone | 1u << ahead->home;
    ahead->known &= ~handed;

    /* Where links serve in ascending order, their turn only says which register is repeated. */
    if (CLASS_BITS == 0) {
        ahead->takes_turns |= config & CONFIG_TURNS;
        if (!ahead->takes_turns)
            ahead->later_turn = 0;
    }
    unsigned later = ahead_later_link(ahead, config);
    ahead->arrival = place_first_register(config & CONFIG_DIM);
    ahead->select_later = SELECT_LAST_WORD | place_first_register(later);
    ahead_expect(ahead, config, later);
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
static inline void acked_slot(struct ahead *ahead, uint32_t config)
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
__attribute__((noinline)) static _Noreturn void acked_forward(void)
{
    uint32_t deltas[REGISTERS];
    struct ahead ahead = ahead_of_nothing(deltas);
    uint32_t config = ahead_last_phase(), rank = RANK_NONE;
    int began = 0;
    for (;;) {
        acked_prepare(&ahead, config, rank);
        if (began) {
            port_wait();
            acked_slot(&ahead, config);
        }
        began = 1;
        /* A decision that came in another phase is void: there is no time to be lost. */
        do {
            port_wait();
            config = port_read(PORT_PHASE_CONFIG);
            uint32_t differs = (config ^ ahead.decide) & CONFIG_UNUSUAL;
            uint32_t is_down = differs & CONFIG_DOWN;
            if (differs == is_down)
                rank = acked_begin(&ahead, is_down);
            else if (!(differs & CONFIG_PHASE))
                rank = acked_repeat(&ahead, is_down);
            else
                rank = acked_sit_out(&ahead, config);
        } while ((port_read(PORT_PHASE_CONFIG) ^ config) & CONFIG_PHASE);
    }
}

#endif
