/* The link of a node to its host: whole messages, not routed.
 *
 * A message for the host, or from it, passes through the register from which the
 * node sends: both calls wait while a message of tdma_send or tdma_route has not
 * left it.
 */
#ifndef CTRL_H
#define CTRL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sends to the host. Returns 0, or -1 if the message is too long or empty. */
int ctrl_send(const void *buf, unsigned len);

/* Takes a message from the host. Returns its length, or -1 if there is none;
 * never waits for one. Of a message longer than `max` the rest is dropped. */
int ctrl_recv(void *buf, unsigned max);

#ifdef __cplusplus
}
#endif

#endif
