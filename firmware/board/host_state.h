/* State of the host. It is at a fixed address below 2,048, so that one instruction reaches every
 * field. All fields are zero at the start. */
#ifndef HOST_STATE_H
#define HOST_STATE_H

#include "frame_line.h"
#include "host_port.h"

enum program_state { PROGRAM_NONE, PROGRAM_PART, PROGRAM_WHOLE };

/* Number of rings of arrivals, and words of a set of nodes. */
#ifdef HOST_GROUPS
#define RINGS HOST_GROUPS
#else
#define RINGS 1
#endif
#define SET_WORDS ((HOST_NODES + 31) / 32)

#if HOST_NODES <= 256
typedef uint8_t node_number;
#else
typedef uint16_t node_number;
#endif

typedef struct {
    /* Counters of eight bytes, as in a status: phases completed since the start, clock cycles, and
     * accepted frames. */
    uint32_t phases, phases_high, clocks, clocks_high, hops, hops_high;
    /* Clock at the latest update of the counters. */
    uint32_t clock;
    /* Phases completed at the latest activity. */
    uint32_t moved;
    /* Sets of nodes, with a bit for each. `finished`: the PC has ended its messages. `at_end`: the end is in its
     * queue. `ended`: its program has ended. `halted`: its core has halted. `halt_reported`: the
     * halt was reported. */
    uint32_t finished[SET_WORDS], at_end[SET_WORDS], ended[SET_WORDS], halted[SET_WORDS], halt_reported[SET_WORDS];
    /* Number of messages that waited for nodes. */
    uint32_t waited;
    uint8_t is_on;
    /* Last node that is examined in this phase. */
    node_number next;
    /* Arrivals of each ring that were examined, and those that were collected, modulo two rings as in
     * the hardware. */
    uint8_t known[RINGS], collected[RINGS];
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

/* The linker scripts have the same numbers: board/frames.ld for eight nodes, board/frames_large.ld and
 * board/frames_groups.ld for up to 512. */
#define HOST_STATE_AT 0x10
#if HOST_NODES <= 8
#define HOST_STATE_BYTES 0xF8
#else
#define HOST_STATE_BYTES 0x240
#endif

#define host (*(host_state *)HOST_MEMORY(HOST_STATE_AT))

#ifdef __riscv
_Static_assert(sizeof(host_state) <= HOST_STATE_BYTES, "no room for the state");
#endif

#endif
