/* State of the host. It is at a fixed address below 2,048, so that one instruction reaches every
 * field. All fields are zero at the start. */
#ifndef HOST_STATE_H
#define HOST_STATE_H

#include "frame_line.h"
#include "host_port.h"

enum program_state { PROGRAM_NONE, PROGRAM_PART, PROGRAM_WHOLE };

typedef struct {
    /* Counters of eight bytes, as in a status: phases completed since the start, clock cycles, and
     * accepted frames. */
    uint32_t phases, phases_high, clocks, clocks_high, hops, hops_high;
    /* Clock at the latest update of the counters. */
    uint32_t clock;
    /* Phases completed at the latest activity. */
    uint32_t moved;
    /* Bit masks by node. `finished`: the PC has ended its messages. `at_end`: the end is in its
     * queue. `ended`: its program has ended. `halted`: its core has halted. `halt_reported`: the
     * halt was reported. */
    uint32_t finished, at_end, ended, halted, halt_reported;
    /* Number of messages that waited for nodes. */
    uint32_t waited;
    uint8_t is_on;
    /* Node that is examined in this phase. */
    uint8_t next;
    /* Arrivals that were examined, and those that were collected, modulo two rings as in the
     * hardware. */
    uint8_t known, collected;
} run_state;

typedef struct {
    /* Reply that is being written. */
    frame *reply;
    /* Segment that is being received: its possible kinds and its bytes. For a frame also the
     * distance to its next zero, as COBS states it, and its CRC. */
    struct {
        unsigned what, came, distance;
        uint32_t crc;
    } coming;
    /* Received segment, and the latest reply, which may be requested again. */
    frame received, latest;
    struct {
        enum program_state state;
        /* Size of the program in bytes, bytes received so far, and the announced CRC. */
        uint32_t total, received, crc;
        /* CRC of the bytes received so far. */
        uint32_t found;
        /* First two words of the program. */
        uint32_t head[2];
    } program;
    run_state run;
} host_state;

/* board/frames.ld has the same numbers. */
#define HOST_STATE_AT 0x10
#define HOST_STATE_BYTES 0xF8

#define host (*(host_state *)HOST_MEMORY(HOST_STATE_AT))

#ifdef __riscv
_Static_assert(sizeof(host_state) <= HOST_STATE_BYTES, "no room for the state");
#endif

#endif
