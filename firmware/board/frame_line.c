/* Serial line to the PC, which carries frames and lines of text (docs/host-protocol.md). */
#include "frame_line.h"
#include "host_state.h"

#define segment host.received
#define coming host.coming

_Static_assert(FRAME_PAYLOAD / 6 <= HOST_SLOTS, "a frame has no more messages than a queue");
_Static_assert(FRAME_HEADER + FRAME_PAYLOAD + FRAME_CHECK < 254, "COBS adds one byte");

/* CRC over a whole valid frame, including its own CRC. */
#define CRC_OF_ALL 0xDEBB20E3u

/* Processes four bits at a time: a table for whole bytes does not fit, and single bits take too
 * long. */
__attribute__((noinline)) uint32_t crc_with(uint32_t crc, unsigned byte)
{
    static const uint32_t table[] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
    };
    crc ^= byte;
    for (int half = 0; half < 2; half++)
        crc = table[crc & 15] ^ crc >> 4;
    return crc;
}

/* Performs the work of a phase, if one has begun, and returns STATUS. During a run an instruction
 * can take up to a quarter of a byte time, so every byte calls this function. */
static __attribute__((noinline)) uint32_t look(void)
{
    uint32_t status = host_read(HOST_STATUS);
    if (status & STATUS_FRESH)
        host_idle();
    return status;
}

static __attribute__((noinline)) void put(unsigned byte)
{
    while (!(look() & STATUS_SENDS))
        ;
    host_write(HOST_SERIAL, byte);
}

void line_send(const char *text)
{
    while (*text)
        put((uint8_t)*text++);
}

void frame_send(frame *sent)
{
    uint8_t *next = sent->bytes, *end = next;
    uint32_t crc = CRC_BEGIN;
    for (unsigned left = sent->length; left; left--) {
        look();
        crc = crc_with(crc, *end++);
    }
    for (unsigned i = 0; i < FRAME_CHECK; i++, crc >>= 8)
        *end++ = (uint8_t)~crc;
    put(0);
    /* COBS: each zero, and the position before the first byte, becomes the distance to the next
     * zero. */
    for (; next <= end; next++) {
        uint8_t *zero = next;
        while (zero < end && *zero)
            zero++;
        put((unsigned)(zero - next) + 1);
        while (next < zero)
            put(*next++);
    }
    put(0);
}

/* Possible kinds of the segment so far. A line end can also be the first byte of a frame. */
enum { BLANK = 0, BEGUN = 1, NO_LINE = 2, NO_FRAME = 4 };

/* Stores a byte of the frame that is being received. */
static void take(unsigned byte)
{
    unsigned length = segment.length++;
    if (length < sizeof segment.bytes)
        segment.bytes[length] = (uint8_t)byte;
    coming.crc = crc_with(coming.crc, byte);
}

enum segment_kind frame_receive(void)
{
begin:
    coming.what = BLANK;
    coming.came = coming.distance = 0;
    coming.crc = CRC_BEGIN;
    segment.length = 0;
    for (;;) {
        while (!(look() & STATUS_RECEIVED))
            host_wait();
        unsigned byte = host_read(HOST_SERIAL), what = coming.what;
        if (!byte) {
            if (what == BLANK)
                goto begin;
            segment.length -= FRAME_CHECK;
            return !coming.distance && coming.crc == CRC_OF_ALL && segment.length - FRAME_HEADER <= FRAME_PAYLOAD
                       ? SEGMENT_FRAME
                       : SEGMENT_GARBLED;
        }
        if (byte == '\n' || byte == '\r') {
            if (what == BLANK) {
                coming.came = 1;
                coming.distance = byte - 1;
                continue;
            }
            if (!(what & NO_LINE))
                return SEGMENT_LINE;
            if (what & NO_FRAME)
                goto begin;
        } else {
            what |= byte - ' ' <= '~' - ' ' ? BEGUN : BEGUN | NO_LINE;
        }
        /* The second byte of a frame is its version. */
        if (coming.came++ == 1 && byte > 9)
            what |= NO_FRAME;
        coming.what = what;
        if (coming.distance--) {
            take(byte);
            continue;
        }
        coming.distance = byte - 1;
        /* The first byte is only the distance to the first zero. */
        if (coming.came > 1)
            take(0);
    }
}
