/* Model of the node's registers for a PC. It stops a program that violates their rules. */
#include "node_stub.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Position of the phase in PHASE_CONFIG, MOVE and DECIDE. */
#define PHASE_SHIFT 24

/* Number of the buffer in DIM_SELECT, DECIDE and FULL. */
#define BUFFER 0x1Fu

/* Position of the turn of a link in its buffer (SELECT_LAST_WORD). */
#define TURN (STUB_BYTES - 4)

stub_node stub;
int (*stub_on_frame)(unsigned, const uint8_t *, unsigned);
void (*stub_on_host)(unsigned, const uint8_t *, unsigned);
void (*stub_on_phase)(void);

static unsigned selected, position, decision;
static int decided;
static uint8_t timeouts[STUB_DIMS];
static uint8_t host_message[STUB_BYTES];
static int host_valid, host_ended;
static unsigned last_phase;
static jmp_buf out;

static void check(int good, const char *what, unsigned value)
{
    if (good)
        return;
    fprintf(stderr, "node_stub: %s (0x%x)\n", what, value);
    abort();
}

void stub_begin(uint16_t address, unsigned dims, unsigned longest)
{
    check(dims >= 1 && dims <= STUB_DIMS, "a cube has 1 to 16 dimensions", dims);
    check(longest < STUB_BYTES - 4, "a buffer has 128 bytes", longest);
    memset(&stub, 0, sizeof stub);
    memset(timeouts, 0, sizeof timeouts);
    stub.address = address;
    stub.dims = dims;
    stub.longest = longest;
    stub.phase = 2 * dims - 1;
    selected = position = decision = 0;
    decided = 1;
    host_valid = host_ended = 0;
}

int stub_arrive(unsigned dim, uint16_t dest, const void *payload, unsigned len)
{
    check(dim < stub.dims, "no such dimension", dim);
    check(len + 2 <= stub.longest, "the message is too long", len);
    if (stub.full >> dim & 1)
        return -1;
    uint8_t *buffer = stub.memory[dim];
    buffer[0] = (uint8_t)(len + 2);
    buffer[1] = (uint8_t)dest;
    buffer[2] = (uint8_t)(dest >> 8);
    memcpy(buffer + 3, payload, len);
    stub.full |= 1u << dim;
    return 0;
}

void stub_host_has(const void *message, unsigned len)
{
    check(len <= stub.longest, "the message is too long", len);
    host_valid = message != NULL;
    host_message[0] = (uint8_t)len;
    if (message)
        memcpy(host_message + 1, message, len);
}

void stub_host_ends(void)
{
    host_valid = host_ended = 1;
    host_message[0] = HOST_END | 1;
}

int stub_host_done(void)
{
    return !host_valid;
}

static unsigned dim(void)
{
    return stub.phase / 2;
}

static int transmits(void)
{
    return (stub.address >> dim() & 1u) == (stub.phase & 1);
}

static void send(unsigned buffer)
{
    uint32_t link = 1u << dim();
    uint8_t *bytes = stub.memory[buffer];
    check(buffer <= stub.dims && stub.full >> buffer & 1, "a frame from an empty buffer", buffer);
    check(!(stub.down & link), "a frame over a link that is down", dim());
    int sent = stub_on_frame ? stub_on_frame(dim(), bytes + 1, bytes[0]) : SENT_ACCEPTED;
    stub.pending &= ~link;
    stub.memory[dim()][TURN] = (uint8_t)(buffer + (sent == SENT_ACCEPTED));
    if (sent == SENT_TIMEOUT) {
        stub.pending |= link;
        if (++timeouts[dim()] == 64)
            stub.down |= link;
    } else {
        timeouts[dim()] = 0;
    }
    if (sent == SENT_ACCEPTED)
        stub.full &= ~(1u << buffer);
}

static void next_phase(void)
{
    if (decision & DECIDE_SEND && transmits())
        send(decision & BUFFER);
    decision = 0;
    if (stub.phases == last_phase)
        longjmp(out, 1);
    stub.phases++;
    stub.phase = (stub.phase + 1) % (2 * stub.dims);
    decided = 0;
    if (stub_on_phase)
        stub_on_phase();
}

void port_wait(void)
{
    if (decided)
        next_phase();
}

/* The message memory belongs to the program until it has decided. */
static void wait_for_memory(void)
{
    if (decided)
        next_phase();
}

static uint8_t *word(void)
{
    uint8_t *at = stub.memory[selected] + position;
    position = (position + 4) % STUB_BYTES;
    return at;
}

uint32_t port_read(unsigned offset)
{
    uint32_t link = 1u << dim();
    switch (offset) {
    case PORT_PHASE_COUNTER:
        return stub.phase;
    case PORT_PHASE_CONFIG: {
        uint32_t config = stub.phase << PHASE_SHIFT | dim();
        if (transmits())
            config |= link << WORD_DESTINATION_SHIFT | CONFIG_TURNS;
        if (transmits() && stub.pending & link)
            config |= CONFIG_REPEATS;
        if (stub.down & link)
            config |= CONFIG_DOWN;
        return decided ? config | CONFIG_DECIDED : config;
    }
    case PORT_TX_DATA:
    case PORT_RX_DATA: {
        wait_for_memory();
        const uint8_t *at = word();
        return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
    }
    case PORT_TX_STATUS:
        return SENT_NOTHING;
    case PORT_RX_STATUS:
        return stub.full;
    case PORT_FRAME_COUNT:
        return (uint16_t)((stub.phases - 1) / (2 * stub.dims));
    case PORT_ERROR_COUNT:
        return 0;
    case PORT_NODE_ADDRESS:
        return stub.address;
    case PORT_DIMENSIONS:
        return stub.dims | stub.longest << 8;
    case PORT_CYCLE_COUNTER:
        return 0;
    case PORT_HOST_STATUS:
        return host_valid ? HOST_OFFERS : 0;
    default:
        check(0, "a read of no register", offset);
        return 0;
    }
}

static void move(uint32_t value)
{
    unsigned what = value & 3;
    uint8_t *buffer = stub.memory[selected];
    if (what == MOVE_TAKE) {
        if (!host_valid || stub.full >> stub.dims & 1)
            return;
        memcpy(stub.memory[stub.dims], host_message, STUB_BYTES - 3);
        stub.full |= 1u << stub.dims;
        host_valid = host_ended;
        return;
    }
    if (what != MOVE_DELIVERED && (value >> PHASE_SHIFT & 0x1F) != stub.phase)
        return;
    if (what == MOVE_UNKNOWN)
        stub.pending &= ~(1u << dim());
    if (buffer[0] & HOST_END) {
        stub.ended = 1;
        stub.exit_code = buffer[1];
    } else if (stub_on_host)
        stub_on_host(what, buffer + 1, buffer[0]);
    stub.full &= ~(1u << selected);
}

void port_write(unsigned offset, uint32_t value)
{
    switch (offset) {
    case PORT_TX_DATA:
    case PORT_RX_DATA: {
        wait_for_memory();
        uint8_t *at = word();
        for (unsigned i = 0; i < 4; i++)
            at[i] = (uint8_t)(value >> 8 * i);
        return;
    }
    case PORT_DIM_SELECT:
        selected = value & BUFFER;
        position = (value >> 5) * 4 % STUB_BYTES;
        return;
    case PORT_MOVE:
        wait_for_memory();
        move(value);
        return;
    case PORT_DECIDE:
        if (decided || (value >> PHASE_SHIFT & 0x1F) != stub.phase)
            return;
        decided = 1;
        decision = value;
        stub.decisions++;
        /* If no buffer wants the link, its turn returns to buffer 0. */
        if (transmits() && !(value & DECIDE_SEND) && !(stub.pending >> dim() & 1))
            stub.memory[dim()][TURN] = 0;
        return;
    case PORT_FULL:
        wait_for_memory();
        if (value & FULL_SET)
            stub.full |= 1u << (value & BUFFER);
        else
            stub.full &= ~(1u << (value & BUFFER));
        return;
    default:
        check(0, "a write to no register", offset);
    }
}

void stub_run(int (*program)(void), unsigned phases)
{
    last_phase = stub.phases + phases;
    if (!setjmp(out))
        program();
}
