/* The program that the nodes are to run, as it comes in pieces. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>

/* A request: the next piece. Tells what has come, or refuses. */
void program_load(void);

/* What the nodes find at reset: nothing, and sleep; or the program. */
void program_park(void);
void program_unpark(void);

/* So many words of zero. */
void clear(volatile void *from, unsigned words);

/* Four bytes, the lowest first. */
uint32_t word_at(const uint8_t *bytes);

#endif
