/* The router that decides at the start of a phase follows docs/machine.md, "Order of service",
 * phase by phase. */
#include "node_stub.h"

#define main node_main
#include "../../../firmware/programs/route_at_once.c"
#undef main

#include <string.h>

#include "expect.h"

/* Frames sent: phase since the start, dimension, destination, first byte. */
static struct frame {
    unsigned phase, dim, dest, byte;
} frames[200];
static unsigned sent;
static int answer;

static int on_frame(unsigned dim, const uint8_t *bytes, unsigned len)
{
    EXPECT(len == 3);
    frames[sent++] = (struct frame){stub.phases - 1, dim, bytes[0] | bytes[1] << 8, bytes[2]};
    return answer;
}

static unsigned delivered, reasons[10], first_byte[10];

static void on_host(unsigned why, const uint8_t *bytes, unsigned len)
{
    EXPECT(len == 3);
    reasons[delivered] = why;
    first_byte[delivered++] = bytes[2];
}

static void begin(uint16_t address)
{
    stub_begin(address, 3, 10);
    stub_on_frame = on_frame;
    stub_on_host = on_host;
    sent = delivered = 0;
    answer = SENT_ACCEPTED;
}

static void arrive(unsigned dim, unsigned dest, char byte)
{
    EXPECT(stub_arrive(dim, (uint16_t)dest, &byte, 1) == 0);
}

static int is(unsigned i, unsigned phase, unsigned dim, unsigned dest, char byte)
{
    struct frame f = frames[i];
    return f.phase == phase && f.dim == dim && f.dest == dest && f.byte == (unsigned)byte;
}

/* A message leaves in the phase of its lowest differing dimension, one in each. */
static void lowest_dimension_first(void)
{
    begin(5);
    arrive(0, 5 ^ 6, 'a');
    arrive(1, 5 ^ 4, 'b');
    arrive(2, 5 ^ 4, 'c');
    stub_host_has("\x04\x00h", 3);
    stub_run(node_main, 12);
    /* Address bits of 5: 1, 0, 1, so it transmits in the phases 1, 2 and 5. */
    EXPECT(sent == 4);
    EXPECT(is(0, 1, 0, 4, 'h'));
    EXPECT(is(1, 2, 1, 3, 'a'));
    EXPECT(is(2, 5, 2, 1, 'b'));
    EXPECT(is(3, 11, 2, 1, 'c'));
    EXPECT(stub.full == 0 && delivered == 0 && stub_host_done());
    EXPECT(stub.decisions == 12);
}

static void home_goes_to_the_host(void)
{
    begin(2);
    arrive(2, 2, 'x');
    arrive(0, 2, 'y');
    stub_run(node_main, 1);
    EXPECT(delivered == 2 && sent == 0 && stub.full == 0);
    EXPECT(first_byte[0] == 'y' && first_byte[1] == 'x');
    EXPECT(reasons[0] == MOVE_DELIVERED && reasons[1] == MOVE_DELIVERED);
}

/* The buffers of a link take turns. None is served twice while another waits. */
static void round_robin(void)
{
    begin(0);
    arrive(0, 4, 'a');
    arrive(1, 4, 'b');
    stub_host_has("\x04\x00h", 3);
    stub_run(node_main, 5);
    arrive(0, 4, 'c');
    stub_run(node_main, 24);
    EXPECT(sent == 4);
    EXPECT(is(0, 4, 2, 4, 'a') && is(1, 10, 2, 4, 'b'));
    EXPECT(is(2, 16, 2, 4, 'h') && is(3, 22, 2, 4, 'c'));
}

/* After a NAK the same buffer has its turn. After a timeout the frame is repeated. */
static unsigned arrivals_at;

static void on_phase(void)
{
    if (stub.phases == arrivals_at)
        arrive(0, 4, 'e');
}

static void nak_and_timeout(int reaction)
{
    begin(0);
    stub_on_phase = on_phase;
    arrivals_at = 6;
    arrive(1, 4, 'l');
    answer = reaction;
    stub_run(node_main, 11);
    stub_on_phase = 0;
    EXPECT(sent == 2);
    EXPECT(is(0, 4, 2, 4, 'l') && is(1, 10, 2, 4, 'l'));
    EXPECT(stub.full == 3);
}

/* After 64 timeouts the link is down. The message that was sent is unknown, and the others are
 * undelivered. The node drops one message in each phase. */
static void a_link_goes_down(void)
{
    begin(0);
    answer = SENT_TIMEOUT;
    arrive(0, 1, 'p');
    arrive(1, 1, 'q');
    arrive(2, 1, 'r');
    stub_run(node_main, 6 * 64);
    EXPECT(sent == 64 && delivered == 0 && stub.down == 1);
    stub_run(node_main, 1);
    EXPECT(sent == 64 && delivered == 1);
    EXPECT(first_byte[0] == 'p' && reasons[0] == MOVE_UNKNOWN && stub.pending == 0);
    stub_run(node_main, 6);
    EXPECT(delivered == 2 && first_byte[1] == 'q' && reasons[1] == MOVE_UNDELIVERED);
    stub_run(node_main, 6);
    EXPECT(delivered == 3 && first_byte[2] == 'r' && stub.full == 0 && sent == 64);
}

int main(void)
{
    lowest_dimension_first();
    home_goes_to_the_host();
    round_robin();
    nak_and_timeout(SENT_NAK);
    nak_and_timeout(SENT_TIMEOUT);
    a_link_goes_down();
    return 0;
}
