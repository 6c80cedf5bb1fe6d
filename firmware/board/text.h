/* Lines of text to and from the PC. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>

/* Performs the work of a phase while the line is busy. */
void host_idle(void);

void text_put(const char *text);

/* Write ` key=0x5` with `digits` digits, and ` key=5`. */
void text_hex(const char *key, uint32_t value, unsigned digits);
void text_number(const char *key, unsigned value);

/* Writes hexadecimal digits only, the highest first. */
void text_digits(uint32_t value, unsigned digits);

/* Parses a number, decimal or hexadecimal after 0x, up to the end of the text. Returns 0 if the
 * text is not a number. */
int read_number(const char *text, uint64_t *value);

/* Reads a line. The rest of a longer line is dropped. */
void text_line(char *line, unsigned size);

#endif
