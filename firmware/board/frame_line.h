/* Serial line to the PC, which carries frames and lines of text (docs/host-protocol.md). */
#ifndef FRAME_LINE_H
#define FRAME_LINE_H

#include <stdint.h>

/* Maximum payload in bytes. A message takes at least six bytes, so the messages of one frame fit
 * into the queue of a node. */
#define FRAME_PAYLOAD 52

/* Bytes of a frame before its payload, and bytes of the CRC after it. */
#define FRAME_HEADER 4
#define FRAME_CHECK 4

#define FRAME_VERSION 1

/* Frame: header and payload, whose total is `length`, and room for the CRC. */
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

/* Kind of the received segment: a frame of any version with a correct CRC, a line of text, or
 * neither. */
enum segment_kind { SEGMENT_FRAME, SEGMENT_LINE, SEGMENT_GARBLED };

/* Performs the work of a phase that has begun. */
void host_idle(void);

/* Waits for a segment. A frame is stored in `host.received`. */
enum segment_kind frame_receive(void);

/* Sends a frame. The frame can be sent again. */
void frame_send(frame *sent);

/* Sends a text. */
void line_send(const char *text);

/* Extends a CRC-32 by one byte. The CRC begins with CRC_BEGIN and is complemented at its end. */
#define CRC_BEGIN 0xFFFFFFFFu
uint32_t crc_with(uint32_t crc, unsigned byte);

#endif
