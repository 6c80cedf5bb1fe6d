/* The PC's line, on which frames and lines of text come (docs/host-protocol.md). */
#ifndef FRAME_LINE_H
#define FRAME_LINE_H

#include <stdint.h>

/* Bytes of payload, at most. No node can be given more messages by one frame than its
 * queue has places for: each takes six bytes at least. */
#define FRAME_PAYLOAD 52

/* Bytes of a frame before its payload; and of the CRC behind it. */
#define FRAME_HEADER 4
#define FRAME_CHECK 4

#define FRAME_VERSION 1

/* Header and payload, which the length is of, and room for the CRC. */
typedef struct {
    unsigned length;
    union {
        uint8_t bytes[FRAME_HEADER + FRAME_PAYLOAD + FRAME_CHECK];
        struct {
            uint8_t version, kind;
            uint16_t sequence;
            union {
                uint8_t payload[FRAME_PAYLOAD];
                uint32_t words[FRAME_PAYLOAD / 4];
            };
        };
    };
} frame;

/* What came: a frame, of any version, whose CRC is right; a line of text; or neither. */
enum heard { HEARD_FRAME, HEARD_LINE, HEARD_GARBLED };

/* What is to be done when a phase has begun. */
void host_idle(void);

/* Waits for something; a frame becomes what was heard. */
enum heard frame_hear(void);

/* Sends a frame; it can be sent again. */
void frame_send(frame *sent);

/* Sends text. */
void line_send(const char *text);

/* A CRC-32 with one byte more. It begins with CRC_BEGIN, and is complemented at its end. */
#define CRC_BEGIN 0xFFFFFFFFu
uint32_t crc_with(uint32_t crc, unsigned byte);

#endif
