/* E-cube choice of the message to send. For internal use by the runtime. */
#ifndef ECUBE_H
#define ECUBE_H

#include "node_port.h"
#include "links.h"
#include "background.h"
#include "tdma.h"

/* Examines the full buffers, and returns the value for DECIDE with the message to send. */
static uint32_t choose(uint32_t config, uint32_t full)
{
    uint32_t own = here, bits = mask;
    uint32_t wanted = config & CONFIG_TRANSMIT;
    uint32_t down = config & CONFIG_DOWN;
    /* Value for MOVE. */
    uint32_t give_up = (config & CONFIG_PHASE) + MOVE_UNDELIVERED;
    uint32_t turn = 0, choice = 0;
    if (config & (CONFIG_REPEATS | CONFIG_TURNS)) {
        unsigned state = links_first_buffer(config & CONFIG_DIM);
        port_write(PORT_DIM_SELECT, state | SELECT_LAST_WORD);
        if (config & CONFIG_REPEATS || !down)
            turn = DECIDE_SEND + (port_read(PORT_RX_DATA) & WORD_TURN);
        /* The message may have arrived, because its answer is unknown. */
        if (config & CONFIG_REPEATS)
            give_up += MOVE_UNKNOWN - MOVE_UNDELIVERED;
    }
    for (unsigned buffer = 0; full; buffer++, full >>= 1) {
        if (!(full & 1))
            continue;
        port_write(PORT_DIM_SELECT, buffer);
        uint32_t delta = (port_read(PORT_RX_DATA) ^ own) & bits;
        if (!delta) {
            tdma_on_arrival(buffer);
        } else if (links_next_bit(delta) == wanted) {
            uint32_t this = DECIDE_SEND | buffer;
            if (this >= turn) {
                choice = this;
                /* The other messages wait. */
                wanted = 0;
                if (down)
                    port_write(PORT_MOVE, give_up);
            } else if (!choice) {
                choice = this;
            }
        }
    }
    return down ? 0 : choice;
}

/* Handles the beginning of every phase.
 *
 * The node examines its full buffers in ascending order. It considers the messages whose next link
 * is the link of the phase. It sends the first one from the link's turn on, else the first of all.
 * A frame to be repeated is at the turn, so it takes precedence. A message whose link is down is
 * returned to the host, at most one per phase. */
static void serve(void)
{
    uint32_t config = port_read(PORT_PHASE_CONFIG);
    tdma_on_phase();
    uint32_t full = port_read(PORT_RX_STATUS);
    if (background_on)
        full &= ~background_taken;
    uint32_t choice = full ? choose(config, full) : 0;
    port_write(PORT_DECIDE, choice | (config & CONFIG_PHASE));
}

#endif
