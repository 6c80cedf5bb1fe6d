/* Looking ahead on links with answers (ahead.h). For internal use by the runtime.
 *
 * When a phase begins, the node examines only the message from the host. It examines a message from
 * a link in the answer slot. A message for this node is delivered to the host in the answer slot of
 * the phase after its arrival. So is a message whose link is down. */
#ifndef AHEAD_ACKED_H
#define AHEAD_ACKED_H

#include "ahead.h"

/* Records an examined message. A message for this node is delivered in the answer slot instead,
 * unless another one is recorded before. In that case it is examined again. */
static inline void acked_learn(struct ahead *ahead, unsigned buffer, uint32_t delta)
{
    ahead->deltas[buffer] = delta;
    if (delta)
        ahead->known |= 1u << buffer;
    else
        ahead->home = buffer;
}

/* Decides the phase. If its link is down, the message that would be sent is returned to the host.
 */
static inline uint32_t acked_decide(struct ahead *ahead, uint32_t rank, uint32_t is_down)
{
    if (is_down) {
        ahead->gone = rank & DECIDE_BUFFER;
        rank = RANK_NONE;
    }
    port_write(PORT_DECIDE, rank | ahead->decide);
    return rank;
}

/* Begins an expected phase, or one whose link is down. Returns the rank of the buffer that is sent.
 */
static inline uint32_t acked_begin(struct ahead *ahead, uint32_t is_down)
{
    uint32_t rank = ahead->rank;
    tdma_on_phase();
    if (!(port_read(PORT_RX_STATUS) & ahead->fresh))
        return acked_decide(ahead, rank, is_down);
    uint32_t delta = ahead_look(ahead, ahead->injection);
    if (links_wants(delta, &ahead->link) && ahead->injection_rank < rank)
        rank = ahead->injection_rank;
    rank = acked_decide(ahead, rank, is_down);
    acked_learn(ahead, ahead->injection, delta);
    return rank;
}

/* Begins a phase in which the link repeats a frame, which takes precedence. */
static inline uint32_t acked_repeat(struct ahead *ahead, uint32_t is_down)
{
    uint32_t rank = DECIDE_SEND | links_turn(ahead->select);
    tdma_on_phase();
    return acked_decide(ahead, rank, is_down);
}

/* Begins an unexpected phase. */
static inline uint32_t acked_sit_out(struct ahead *ahead, uint32_t config)
{
    port_write(PORT_DECIDE, (config & CONFIG_PHASE) | DECIDE_REOPEN);
    /* The buffer may have been freed and filled again meanwhile. */
    ahead->known &= ~ahead->sent;
    ahead->gone = NO_BUFFER;
    return RANK_NONE;
}

/* Prepares the answer slot and the next phase while the frame is on the wire. */
static inline void acked_prepare(struct ahead *ahead, uint32_t config, uint32_t rank)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    uint32_t injection = 1u << ahead->injection;
    ahead->known &= full;
    if (ahead->news != NO_BUFFER)
        acked_learn(ahead, ahead->news, ahead->delta);
    ahead->news = NO_BUFFER;
    /* If one of them is still full afterwards, because the host has no room, it is examined again.
     */
    uint32_t delivered = 1u << ahead->gone | 1u << ahead->home;
    ahead->known &= ~delivered;

    /* Where links serve in ascending order, their turn only says which buffer is repeated. */
    if (CLASS_BITS == 0) {
        ahead->takes_turns |= config & CONFIG_TURNS;
        if (!ahead->takes_turns)
            ahead->later_turn = 0;
    }
    unsigned later = ahead_later_link(ahead, config);
    ahead->arrival = links_first_buffer(config & CONFIG_DIM);
    ahead->select_later = SELECT_LAST_WORD | links_first_buffer(later);
    ahead_expect(ahead, config, later);
    ahead_scan(ahead);
    ahead->sent = 1u << (rank & DECIDE_BUFFER);
    /* The host may inject another message before the buffer is seen to be free. */
    ahead->known &= ~(ahead->sent & injection);
    ahead->fresh = injection & ~ahead->known;
    ahead->arrivals = links_buffers(ahead->arrival) & ~(ahead->known | delivered);
    ahead->strange = NO_BUFFER;
    uint32_t unknown = full & ~(ahead->known | delivered | ahead->sent);
    for (unsigned buffer = 0; unknown; buffer++, unknown >>= 1)
        if (unknown & 1)
            ahead->strange = buffer;
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

/* Handles the answer slot: examines the received message, and delivers messages to the host. */
static inline void acked_slot(struct ahead *ahead, uint32_t config)
{
    uint32_t arrived = port_read(PORT_RX_STATUS) & ahead->arrivals;
    ahead->news = arrived ? links_find_buffer(ahead->arrival, arrived) : ahead->strange;
    if (ahead->news != NO_BUFFER)
        ahead->delta = ahead_look(ahead, ahead->news);
    ahead->later_turn = links_turn(ahead->select_later);
    if (ahead->home != NO_BUFFER) {
        port_write(PORT_DIM_SELECT, ahead->home);
        tdma_on_arrival(ahead->home);
    }
    if (ahead->gone != NO_BUFFER)
        give_up(ahead->gone, config);
    port_write(PORT_DECIDE, config & CONFIG_PHASE);
    ahead->home = ahead->gone = NO_BUFFER;
    if (ahead->news != NO_BUFFER && links_wants(ahead->delta, &ahead->link)) {
        uint32_t rank = ahead_rank(ahead, ahead->news);
        if (rank < ahead->rank)
            ahead->rank = rank;
    }
}

/* Routes on links with answers. The name identifies programs that look ahead. */
__attribute__((noinline)) static _Noreturn void acked_forward(void)
{
    uint32_t deltas[BUFFERS];
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
        /* A decision for a past phase is void, so the next phase must be decided at once. */
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
