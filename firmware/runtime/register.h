/* Messages in the registers of the message memory: a length byte, then so many
 * bytes, four to a word. For the runtime's own use. */
#ifndef REGISTER_H
#define REGISTER_H

#include <stdint.h>

/* The number of the injection register. */
unsigned register_injection(void);

/* Waits until the injection register is free, and writes `header` (`bytes` of
 * it, the length first) and the payload. Returns -1 if that is too long, or
 * nothing at all. */
int register_put(uint32_t header, unsigned bytes, const uint8_t *payload, unsigned len);

/* Reads a message of the selected register, of which `word` is the first word
 * and `header` bytes are not wanted; frees the register. Returns the length. */
int register_get(unsigned reg, uint32_t word, unsigned header, uint8_t *buf, unsigned max);

#endif
