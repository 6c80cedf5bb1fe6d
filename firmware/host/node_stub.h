/* A node on a PC: the runtime and a program are compiled with any C compiler and
 * run against a model of the node's registers, so that a program can be tested
 * without the machine.
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
 * compiled with runtime/tdma.c, ctrl.c, register.c and host/node_stub.c. A phase
 * takes no time: however long the program computes, it is never late.
 */
#ifndef NODE_STUB_H
#define NODE_STUB_H

#include <stdint.h>

#include "node_port.h"

enum { STUB_BYTES = 128, STUB_DIMS = 15 };

/* What the test may look at, and change between phases. */
typedef struct {
    uint16_t address;
    unsigned dims;
    unsigned longest;                             /* payload of a frame, in bytes */
    uint8_t memory[STUB_DIMS + 1][STUB_BYTES];    /* a length byte, then the payload */
    uint32_t full;                                /* registers, a bit each */
    uint32_t pending, down;                       /* links, a bit each */
    unsigned phase, phases;                       /* in the superframe, since the start */
    unsigned decisions;                           /* phases decided */
    int ended;                                    /* the program has said so */
    uint8_t exit_code;
} stub_node;

extern stub_node stub;

/* A frame goes out over a link: bytes are what follows the length byte. Returns
 * SENT_TAKEN, SENT_REFUSED or SENT_SILENT. By default every frame is taken. */
extern int (*stub_on_frame)(unsigned dim, const uint8_t *bytes, unsigned len);

/* A message for the host; why is MOVE_DELIVERED, .._UNDELIVERED or .._UNKNOWN. */
extern void (*stub_on_host)(unsigned why, const uint8_t *bytes, unsigned len);

/* A phase begins. */
extern void (*stub_on_phase)(void);

/* A node with this address in a cube of so many dimensions, all registers empty. */
void stub_begin(uint16_t address, unsigned dims, unsigned longest);

/* A message arrives over a link. Returns -1 if its register is full. */
int stub_arrive(unsigned dim, uint16_t dest, const void *payload, unsigned len);

/* What the host has ready from now on; one message. NULL: nothing. */
void stub_host_has(const void *message, unsigned len);

/* From now on the host has no more: ctrl_recv returns 0. */
void stub_host_ends(void);

/* Whether the host's message was taken. */
int stub_host_done(void);

/* Runs a program, which need not end, for so many phases. */
void stub_run(int (*program)(void), unsigned phases);

#endif
