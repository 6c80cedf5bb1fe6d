/* Loads the program of the nodes in pieces. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>

/* Handles the request with the next piece. Reports the bytes received so far, or rejects the
 * request. */
void program_load(void);

/* Select what the nodes execute after reset: a program that sleeps, or the loaded program. */
void program_park(void);
void program_unpark(void);

/* Clears `words` words. */
void clear(volatile void *from, unsigned words);

/* Reads four bytes, the lowest first. */
uint32_t word_at(const uint8_t *bytes);

#endif
