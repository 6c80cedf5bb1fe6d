/* A node's side of the CM-1: written messages, repeated offers, received messages, counters. */
#include "cm1.h"
#include "cm1_stub.h"

#include <string.h>

#include "expect.h"

static int offered;
static uint32_t next;

static void on_petit(int offer)
{
    offered = offer;
    cm1_stub.status = next;
}

static void petit(uint32_t status)
{
    next = status;
    cm1_petit();
}

static unsigned ones(const uint8_t *bytes, unsigned len)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 8 * len; i++)
        n += bytes[i / 8] >> (i % 8) & 1;
    return n;
}

int main(void)
{
    uint8_t buf[CM1_DATA];
    cm1_stub_on_petit = on_petit;
    /* The counters wrap during this test. */
    cm1_stub.petits = 4094;
    cm1_stub.last = 4094;
    cm1_init(5);
    EXPECT(cm1_petits() == 0 && cm1_bit_times() == 0);

    /* MSGP, the relative address, DATA padded with zeros, and PARITY. */
    EXPECT(cm1_send(3, "too long!", 9) == -1);
    EXPECT(cm1_send(3, "hello", 5) == 0);
    EXPECT(!memcmp(cm1_stub.sent, "\xD0hello\0\0", 1 + CM1_DATA));
    /* MSGP in byte 0 does not count towards the parity. */
    EXPECT(cm1_stub.sent[CM1_DATA + 1] == (ones(cm1_stub.sent, 1 + CM1_DATA) - 1) % 2);

    /* The message is not accepted, so it alone is offered again. */
    petit(0);
    EXPECT(offered && cm1_recv(buf, sizeof buf) == -1);
    EXPECT(cm1_send(1, "x", 1) == -1);
    petit(CM1_ACCEPTED);
    EXPECT(offered && !cm1_done());
    petit(0);
    EXPECT(!offered && cm1_bit_times() == 0);

    /* A message with the other parity. */
    EXPECT(cm1_send(4, "\x80\x01\x01", 3) == 0);
    EXPECT(cm1_stub.sent[0] == 0x30 && cm1_stub.sent[CM1_DATA + 1] == 0);
    EXPECT(cm1_send(4, "", 0) == -1);

    /* Received in the fourth petit cycle: 3 periods and the transit time. */
    memcpy(cm1_stub.received, "?greeting", 1 + CM1_DATA);
    petit(CM1_DELIVERED | CM1_ACCEPTED);
    EXPECT(cm1_recv(buf, 4) == CM1_DATA && !memcmp(buf, "gree", 4));
    EXPECT(cm1_recv(buf, sizeof buf) == CM1_DATA && !memcmp(buf, "greeting", 8));
    EXPECT(cm1_petits() == 4 && cm1_bit_times() == 3 * 69 + 75);
    petit(CM1_DELIVERED | CM1_PARITY_ERROR);
    EXPECT(cm1_recv(buf, sizeof buf) == -2 && !memcmp(buf, "greeting", 8));
    petit(CM1_EMPTY);
    EXPECT(cm1_done() && cm1_recv(buf, sizeof buf) == -1);
    EXPECT(cm1_petits() == 6 && cm1_bit_times() == 4 * 69 + 75);
    return 0;
}
