/* Host of the nodes on a board that runs programs: receives requests and sends replies
 * (docs/host-protocol.md). A request is executed once. A repeated request gets the same reply,
 * which is kept until the next request. */
#include "host_state.h"
#include "program.h"
#include "reply.h"
#include "run.h"
#include "text_of.h"

/* Kinds of requests. The kind of a reply also has the bit REPLY. */
enum { HELLO = 1, LOAD, START, SEND, FINISH, COLLECT, STATUS, WHERE, STOP, RESET, KINDS };
#define REPLY 0x80

uint32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Reply to a hello. */
#define WORD(value) (value) & 255, (value) >> 8 & 255, (value) >> 16 & 255, (value) >> 24
static void hello(void)
{
    static const uint8_t about[] = {
        FRAME_PAYLOAD, 0,   HOST_DIMS, WORD(HOST_NODES), WORD(HOST_PROGRAM_BYTES), WORD(HOST_DATA_BYTES),
        10, /* bytes of a message between node and host */
        4, 't', 'd', 'm', 'a',
        '0' + HOST_DIMS, '-', 'c', 'u', 'b', 'e', ' ', 'o', 'n', ' ', 'a', ' ', 'b', 'o', 'a', 'r', 'd',
    };
    reply_bytes(about, sizeof about);
}

static void reset(void)
{
    run_stop();
    host.program.state = PROGRAM_NONE;
}

/* Handler of each kind of request, and the bytes of its payload. For a load this is the minimum. */
static void (*const performs[KINDS - 1])(void) = {
    hello, program_load, run_start, run_send, run_finish, run_collect, run_status, run_where, run_stop, reset,
};
static const uint8_t lengths[KINDS - 1] = {0, 12, 4, 0, 4, 2, 0, 4, 0, 0};

/* Returns whether the received frame is a request. */
static int is_request(void)
{
    unsigned kind = host.received.kind, length = host.received.length - FRAME_HEADER;
    if (kind - 1 >= KINDS - 1)
        return 0;
    if (kind == LOAD)
        return length >= 12;
    unsigned at = lengths[kind - 1];
    while (kind == SEND && at + 5 <= length)
        at += 5 + host.received.payload[at + 4];
    return at == length;
}

/* Rejects a frame without executing a request. The reply to the latest request is kept. */
static __attribute__((noinline)) void answer_uncounted(const char *text, unsigned sequence)
{
    reply_begin(&host.received, 0, sequence);
    reject(text);
    frame_send(&host.received);
}

/* Answers a frame with a correct CRC. */
static void answer(void)
{
    unsigned sequence = host.received.sequence, version = host.received.version;
    if (version != FRAME_VERSION) {
        answer_uncounted("\1version " TEXT_OF(FRAME_VERSION), sequence);
        return;
    }
    int good = is_request();
    if (good && host.received.kind == HELLO) {
        /* The sender of the first part of the program is gone. */
        if (host.program.state == PROGRAM_PART)
            host.program.state = PROGRAM_NONE;
    } else if (!host.latest.length) {
        answer_uncounted("\4" "a hello first", sequence);
        return;
    } else {
        unsigned ahead = (sequence - host.latest.sequence) & 0xFFFF;
        if (ahead > 1) {
            answer_uncounted("\4the next number, or a hello", sequence);
            return;
        }
        if (!ahead) {
            frame_send(&host.latest);
            return;
        }
    }
    reply_begin(&host.latest, host.received.kind | REPLY, sequence);
    if (good)
        performs[host.received.kind - 1]();
    else
        reject("\3those of docs/host-protocol.md");
    frame_send(&host.latest);
}

int main(void)
{
    run_stop();
    line_send("phasecube programs nodes=" TEXT_OF(HOST_NODES) "\nready\n");
    for (;;) {
        enum segment_kind kind = frame_receive();
        if (kind == SEGMENT_FRAME)
            answer();
        else if (kind == SEGMENT_LINE)
            line_send("error accepted: frames of host protocol " TEXT_OF(FRAME_VERSION)
                      ", docs/host-protocol.md\nready\n");
        else
            answer_uncounted("\2the same, undamaged", 0);
    }
}
