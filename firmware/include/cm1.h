/* Messages through the CM-1 beside the nodes.
 *
 * Its eight processors run in lockstep: a petit cycle begins when all of them have called
 * cm1_petit. A message of CM1_DATA bytes needs one or more petit cycles. A node offers one message
 * at a time. It receives at most one message in a petit cycle, and the next message overwrites it.
 * Every node therefore runs a loop like this one, and all loops end in the same petit cycle:
 *
 *     cm1_init(address);
 *     do {
 *         if (left && !cm1_send(destination, buffer, length))
 *             left--;
 *         cm1_petit();
 *         if (cm1_recv(buffer, sizeof buffer) >= 0)
 *             ...
 *     } while (!cm1_done());
 */
#ifndef CM1_H
#define CM1_H

#include <stdint.h>

#include "cm1_port.h" /* CM1_DATA */

#ifdef __cplusplus
extern "C" {
#endif

/* Call this function first, with the number of this node, 0 to 7. Counts of petit cycles begin
 * here. */
void cm1_init(unsigned address);

/* Offers a message from the next petit cycle on, until the network accepts it. The payload is
 * padded with zeros. Returns 0, or -1 if an earlier message is still offered or this one is too
 * long. */
int cm1_send(unsigned dest, const void *payload, unsigned len);

/* Runs a petit cycle together with all other nodes, and waits for its end. */
void cm1_petit(void);

/* Reads the message of the last petit cycle. Returns its length, which is CM1_DATA, or -1 if there
 * was none. Returns -2 if its parity is wrong; `buf` then also has the message. Reads at most `max`
 * bytes. */
int cm1_recv(void *buf, unsigned max);

/* Returns whether all messages are delivered: no node offered a message in the last petit cycle,
 * and none is in flight. A node with more messages to send offers one in every petit cycle. */
int cm1_done(void);

/* Number of petit cycles so far, and the time in bit-times until the last bit left the last chip's
 * heart. The time is valid for a network that never waits for its processors (docs/cm1.md), and for
 * up to 4,095 petit cycles. */
unsigned cm1_petits(void);
uint32_t cm1_bit_times(void);

#ifdef __cplusplus
}
#endif

#endif
