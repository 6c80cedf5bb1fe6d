/* A node of the 4-cube, whose neighbours the test models. It exchanges in ascending
 * dimensions, adds, and reports the sum to its host, which then ends its data. */
#include "node_stub.h"

#define main node_main
#include "../../../firmware/programs/parallel_sum.c"
#undef main

#include <string.h>

#include "expect.h"

static const uint32_t own = 1000, others[4] = {70000, 5, 0x80000000u, 12};
static uint32_t result;
static unsigned results, answered, sent;

static uint32_t number(const uint8_t *bytes)
{
    return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int on_frame(unsigned dim, const uint8_t *bytes, unsigned len)
{
    uint32_t expected = own;
    for (unsigned d = 0; d < dim; d++)
        expected += others[d];
    EXPECT(dim == sent && len == 6 && bytes[0] == (9 ^ 1 << dim) && !bytes[1]);
    EXPECT(number(bytes + 2) == expected);
    sent++;
    return SENT_ACCEPTED;
}

static void on_host(unsigned why, const uint8_t *bytes, unsigned len)
{
    EXPECT(why == MOVE_DELIVERED && len == 4);
    EXPECT(!stub.ended);
    result = number(bytes);
    results++;
    stub_host_ends();
}

/* The neighbours are ahead. Each sends as soon as its buffer is free. */
static void on_phase(void)
{
    while (answered < 4 && answered <= sent) {
        uint32_t n = others[answered];
        uint8_t bytes[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
        EXPECT(stub_arrive(answered++, 9, bytes, 4) == 0);
    }
}

int main(void)
{
    stub_on_frame = on_frame;
    stub_on_host = on_host;
    stub_on_phase = on_phase;
    stub_begin(9, 4, 10);
    stub_host_has("\xE8\x03\x00\x00", 4);
    stub_run(node_main, 9);
    EXPECT(results == 1 && sent == 4);
    EXPECT(stub.ended && stub.exit_code == 0);
    EXPECT(result == own + 70000 + 5 + 0x80000000u + 12);
    return 0;
}
