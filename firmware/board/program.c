/* Loads the program of the nodes in pieces. All but its first two words go directly into the
 * program store. While no run is active, a program that sleeps occupies these two words. Parked
 * nodes therefore never execute an incomplete program. */
#include "program.h"
#include "host_state.h"
#include "reply.h"
#include "run.h"
#include "text_of.h"

/* `wfi`, and a jump back to it. */
#define SLEEP 0x10500073u
#define AGAIN 0xFFDFF06Fu

#define program host.program

#define HEAD (sizeof program.head / 4)

void program_load(void)
{
    uint32_t offset = host.received.words[0], total = host.received.words[1], crc = host.received.words[2];
    unsigned length = host.received.length - FRAME_HEADER - 12;
    if (!offset) {
        run_stop();
        program.state = PROGRAM_NONE;
        if (total - 1 >= HOST_PROGRAM_BYTES) {
            reject("\5" "1 to " TEXT_OF(HOST_PROGRAM_BYTES) " bytes");
            return;
        }
        program.state = PROGRAM_PART;
        program.total = total;
        program.crc = crc;
        program.received = 0;
        program.found = CRC_BEGIN;
        /* A program that runs past its end executes zeros, and halts. */
        clear(host_program + HEAD, HOST_PROGRAM_BYTES / 4 - HEAD);
    }
    if (program.state != PROGRAM_PART || offset != program.received || total != program.total ||
        crc != program.crc || length > total - offset) {
        reject("\6the next piece, or the first");
        return;
    }
    const uint8_t *piece = (uint8_t *)(host.received.words + 3);
    for (; length; length--) {
        program.found = crc_with(program.found, *piece);
        unsigned at = program.received++;
        volatile uint8_t *store = (volatile uint8_t *)host_program;
        if (at < 4 * HEAD)
            store = (volatile uint8_t *)program.head;
        store[at] = *piece++;
    }
    if (program.received == total) {
        program.state = PROGRAM_WHOLE;
        if (~program.found != crc) {
            program.state = PROGRAM_NONE;
            reject("\6load it again, for its CRC is another");
            return;
        }
    }
    reply_word(program.received);
}

void program_park(void)
{
    host_program[0] = SLEEP;
    host_program[1] = AGAIN;
}

void program_unpark(void)
{
    host_program[0] = program.head[0];
    host_program[1] = program.head[1];
}
