/* What the host remembers. It lies at a fixed place below 2,048, where one instruction
 * reaches each of it; all of it is zero at the start. */
#ifndef HOST_STATE_H
#define HOST_STATE_H

#include "frame_line.h"
#include "host_port.h"

enum program_state { PROGRAM_NONE, PROGRAM_PART, PROGRAM_WHOLE };

typedef struct {
    /* As in a status, numbers of eight bytes: phases that are over since the start, clock
     * cycles, frames that were taken. */
    uint32_t phases, phases_high, clocks, clocks_high, hops, hops_high;
    /* The clock when they were counted. */
    uint32_t clock;
    /* Phases that were over at the latest move. */
    uint32_t moved;
    /* By node, a bit each: it will be given no more; it has the end in its queue; its program
     * has ended; its core has halted; that was told. */
    uint32_t finished, at_end, ended, halted, halt_told;
    /* Messages that waited for nodes. */
    uint32_t waited;
    uint8_t is_on;
    /* The node that is looked at in this phase. */
    uint8_t next;
    /* Arrivals that were looked at, and those of them that were collected; modulo two rings,
     * as the hardware counts them. */
    uint8_t known, collected;
} run_state;

typedef struct {
    /* The reply that is written. */
    frame *reply;
    /* What is coming: what it can be, its bytes; as a frame: the way to its next zero, as COBS
     * tells it, and its CRC. */
    struct {
        unsigned what, came, way;
        uint32_t crc;
    } coming;
    /* What came; and the latest reply that may be asked for again. */
    frame heard, latest;
    struct {
        enum program_state state;
        /* Bytes of all of it, and of what has come; its CRC as it was announced. */
        uint32_t total, received, crc;
        /* That of what has come. */
        uint32_t found;
        /* Its first two words. */
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
