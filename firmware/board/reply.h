/* Builds a reply from its beginning. */
#ifndef REPLY_H
#define REPLY_H

#include "frame_line.h"

/* Begins a reply of this kind to a request with this sequence number. */
void reply_begin(frame *into, unsigned kind, unsigned sequence);

/* Appends a byte. Bytes that do not fit are dropped. */
void reply_byte(unsigned byte);
/* Appends four bytes, the lowest first. */
void reply_word(uint32_t word);
void reply_bytes(const volatile uint8_t *bytes, unsigned length);

/* Turns the reply into a rejection, and returns false. The text begins with its code and states
 * what is accepted. It has constant numbers, because code to print numbers does not fit. */
int reject(const char *text);

#endif
