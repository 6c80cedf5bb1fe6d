/* Looking ahead on links without answers (ahead.h). For internal use by the runtime.
 *
 * There is no answer slot in which to examine messages. A message from a link is examined when the
 * next phase begins, and delivered to the host there if it is for this node. There is time for one
 * message. A late message from the host waits for a phase before which no message arrived. Apart
 * from this delay the log equals the forwarder's, because a node that has sent a message from its
 * host received nothing in that phase. */
#ifndef AHEAD_RAW_H
#define AHEAD_RAW_H

#include "ahead.h"

/* Decides the phase. */
static inline uint32_t raw_decide(const struct ahead *ahead, uint32_t rank)
{
    port_write(PORT_DECIDE, rank | ahead->decide);
    return rank;
}

/* Begins an expected phase. Returns the rank of the buffer that is sent. */
static inline uint32_t raw_begin(struct ahead *ahead)
{
    uint32_t rank = ahead->rank, own = ahead->arrival_rank;
    unsigned buffer = ahead->arrival;
    tdma_on_phase();
    uint32_t full = port_read(PORT_RX_STATUS);
    if (!(full & ahead->arrivals)) {
        buffer = ahead->injection;
        own = ahead->injection_rank;
        full &= ahead->fresh;
        if (!full)
            return raw_decide(ahead, rank);
    }
    uint32_t delta = ahead_look(ahead, buffer);
    if (!delta) {
        tdma_on_arrival(buffer);
        return raw_decide(ahead, rank);
    }
    if (links_wants(delta, &ahead->link) && own < rank)
        rank = own;
    raw_decide(ahead, rank);
    ahead->deltas[buffer] = delta;
    ahead->known |= 1u << buffer;
    return rank;
}

/* Begins an unexpected phase. A message that arrived meanwhile may have replaced another one. */
static inline uint32_t raw_sit_out(struct ahead *ahead, uint32_t config)
{
    port_write(PORT_DECIDE, config & CONFIG_PHASE);
    ahead->known = 0;
    return RANK_NONE;
}

/* Prepares the next phase while the frame is on the wire: the messages that may be sent, and the
 * message to examine when it begins. */
static inline void raw_prepare(struct ahead *ahead, uint32_t config, uint32_t rank)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    uint32_t injection = 1u << ahead->injection;
    uint32_t sent = 1u << (rank & DECIDE_BUFFER);
    /* The host may inject another message before the buffer is seen to be free. */
    ahead->known &= full & ~(sent & injection);
    ahead->fresh = injection & ~ahead->known;

    ahead->arrival = config & CONFIG_TRANSMIT ? NO_BUFFER : config & CONFIG_DIM;
    ahead->arrivals = 1u << ahead->arrival;
    /* An arriving message replaces the message in the buffer. */
    ahead->known &= ~ahead->arrivals;

    ahead_expect(ahead, config, ahead_later_link(ahead, config));
    ahead_scan(ahead);
    ahead->arrival_rank = DECIDE_SEND | ahead->arrival;
    NOW(ahead->known);
    NOW(ahead->fresh);
    NOW(ahead->arrivals);
    NOW(ahead->decide);
    NOW(ahead->link.deciding);
    NOW(ahead->rank);
    NOW(ahead->arrival_rank);
    NOW(ahead->injection_rank);
}

/* Routes on links without answers. */
__attribute__((noinline)) static _Noreturn void raw_forward(void)
{
    uint32_t deltas[BUFFERS];
    struct ahead ahead = ahead_of_nothing(deltas);
    uint32_t config = ahead_last_phase(), rank = RANK_NONE;
    for (;;) {
        raw_prepare(&ahead, config, rank);
        /* A decision for a past phase is void, so the next phase must be decided at once. */
        do {
            port_wait();
            config = port_read(PORT_PHASE_CONFIG);
            if ((config ^ ahead.decide) & CONFIG_UNUSUAL)
                rank = raw_sit_out(&ahead, config);
            else
                rank = raw_begin(&ahead);
        } while ((port_read(PORT_PHASE_CONFIG) ^ config) & CONFIG_PHASE);
    }
}

#endif
