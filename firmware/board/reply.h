/* A reply, written from its beginning. */
#ifndef REPLY_H
#define REPLY_H

#include "frame_line.h"

/* Begins a reply of this kind to a request with this sequence number. */
void reply_begin(frame *into, unsigned kind, unsigned sequence);

/* What has no room is dropped. */
void reply_byte(unsigned byte);
/* Four bytes, the lowest first. */
void reply_word(uint32_t word);
void reply_bytes(const volatile uint8_t *bytes, unsigned length);

/* Makes it a refusal. The text begins with its code, and says what is accepted instead. There
 * is no room for what would write numbers. Always false. */
int refuse(const char *text);

#endif
