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
 * never waits for one. Of a message longer than `max` the rest is dropped. Returns
 * 0, now and from then on, if the host has said that no more will come. */
int ctrl_recv(void *buf, unsigned max);

/* Beyond the published calls. */

/* As ctrl_recv, but waits: the node routes until there is a message. Returns its
 * length, or 0 if no more will come. */
int ctrl_wait(void *buf, unsigned max);

/* Tells the host that the program has ended, with a code of 0 to 255: 0 if all went
 * well. Never returns: from then on the node only routes. A program whose main
 * returns ends so, too. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void ctrl_exit(int code);

#ifdef __cplusplus
}
#endif

#endif
