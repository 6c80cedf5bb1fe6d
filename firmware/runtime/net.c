/* Messages through a network of bytes, with the registers of a processor. */
#include "net.h"
#include "net_port.h"

static struct {
    /* Packet with addresses, the payload with one additional byte, and the tail. */
    uint8_t packet[NET_ADDRESSES + NET_PAYLOAD + 2];
    uint8_t length, sent;
    /* Received part of a packet, without addresses and tail. Only the count is valid if the packet
     * is too long. */
    uint8_t got[NET_PAYLOAD + 1];
    uint8_t count;
    /* True if the tail has arrived. */
    uint8_t whole;
    uint8_t here;
} net;

/* Moves one byte in each direction, if possible. */
static void move(void)
{
    uint32_t status = net_port_read(NET_STATUS);
    if (status & NET_FREE && net_sending())
        net_port_write(NET_SEND, net.packet[net.sent++]);
    if (!(status & NET_CAME) || net.whole)
        return;
    uint8_t byte = status & NET_BYTE;
    net_port_write(NET_TAKE, 0);
    if (!byte)
        net.whole = 1;
    else if (net.count < sizeof net.got)
        net.got[net.count++] = byte;
    else
        net.count = sizeof net.got + 1;
}

void net_init(unsigned address)
{
    net.here = (uint8_t)address;
    net.length = net.sent = net.count = net.whole = 0;
}

int net_sending(void)
{
    return net.sent < net.length;
}

/* COBS: zeros are omitted. In place of each zero, a code byte states the number of nonzero bytes
 * after it, plus one. */
int net_send(unsigned dest, const void *payload, unsigned len)
{
    const uint8_t *bytes = payload;
    move();
    if (net_sending() || len > NET_PAYLOAD)
        return -1;
    uint8_t *code = net.packet + net_address(net.packet, net.here, dest);
    uint8_t *at = code + 1;
    for (; len; len--, bytes++) {
        if (*bytes) {
            *at++ = *bytes;
            continue;
        }
        *code = (uint8_t)(at - code);
        code = at++;
    }
    *code = (uint8_t)(at - code);
    *at++ = 0;
    net.sent = 0;
    net.length = (uint8_t)(at - net.packet);
    return 0;
}

int net_recv(void *buf, unsigned max)
{
    uint8_t *bytes = buf;
    move();
    if (!net.whole)
        return -1;
    unsigned count = net.count, length = 0, left = 1;
    net.whole = net.count = 0;
    if (!count || count > sizeof net.got)
        return -2;
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = net.got[i];
        if (--left == 0) {
            /* The code states the number of bytes that follow. Every code but the first represents
             * a zero. */
            left = byte;
            if (!i)
                continue;
            byte = 0;
        }
        if (length < max)
            bytes[length] = byte;
        length++;
    }
    return left == 1 ? (int)length : -2;
}
