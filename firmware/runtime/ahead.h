/* Node of a cube or a metacube that only routes, and looks ahead. For internal use by the runtime.
 *
 * The node sends by the same rule as serve() in ecube.h. It searches the known messages while a
 * frame is on the wire. It examines unknown messages when there is time: see ahead_acked.h for
 * links with answers, and ahead_raw.h for links without answers.
 *
 * If an unexpected phase begins, because the program was too late or the node lost sync, it sends
 * nothing. It then examines the unknown buffers later, one in each phase. */
#ifndef AHEAD_H
#define AHEAD_H

#include "expect.h"
#include "node_port.h"
#include "links.h"
#include "tdma.h"

/* Maximum number of buffers, reached by MC(2,2). */
#define BUFFERS 20

/* Rank of a buffer that wants the link of a phase. The lowest rank is served first. Bits 5:0 are
 * written to DECIDE. DECIDE ignores bit 6. Bit 7 is DECIDE_REOPEN, which is always set. */
#define RANK_AFTER_TURN 64u
#define RANK_NONE (128u | NO_BUFFER)

/* State of the messages in the buffers and of the coming phases. */
struct ahead {
    /* Full buffers with an examined message that is not for this node. */
    uint32_t known;
    /* Buffer that was sent last. */
    uint32_t sent;
    /* Injection buffer, if its message is unknown when the next phase begins. */
    uint32_t fresh;
    /* Buffers for a message that arrives in this phase, if they are not known, and the first of
     * these buffers. */
    uint32_t arrivals;
    unsigned arrival;
    /* Value for DECIDE in the next phase, without a buffer. */
    uint32_t decide;
    /* Link of the next phase, or NO_LINK if the node receives, and the turn of the link, 0 without
     * answers. */
    struct link link;
    uint32_t turn;
    /* Lowest rank of the known buffers, rank of the injection buffer, and without answers the rank
     * of `arrival`. */
    uint32_t rank, injection_rank, arrival_rank;
    /* Difference of each known message's destination from the node's address, marked by
     * links_mark(). */
    uint32_t *deltas;
    /* Copies that let the compiler keep these values in core registers. */
    uint32_t here, mask;
    unsigned injection;

    /* The following fields are for links with answers. */

    /* Another full buffer whose message is not known. */
    unsigned strange;
    /* Buffers to deliver to the host: one with a message for this node, and one with a message that
     * cannot be sent. */
    unsigned home, gone;
    /* Values for DIM_SELECT that select the turns of the links of the next phase and of the phase
     * after it, and the latter turn. In a cube of one dimension this turn is out of date, but there
     * no two buffers want the same link. */
    uint32_t select, select_later, later_turn;
    /* Not 0 once a phase has reported that buffers take turns. Before, all turns are 0. */
    uint32_t takes_turns;
    /* Buffer that was examined in the answer slot, and the difference of its message. */
    unsigned news;
    uint32_t delta;
};

/* Returns the initial state, in which nothing is known. The last phase of a superframe counts as
 * the previous phase. */
static inline struct ahead ahead_of_nothing(uint32_t *deltas)
{
    return (struct ahead){
        .home = NO_BUFFER,
        .gone = NO_BUFFER,
        .news = NO_BUFFER,
        .deltas = deltas,
        .rank = RANK_NONE,
        .here = here,
        .mask = mask,
        .injection = links_injection(),
    };
}

/* Assumed PHASE_CONFIG of the last phase of a superframe. */
static inline uint32_t ahead_last_phase(void)
{
    return ONE_PHASE | (links - 1);
}

/* Returns the difference of a buffer's message from the node's address, marked by links_mark(), or
 * 0 if the message is for this node. */
static inline uint32_t ahead_look(const struct ahead *ahead, unsigned buffer)
{
    port_write(PORT_DIM_SELECT, buffer);
    return links_mark((port_read(PORT_RX_DATA) ^ ahead->here) & ahead->mask);
}

/* Returns the rank of a buffer that wants the link. */
static inline uint32_t ahead_rank(const struct ahead *ahead, unsigned buffer)
{
    return buffer < ahead->turn ? DECIDE_SEND | RANK_AFTER_TURN | buffer : DECIDE_SEND | buffer;
}

/* Returns the link after the one in `config`, a value of PHASE_CONFIG. */
static inline unsigned ahead_later_link(const struct ahead *ahead, uint32_t config)
{
    return next_link(config & CONFIG_DIM, ahead->injection + CLASS_BITS);
}

/* Prepares the phase after the one in `config`. Its link is the same or `later`, because each link
 * has two phases. */
static inline void ahead_expect(struct ahead *ahead, uint32_t config, unsigned later)
{
    unsigned link = config & CONFIG_DIM;
    uint32_t phase = (config & CONFIG_PHASE) + ONE_PHASE;
    if (!(phase & ONE_PHASE)) {
        link = later;
        phase = later ? phase : 0;
    }
    ahead->decide = phase | DECIDE_REOPEN;
    ahead->link = links_select(link);
    if (!sends(ahead->here, ahead->link.bit, phase))
        ahead->link = NO_LINK;
    ahead->select = SELECT_LAST_WORD | links_first_buffer(link);
    ahead->turn = ahead->later_turn;
    ahead->injection_rank = ahead_rank(ahead, ahead->injection);
}

/* Searches all known buffers. None of their messages is for this node. */
static inline void ahead_scan(struct ahead *ahead)
{
    uint32_t left = ahead->link.bit ? ahead->known : 0;
    uint32_t rank = RANK_NONE;
    const uint32_t *delta = ahead->deltas;
    for (unsigned buffer = 0; left; buffer++, delta++, left >>= 1) {
        if (!(left & 1) || (*delta & ahead->link.deciding) != ahead->link.wanted)
            continue;
        if (buffer >= ahead->turn) {
            rank = DECIDE_SEND | buffer;
            break;
        }
        if (rank == RANK_NONE)
            rank = DECIDE_SEND | RANK_AFTER_TURN | buffer;
    }
    ahead->rank = rank;
}

#endif
