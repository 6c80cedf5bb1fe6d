/* The network of a hypercube whose router is a time schedule.
 *
 * A superframe has 2 * dims phases. In phase 2d the nodes with address bit d = 0
 * transmit across dimension d, in phase 2d + 1 those with the bit set. A message
 * crosses the dimensions in which its destination differs, lowest first.
 *
 * Whenever a program waits, the node routes: it passes on the messages of
 * others. What is addressed to the node itself stays in the receive register of
 * its link until tdma_recv takes it, so take what arrives: a full register
 * refuses.
 */
#ifndef TDMA_H
#define TDMA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Call it first: who this node is, and how large the cube. Waits for the first
 * phase. */
void tdma_init(uint16_t address, unsigned dims);

/* The phase under way, 0 to 2 * dims - 1. */
unsigned tdma_current_phase(void);

/* Waits until this phase begins the next time; does the routing of all phases
 * that pass, beginning with the present one. On return the node has not yet
 * decided what it sends in the phase: what is sent now can still go. */
void tdma_wait_for_phase(unsigned phase);

/* Sends to the neighbour across a dimension. Waits while an earlier message of
 * this node has not left; returns 0, or -1 if the message is too long. */
int tdma_send(unsigned dim, const void *payload, unsigned len);

/* Takes a message for this node that came over the link of a dimension; `dims`
 * instead of a dimension: one that this node routed to itself. Returns its
 * length, or -1 if there is none; never waits for one. Of a message longer than
 * `max` the rest is dropped. */
int tdma_recv(unsigned dim, void *buf, unsigned max);

/* Sends to any node; otherwise as tdma_send. */
int tdma_route(uint16_t dest, const void *payload, unsigned len);

/* Beyond the published calls. */

/* Waits for the next phase, whichever it is; otherwise as tdma_wait_for_phase. */
void tdma_next_phase(void);

/* Instead of tdma_init: does nothing but route, for good, as if it waited for one phase after the
 * other. Where links have answers it decides sooner, for it looks ahead while frames are on the
 * wire. */
_Noreturn void tdma_forward(uint16_t address, unsigned dims);

/* What the hardware says of this node, for tdma_init. */
uint16_t tdma_strapped_address(void);
unsigned tdma_strapped_dims(void);

/* A program may define these two; by default they do nothing. The first is
 * called once in every phase before the registers are looked at; in a node with a
 * pool, when a place is selected for a message that the host offers. The second is called for
 * each message that is at home in register `reg`, which is selected. */
void tdma_on_phase(void);
void tdma_on_arrival(unsigned reg);

#ifdef __cplusplus
}
#endif

#endif
