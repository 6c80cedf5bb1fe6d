/* A node's side of a network of bytes: what it sends, and what it makes of what comes. */
#include "net.h"
#include "net_stub.h"

#include <string.h>

#include "expect.h"

/* Sends a message, all of it, while nothing comes. */
static void sends(unsigned dest, const char *payload, unsigned len, const char *packet,
                  unsigned bytes)
{
    char buf[1];
    net_stub.count = 0;
    EXPECT(net_send(dest, payload, len) == 0);
    /* The one before is not sent yet. */
    EXPECT(net_sending() && net_send(dest, payload, len) == -1);
    while (net_sending())
        EXPECT(net_recv(buf, 0) == -1);
    EXPECT(net_stub.count == bytes && !memcmp(net_stub.sent, packet, bytes));
}

/* What net_recv says when these bytes have come, the last of them a tail. */
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

    /* From (1, 0): three down in the ring of four, one in the ring of two. */
    net_init(1);
    sends(6, "", 0, "\3\1\1\0", 4);

    /* From (2, 1): three down to (3, 1), none to itself. */
    net_init(6);
    sends(7, "", 0, "\3\0\1\0", 4);
    sends(6, "", 0, "\0\0\1\0", 4);
    sends(1, "abc", 3, "\1\1\4abc\0", 7);
    /* COBS: a zero ends a block. */
    sends(0, "\0", 1, "\2\1\1\1\0", 5);
    sends(0, "\0\0a\0", 4, "\2\1\1\1\2a\1\0", 8);
    sends(4, "a\0bc\0\0d\0", 8, "\2\0\2a\3bc\1\2d\1\0", 12);
    EXPECT(net_send(4, "too long!", 9) == -1 && !net_sending());

    /* A network that is not free gets nothing. */
    net_stub.count = 0;
    EXPECT(net_send(7, "x", 1) == 0);
    net_stub.free = 0;
    for (int i = 0; i < 9; i++)
        EXPECT(net_recv(buf, 0) == -1);
    EXPECT(net_stub.count == 0);
    net_stub.free = 1;
    while (net_sending())
        net_recv(buf, 0);
    EXPECT(net_stub.count == 5);

    /* Back again. */
    EXPECT(comes("\1\0", 2, buf, 16) == 0);
    EXPECT(comes("\4abc\0", 5, buf, 16) == 3 && !memcmp(buf, "abc", 3));
    EXPECT(comes("\1\1\2a\1\0", 6, buf, 16) == 4 && !memcmp(buf, "\0\0a\0", 4));
    EXPECT(comes("\2a\3bc\1\2d\1\0", 10, buf, 16) == 8 && !memcmp(buf, "a\0bc\0\0d\0", 8));
    memset(buf, '.', 16);
    EXPECT(comes("\4abc\0", 5, buf, 2) == 3 && !memcmp(buf, "ab..", 4));

    /* What is no message, and the next one is. */
    EXPECT(comes("\0", 1, buf, 16) == -2);
    EXPECT(comes("\3a\0", 3, buf, 16) == -2);
    EXPECT(comes("\2a\3b\0", 5, buf, 16) == -2);
    EXPECT(comes("\012123456789\0", 11, buf, 16) == -2);
    EXPECT(comes("\01112345678\1\0", 11, buf, 16) == -2);
    EXPECT(comes("\01112345678\0", 10, buf, 16) == 8);
    EXPECT(comes("\2a\0", 3, buf, 16) == 1 && buf[0] == 'a');
    return 0;
}
