/* One node sends a request, another answers, and the first reports to its host. */
#include "node_stub.h"

#define main node_main
#include "../../../firmware/programs/echo.c"
#undef main

#include <string.h>

#include "expect.h"

static uint8_t frame[16], to_host[16];
static unsigned frame_len, host_len, frames;

static int on_frame(unsigned dim, const uint8_t *bytes, unsigned len)
{
    (void)dim;
    memcpy(frame, bytes, frame_len = len);
    frames++;
    return SENT_ACCEPTED;
}

static void on_host(unsigned why, const uint8_t *bytes, unsigned len)
{
    EXPECT(why == MOVE_DELIVERED);
    memcpy(to_host, bytes, host_len = len);
}

int main(void)
{
    stub_on_frame = on_frame;
    stub_on_host = on_host;

    stub_begin(1, 3, 10);
    stub_host_has("\x06\x00hey", 5);
    stub_run(node_main, 6);
    EXPECT(frames == 1 && frame_len == 7 && !memcmp(frame, "\x06\x00\x01\x00hey", 7));

    stub_begin(6, 3, 10);
    stub_arrive(2, 6, frame + 2, frame_len - 2);
    stub_run(node_main, 6);
    EXPECT(frames == 2 && frame_len == 7 && !memcmp(frame, "\x01\x00\x06\x80hey", 7));
    EXPECT(stub.full == 0 && host_len == 0);

    stub_begin(1, 3, 10);
    stub_arrive(0, 1, frame + 2, frame_len - 2);
    stub_run(node_main, 6);
    EXPECT(frames == 2 && host_len == 5 && !memcmp(to_host, "\x06\x00hey", 5));
    return 0;
}
