/* Messages through a network of bytes: the torus, or minimal rotation on the cube.
 *
 * A packet consists of the address bytes of the network, the payload in COBS encoding, which
 * contains no zero, and a final zero. Each call of a function below moves at most one byte in each
 * direction. A program therefore calls them repeatedly:
 *
 *     net_init(address);
 *     for (;;) {
 *         if (left && !net_send(destination, payload, length))
 *             left--;
 *         if (net_recv(buffer, sizeof buffer) >= 0)
 *             ...
 *     }
 *
 * A program that sends and does not receive can stall the whole network.
 */
#ifndef NET_H
#define NET_H

#include <stdint.h>

/* Maximum payload in bytes. */
#define NET_PAYLOAD 8

#ifdef __cplusplus
extern "C" {
#endif

/* Call this function first, with the number of this node. */
void net_init(unsigned address);

/* Begins to send a message. The payload may change as soon as the call returns. Returns 0, or -1 if
 * the previous message is not sent yet or this one is too long. */
int net_send(unsigned dest, const void *payload, unsigned len);

/* Returns whether a message is not completely sent yet. */
int net_sending(void);

/* Takes a received message. Returns its length, -1 if none is complete yet, or -2 if the packet is
 * invalid. Writes at most `max` bytes. */
int net_recv(void *buf, unsigned max);

/* Writes the address bytes of a packet, and returns their number, at most NET_ADDRESSES. Each
 * network defines this function. */
#define NET_ADDRESSES 2
unsigned net_address(uint8_t *bytes, unsigned from, unsigned to);

#ifdef __cplusplus
}
#endif

#endif
