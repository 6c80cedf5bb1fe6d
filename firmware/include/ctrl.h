/* Link between a node and its host: whole messages, not routed.
 *
 * A message to or from the host passes through the injection buffer, from which the node sends.
 * Both calls wait while a message of tdma_send or tdma_route is in this buffer. */
#ifndef CTRL_H
#define CTRL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sends a message to the host. Returns 0, or -1 if the message is too long or empty. */
int ctrl_send(const void *buf, unsigned len);

/* Takes a message from the host without waiting. Returns its length, or -1 if there is none. The
 * rest of a message longer than `max` is dropped. Returns 0, now and in later calls, if the host
 * has ended its messages. */
int ctrl_recv(void *buf, unsigned max);

/* Extensions of the published calls. */

/* Takes a message from the host, and routes until there is one. Returns its length, or 0 if the
 * host has ended its messages. */
int ctrl_wait(void *buf, unsigned max);

/* Reports the end of the program to the host, with a code of 0 to 255; 0 means success. Never
 * returns: from then on the node only routes. Returning from main has the same effect. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void ctrl_exit(int code);

#ifdef __cplusplus
}
#endif

#endif
