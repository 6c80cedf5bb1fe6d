/* A node's side of a network of bytes: packets sent, and packets received and decoded. */
#include "net.h"
#include "net_stub.h"

#include <string.h>

#include "expect.h"

/* Selects the address bytes that the network has before the payload. */
#ifdef TORUS
#define ADDRESSES(torus, rotation) torus
#endif
#ifdef ROTATION
#define ADDRESSES(torus, rotation) rotation
#endif

/* Sends a message to node dest. Its packet is the addresses, the coded bytes and a zero. */
#define SENDS(dest, payload, torus, rotation, coded)                                    \
    sends(dest, payload, sizeof payload - 1, ADDRESSES(torus, rotation) coded,          \
          sizeof(ADDRESSES(torus, rotation) coded))

/* Sends a whole message while nothing is received. */
static void sends(unsigned dest, const char *payload, unsigned len, const char *packet,
                  unsigned bytes)
{
    char buf[1];
    net_stub.count = 0;
    EXPECT(net_send(dest, payload, len) == 0);
    /* The previous message is still being sent. */
    EXPECT(net_sending() && net_send(dest, payload, len) == -1);
    while (net_sending())
        EXPECT(net_recv(buf, 0) == -1);
    EXPECT(net_stub.count == bytes && !memcmp(net_stub.sent, packet, bytes));
}

/* Returns the result of net_recv after these bytes, the last of which is a tail. */
static int comes(const char *packet, unsigned bytes, char *buf, unsigned max)
{
    net_stub.comes = (const uint8_t *)packet;
    net_stub.left = bytes;
    while (net_stub.left > 1)
        EXPECT(net_recv(buf, max) == -1);
    return net_recv(buf, max);
}

int main(void)
{
    char buf[16];
    net_stub.free = 1;

    /* In the torus from (1, 0): three down in the ring of four, one in the ring of two. By
     * rotation all three dimensions. */
    net_init(1);
    SENDS(6, "", "\3\1", "\7", "\1");

    /* From (2, 1): three down to (3, 1), none to itself. */
    net_init(6);
    SENDS(7, "", "\3\0", "\1", "\1");
    SENDS(6, "", "\0\0", "\0", "\1");
    SENDS(1, "abc", "\1\1", "\7", "\4abc");
    /* COBS: a zero ends a block. */
    SENDS(0, "\0", "\2\1", "\6", "\1\1");
    SENDS(0, "\0\0a\0", "\2\1", "\6", "\1\1\2a\1");
    SENDS(4, "a\0bc\0\0d\0", "\2\0", "\2", "\2a\3bc\1\2d\1");
    EXPECT(net_send(4, "too long!", 9) == -1 && !net_sending());

    /* Nothing is sent while the network is not free. */
    net_stub.count = 0;
    EXPECT(net_send(7, "x", 1) == 0);
    net_stub.free = 0;
    for (int i = 0; i < 9; i++)
        EXPECT(net_recv(buf, 0) == -1);
    EXPECT(net_stub.count == 0);
    net_stub.free = 1;
    while (net_sending())
        net_recv(buf, 0);
    EXPECT(net_stub.count == sizeof ADDRESSES("\3\0", "\1") - 1 + 3);

    /* The same packets received. */
    EXPECT(comes("\1\0", 2, buf, 16) == 0);
    EXPECT(comes("\4abc\0", 5, buf, 16) == 3 && !memcmp(buf, "abc", 3));
    EXPECT(comes("\1\1\2a\1\0", 6, buf, 16) == 4 && !memcmp(buf, "\0\0a\0", 4));
    EXPECT(comes("\2a\3bc\1\2d\1\0", 10, buf, 16) == 8 && !memcmp(buf, "a\0bc\0\0d\0", 8));
    memset(buf, '.', 16);
    EXPECT(comes("\4abc\0", 5, buf, 2) == 3 && !memcmp(buf, "ab..", 4));

    /* Invalid packets. The valid packets after them are received. */
    EXPECT(comes("\0", 1, buf, 16) == -2);
    EXPECT(comes("\3a\0", 3, buf, 16) == -2);
    EXPECT(comes("\2a\3b\0", 5, buf, 16) == -2);
    EXPECT(comes("\012123456789\0", 11, buf, 16) == -2);
    EXPECT(comes("\01112345678\1\0", 11, buf, 16) == -2);
    EXPECT(comes("\01112345678\0", 10, buf, 16) == 8);
    EXPECT(comes("\2a\0", 3, buf, 16) == 1 && buf[0] == 'a');
    return 0;
}
