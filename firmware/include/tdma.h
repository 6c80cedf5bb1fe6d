/* Network of a hypercube that routes by a time schedule.
 *
 * A superframe has 2 * dims phases. In phase 2d the nodes with address bit d = 0 transmit across
 * dimension d, in phase 2d + 1 those with the bit set. A message crosses the dimensions in which
 * its destination differs, lowest first.
 *
 * Whenever a program waits, the node routes: it forwards the messages of other nodes. A message for
 * the node itself stays in the receive buffer of its link until tdma_recv takes it. Take messages
 * promptly, because a full buffer answers further frames with a NAK. */
#ifndef TDMA_H
#define TDMA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {

/* C++ gives main a special name only for a PC. */
#if !__STDC_HOSTED__
int main(void);
#endif
#endif

/* Call this function first, with the address of this node and the number of dimensions. Waits for
 * the first phase. */
void tdma_init(uint16_t address, unsigned dims);

/* Returns the current phase, 0 to 2 * dims - 1. */
unsigned tdma_current_phase(void);

/* Waits for the next beginning of this phase, and routes in all phases until then, starting with
 * the current one. On return the node has not yet decided what it sends in this phase, so a message
 * sent now can still use it. */
void tdma_wait_for_phase(unsigned phase);

/* Sends to the neighbour across a dimension. Waits while an earlier message of this node has not
 * left. Returns 0, or -1 if the message is too long. */
int tdma_send(unsigned dim, const void *payload, unsigned len);

/* Takes a message for this node that arrived over the link of a dimension, without waiting. The
 * value `dims` instead of a dimension selects a message that this node routed to itself. Returns
 * its length, or -1 if there is none. The rest of a message longer than `max` is dropped. */
int tdma_recv(unsigned dim, void *buf, unsigned max);

/* Sends to any node; otherwise like tdma_send. */
int tdma_route(uint16_t dest, const void *payload, unsigned len);

/* Extensions of the published calls. */

/* Waits for the next phase of any number; otherwise like tdma_wait_for_phase. */
void tdma_next_phase(void);

/* Lets the network run by itself while the program computes, on nodes that can do so (simulated
 * nodes). Call it once, after tdma_init. In a phase that the program has not decided when little
 * time is left, the second context of the core decides, as if the program had waited. Without this
 * call, and on other nodes, a program that computes for longer than a phase sends nothing in it. */
void tdma_background(void);

/* Sets the brightness of the node's LED, 0 to 255, on nodes that have one (simulated nodes;
 * `phasecube panel` shows them). It is 0 at the start. */
void tdma_led(uint8_t brightness);

/* Use this function instead of tdma_init in a program that only routes. Routes for ever, as if it
 * waited for one phase after the other. On links with answers it decides sooner, because it looks
 * ahead while frames are on the wire. */
__attribute__((noreturn)) void tdma_forward(uint16_t address, unsigned dims);

/* Return the address and the dimensions of this node from the hardware, for tdma_init. */
uint16_t tdma_strapped_address(void);
unsigned tdma_strapped_dims(void);

/* Optional hooks, which do nothing by default. A program may define them. tdma_on_phase is called
 * once in every phase before the buffers are examined. It may fill the free injection buffer, unless
 * the program uses that buffer (runtime/background.h). In a node with a pool it is called when a
 * slot is selected for a message that the host offers. tdma_on_arrival is called for each message
 * for this node in buffer `buffer`, which is selected. */
void tdma_on_phase(void);
void tdma_on_arrival(unsigned buffer);

#ifdef __cplusplus
}
#endif

#endif
