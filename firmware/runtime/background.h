/* Network service by the second context of the core (tdma_background). For internal use by the
 * runtime.
 *
 * The second context runs serve() in a phase that the program has not decided in time. It may do so
 * between any two instructions of the program. Only one buffer can be selected at a time, so the
 * program holds the second context back from the selection of a buffer to the access. It selects
 * the buffer again for each word. */
#ifndef BACKGROUND_H
#define BACKGROUND_H

#include "node_port.h"

/* Not 0 after tdma_background. In a program without this call the compiler removes everything that
 * depends on it. */
extern int background_on;

/* The injection buffer while the program uses it for a message of its own or of its host, one bit
 * for each buffer. The network neither reads nor fills it then. */
extern volatile uint32_t background_taken;

/* Takes a buffer from the network, and returns it. */
static inline void background_take(unsigned buffer)
{
    if (background_on)
        background_taken = 1u << buffer;
}

static inline void background_return(void)
{
    if (background_on)
        background_taken = 0;
}

/* Holds the second context back, and lets it continue. */
static inline void background_hold(void)
{
    if (background_on)
        port_write(PORT_BACKGROUND, 1);
}

static inline void background_continue(void)
{
    if (background_on)
        port_write(PORT_BACKGROUND, 0);
}

/* Reads the word of a buffer that `select` selects (DIM_SELECT). */
static inline uint32_t background_read(uint32_t select)
{
    background_hold();
    port_write(PORT_DIM_SELECT, select);
    uint32_t word = port_read(PORT_RX_DATA);
    background_continue();
    return word;
}

#endif
