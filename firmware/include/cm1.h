/* Messages through the CM-1 beside the nodes.
 *
 * Its eight processors go in step: a petit cycle begins when all of them have
 * called cm1_petit, and each message of CM1_DATA bytes needs one or more of them.
 * A node offers one message at a time, and receives at most one in a petit cycle,
 * which the next one overwrites. So every node runs a loop like this one, to the
 * same end in the same petit cycle:
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

/* Call it first: who this node is, 0 to 7. Counts of petit cycles begin here. */
void cm1_init(unsigned address);

/* Offers a message from the next petit cycle on, until the network takes it; its
 * payload is filled up with zeros. Returns 0, or -1 if an earlier message has not
 * been taken yet or this one is too long. */
int cm1_send(unsigned dest, const void *payload, unsigned len);

/* A petit cycle, with all other nodes; waits for its end. */
void cm1_petit(void);

/* The message that the last petit cycle brought. Returns its length, which is
 * CM1_DATA; -1 if there was none; -2 if its parity is wrong, `buf` has it all
 * the same. Of its bytes at most `max` are read. */
int cm1_recv(void *buf, unsigned max);

/* Whether all is delivered: nobody offered a message in the last petit cycle, and
 * none is under way. A node that has more to send offers it in every petit cycle. */
int cm1_done(void);

/* Petit cycles so far, and how long the network took for all that is delivered,
 * in bit-times until the last bit left the last chip's heart: as of a network
 * that never waits for its processors (docs/cm1.md). Right for up to 4,095
 * petit cycles. */
unsigned cm1_petits(void);
uint32_t cm1_bit_times(void);

#ifdef __cplusplus
}
#endif

#endif
