/* Lines to and from the PC. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>

/* What is to be done while the line is busy. */
void host_idle(void);

void text_put(const char *text);

/* ` key=0x5` and ` key=5`, the first with so many digits. */
void text_hex(const char *key, uint32_t value, unsigned digits);
void text_number(const char *key, unsigned value);

/* Hexadecimal digits only, the highest first. */
void text_digits(uint32_t value, unsigned digits);

/* Reads a number, decimal or hexadecimal after 0x, to the end of the text; 0 if it is none. */
int read_number(const char *text, uint64_t *value);

/* Reads a line; of a longer one the rest is dropped. */
void text_line(char *line, unsigned size);

#endif
