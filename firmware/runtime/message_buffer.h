/* Messages in the buffers of the message memory: a length byte, then the bytes of the message, four
 * to a word. For internal use by the runtime. */
#ifndef MESSAGE_BUFFER_H
#define MESSAGE_BUFFER_H

#include <stdint.h>

/* Returns the number of the injection buffer. */
unsigned message_buffer_injection(void);

/* Waits until the injection buffer is free, and writes `bytes` bytes of `header`, the length first,
 * and the payload. Returns -1 if the message is too long or empty. */
int message_buffer_put(uint32_t header, unsigned bytes, const uint8_t *payload, unsigned len);

/* Reads a message from the selected buffer and frees the buffer. `word` is its first word, and
 * `header` bytes are skipped. Returns the length. */
int message_buffer_get(unsigned buffer, uint32_t word, unsigned header, uint8_t *buf, unsigned max);

#endif
