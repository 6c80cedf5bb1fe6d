/* Messages through a network of bytes: the torus, or minimal rotation on the cube.
 *
 * A packet is the address bytes of the network, the payload encoded by COBS, so that none
 * of its bytes is zero, and a zero. Bytes move, one each way, whenever one of the
 * functions below is called, so a program calls them again and again:
 *
 *     net_init(address);
 *     for (;;) {
 *         if (left && !net_send(destination, payload, length))
 *             left--;
 *         if (net_recv(buffer, sizeof buffer) >= 0)
 *             ...
 *     }
 *
 * A program that sends and does not receive can make the whole network stand still.
 */
#ifndef NET_H
#define NET_H

#include <stdint.h>

/* Bytes of payload, at most. */
#define NET_PAYLOAD 8

#ifdef __cplusplus
extern "C" {
#endif

/* Call it first: which node this is. */
void net_init(unsigned address);

/* Begins to send a message; the payload may change at once. Returns 0, or -1 if the one
 * before is not sent yet or this one is too long. */
int net_send(unsigned dest, const void *payload, unsigned len);

/* Whether a message is not wholly sent yet. */
int net_sending(void);

/* The message that has come. Returns its length, -1 if none has wholly come yet, -2 if
 * what came is no message. Of its bytes at most `max` are written. */
int net_recv(void *buf, unsigned max);

/* Of the network: writes the address bytes of a packet, at most NET_ADDRESSES; how many
 * there are. */
#define NET_ADDRESSES 2
unsigned net_address(uint8_t *bytes, unsigned from, unsigned to);

#ifdef __cplusplus
}
#endif

#endif
