/* Model of a node for a PC. Any C compiler builds the runtime and a program, and they run against a
 * model of the node's registers. A program can then be tested without the machine.
 *
 *     #define main node_main
 *     #include "my_program.c"
 *     #undef main
 *
 *     int main(void)
 *     {
 *         stub_begin(5, 3, 10);
 *         stub_run(node_main, 100);
 *         ...
 *     }
 *
 * Compile the test with runtime/tdma.c, ctrl.c, message_buffer.c and host/node_stub.c. A phase takes no
 * time: even a program that computes for long never misses a deadline. */
#ifndef NODE_STUB_H
#define NODE_STUB_H

#include <stdint.h>

#include "node_port.h"

enum { STUB_BYTES = 128, STUB_DIMS = 16 };

/* State of the node. The test may read it, and change it between phases. */
typedef struct {
    uint16_t address;
    unsigned dims;
    unsigned longest;                             /* longest payload of a frame, in bytes */
    uint8_t memory[STUB_DIMS + 1][STUB_BYTES];    /* a length byte, then the payload */
    uint32_t full;                                /* buffers, one bit each */
    uint32_t pending, down;                       /* links, one bit each */
    unsigned phase, phases;                       /* in the superframe, since the start */
    unsigned decisions;                           /* phases decided */
    int ended;                                    /* the program has reported its end */
    uint8_t exit_code;
} stub_node;

extern stub_node stub;

/* Called when a frame is sent over a link. `bytes` follow the length byte. Returns SENT_ACCEPTED,
 * SENT_NAK or SENT_TIMEOUT. By default every frame is accepted. */
extern int (*stub_on_frame)(unsigned dim, const uint8_t *bytes, unsigned len);

/* Called for a message to the host. `why` is MOVE_DELIVERED, .._UNDELIVERED or .._UNKNOWN. */
extern void (*stub_on_host)(unsigned why, const uint8_t *bytes, unsigned len);

/* Called when a phase begins. */
extern void (*stub_on_phase)(void);

/* Initialises a node with this address in a cube of `dims` dimensions, with empty buffers. */
void stub_begin(uint16_t address, unsigned dims, unsigned longest);

/* Delivers a message over a link. Returns -1 if its buffer is full. */
int stub_arrive(unsigned dim, uint16_t dest, const void *payload, unsigned len);

/* Sets the message that the host offers from now on. NULL: none. */
void stub_host_has(const void *message, unsigned len);

/* Ends the host's messages from now on: ctrl_recv returns 0. */
void stub_host_ends(void);

/* Returns whether the host's message was accepted. */
int stub_host_done(void);

/* Runs a program for `phases` phases. The program need not return. */
void stub_run(int (*program)(void), unsigned phases);

#endif
