/* Model of the board around its host, for a PC. It stops a host that violates its rules. The host
 * is compiled with the model. The parent process exchanges these records with it:
 *
 *     to it:     phases 4, length 4, as many bytes that arrive over the line
 *     from it:   length 4, the bytes that it sent; length 4, the actions on the nodes, in text
 *
 * Numbers are sent low byte first. The model answers when the host has processed the bytes and,
 * during a run, the given number of phases has begun. The text has two kinds of entries. `start
 * HEX` is the program store at the start, without the zeros at its end. `given NODE HEX` is a
 * message in the queue of a node.
 *
 * Each node returns every message reversed, and ends with code 0 when the host sends the end. A
 * message of ten bytes that ends with 0xA1 or 0xA2 is delivered as undelivered or as unknown. A
 * program of a `nop` and a zero halts at the zero, except in the nodes with a set bit in its third
 * word. The bit of a node is its number modulo 32. */
#include "host_port.h"
#include "node_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The data of the nodes are the last part of the memory. Nodes without groups are one group. */
#ifdef HOST_GROUPS
#define GROUPS HOST_GROUPS
#else
#define GROUPS 1
#endif
#define GROUP_OF(node) ((node) / (HOST_NODES / GROUPS))

enum { MEMORY = HOST_DATA_AT + HOST_NODES * HOST_DATA_BYTES, PARKED = 0x10500073, NOP = 0x13, TICKS = 1500, CLOCKS = 33000 };

uint32_t board_stub_memory[MEMORY / 4];

static struct {
    unsigned left;
    int halted, ended, holds;
    host_message held;
} nodes[HOST_NODES];

static uint32_t at_restart[HOST_PROGRAM_BYTES / 4];
static int running, wanted, fresh, restarted;
static unsigned phase, superframe, taken, accepted, group, come[GROUPS], seen[GROUPS];
static unsigned busy, restarts, looked_at, look_wait, ticks;
/* The initial value makes a carry occur early. */
static uint32_t clock_cycles = 0xFFFF0000;

static uint8_t *line;
static uint32_t line_length, line_at, phases_left;
static int requested;

static struct {
    uint8_t *bytes;
    uint32_t length, room;
} sent, actions;

static void check(int good, const char *what, unsigned value)
{
    if (good)
        return;
    fprintf(stderr, "board_stub: %s (0x%x)\n", what, value);
    abort();
}

static void *grown(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    check(memory != NULL, "no memory", (unsigned)bytes);
    return memory;
}

#define ADD(to, byte)                                               \
    do {                                                            \
        if (to.length == to.room)                                   \
            to.bytes = grown(to.bytes, to.room = 2 * to.room + 64); \
        to.bytes[to.length++] = (uint8_t)(byte);                    \
    } while (0)

static void note(const char *text)
{
    while (*text)
        ADD(actions, *text++);
}

static void note_bytes(const volatile uint8_t *bytes, unsigned length)
{
    char digits[3];
    while (length--) {
        snprintf(digits, sizeof digits, "%02x", *bytes++);
        note(digits);
    }
    note("\n");
}

/* Delivers the message that the node holds, if the ring has room. */
static void deliver(unsigned node)
{
    unsigned of = GROUP_OF(node);
    if (!nodes[node].holds || ((come[of] ^ seen[of]) & (2 * HOST_RING - 1)) == HOST_RING)
        return;
    uint8_t *bytes = (uint8_t *)&nodes[node].held;
    unsigned why = bytes[0] == 10 && (bytes[1] == 0xA1 || bytes[1] == 0xA2) ? bytes[1] - 0xA0u : 0;
    volatile host_message *entry = host_ring + of * HOST_RING + (come[of] & (HOST_RING - 1));
    *entry = nodes[node].held;
    entry->mark = (node & 63) | why << 6 | phase << 8 | node >> 6 << 13 | superframe << 16;
    come[of] = (come[of] + 1) & (2 * HOST_RING - 1);
    nodes[node].holds = 0;
}

static void node_phase(unsigned node)
{
    if (at_restart[0] == NOP && at_restart[1] == 0 && !(at_restart[2] >> (node & 31) & 1))
        nodes[node].halted = 1;
    if (nodes[node].halted)
        return;
    deliver(node);
    if (nodes[node].holds || !nodes[node].left)
        return;
    unsigned slot = node * HOST_SLOTS + nodes[node].left-- % HOST_SLOTS;
    host_message message = host_queue[slot];
    uint8_t *from = (uint8_t *)&message, *to = (uint8_t *)&nodes[node].held;
    memset(to, 0, sizeof nodes[node].held);
    if (*from & HOST_END) {
        check(*from == (HOST_END | 1), "what the host gives is no end", *from);
        if (nodes[node].ended)
            return;
        nodes[node].ended = 1;
        to[0] = HOST_END | 1;
    } else {
        check(*from >= 1 && *from <= 10, "a message has 1 to 10 bytes", *from);
        to[0] = from[0];
        for (unsigned i = 1; i <= from[0]; i++)
            to[i] = from[from[0] + 1 - i];
        taken++;
    }
    nodes[node].holds = 1;
    deliver(node);
}

static void phase_begins(void)
{
    ticks = 0;
    accepted = taken;
    taken = 0;
    if (++phase == HOST_PHASES) {
        phase = 0;
        if (!wanted) {
            running = 0;
            return;
        }
        superframe = (superframe + 1) & 0xFFFF;
    }
    clock_cycles += CLOCKS;
    fresh = 1;
    look_wait = 0;
    for (unsigned i = 0; i < HOST_PROGRAM_BYTES / 4; i++)
        check(host_program[i] == at_restart[i], "the program is changed while it runs", 4 * i);
    for (unsigned node = 0; node < HOST_NODES; node++)
        node_phase(node);
}

/* Time advances while the host works. */
static void tick(void)
{
    clock_cycles += 10;
    if (running && ++ticks == TICKS)
        phase_begins();
}

static uint32_t look(void)
{
    if (look_wait) {
        look_wait--;
        return 0;
    }
    uint32_t halted = LOOK_HALTED | 2 << LOOK_CAUSE_SHIFT | 4 << LOOK_PC_SHIFT;
    return nodes[looked_at].halted ? halted : LOOK_ASLEEP | 0x40 << LOOK_PC_SHIFT;
}

static uint32_t status(void)
{
    uint32_t status = (line_at < line_length ? STATUS_RECEIVED : 0) | (fresh ? STATUS_FRESH : 0) |
                      (running ? STATUS_RUNNING : 0) | (busy ? 0 : STATUS_SENDS) |
                      (restarts ? STATUS_RESTARTS : 0);
    for (unsigned node = 0; node < HOST_NODES; node++)
        status |= nodes[node].halted ? STATUS_HALTED : 0;
    busy -= busy > 0;
    restarts -= restarts > 0;
    return status;
}

uint32_t host_read(unsigned offset)
{
    tick();
    switch (offset) {
    case HOST_STATUS:
        return status();
    case HOST_SERIAL:
        check(line_at < line_length, "no byte was received", 0);
        return line[line_at++];
    case HOST_ARRIVED:
        return come[group];
    case HOST_QUEUE:
        return nodes[looked_at].left;
    case HOST_OUTCOMES:
        fresh = 0;
#ifdef HOST_GROUPS
        return 0;
    case HOST_ACCEPTED:
        check(fresh, "accepted frames are read before outcomes", offset);
        return accepted;
#else
        return accepted << 16;
#endif
    case HOST_TIME:
        return phase | superframe << 16;
    case HOST_CLOCK:
        return clock_cycles;
    case HOST_LOOK:
        return look();
    }
    check(0, "no such register to read", offset);
    return 0;
}

static void restart(void)
{
    check(!running && !restarts, "a restart while the schedule runs", 0);
    memset(nodes, 0, sizeof nodes);
    memcpy(at_restart, (void *)host_program, sizeof at_restart);
    superframe = 0;
    phase = HOST_PHASES - 1;
    taken = 0;
    restarts = 3;
    restarted = 1;
    if (host_program[0] == PARKED) {
        check(host_program[1] == 0xFFDFF06F, "who is parked does not sleep", host_program[1]);
        /* Data left over from the previous program. */
        for (unsigned i = 0; i < HOST_NODES * HOST_DATA_BYTES / 4; i++)
            host_data[i] = 0xAAAAAAAA;
    }
}

static void start(void)
{
    check(restarted && !restarts, "a start without a restart", 0);
    check(host_program[0] != PARKED, "a start of what is parked", 0);
    for (unsigned i = 0; i < HOST_NODES * HOST_DATA_BYTES / 4; i++)
        check(!host_data[i], "data is not zero at the start", 4 * i);
    for (unsigned i = 0; i < GROUPS; i++)
        check(come[i] == seen[i], "a ring is not empty at the start", i);
    for (unsigned node = 0; node < HOST_NODES; node++)
        check(!nodes[node].left, "a queue is not empty at the start", node);
    unsigned length = HOST_PROGRAM_BYTES;
    const volatile uint8_t *store = (const volatile uint8_t *)host_program;
    while (length && !store[length - 1])
        length--;
    note("start ");
    note_bytes(store, length);
    restarted = 0;
    running = 1;
}

static void give(uint32_t value)
{
    unsigned node = value & ((1u << HOST_QUEUE_SHIFT) - 1), count = value >> HOST_QUEUE_SHIFT;
    char text[32];
    check(node < HOST_NODES && count <= HOST_SLOTS, "no such node or slot", value);
    check(!count || !nodes[node].left, "a queue is filled that is not empty", value);
    nodes[node].left = count;
    for (; count; count--) {
        volatile uint8_t *bytes = (volatile uint8_t *)(host_queue + node * HOST_SLOTS + count % HOST_SLOTS);
        if (*bytes & HOST_END)
            continue;
        snprintf(text, sizeof text, "given %u ", node);
        note(text);
        note_bytes(bytes + 1, *bytes);
    }
}

void host_write(unsigned offset, uint32_t value)
{
    tick();
    switch (offset) {
    case HOST_SERIAL:
        check(!busy, "the line is busy", value);
        check(running || host_program[0] == PARKED, "the nodes are not parked", host_program[0]);
        ADD(sent, value);
        busy = 2;
        return;
    case HOST_ARRIVED:
        check(((come[group] - value) & (2 * HOST_RING - 1)) <= HOST_RING, "so many did not come", value);
        seen[group] = value & (2 * HOST_RING - 1);
        return;
#ifdef HOST_GROUPS
    case HOST_GROUP:
        check(value < HOST_GROUPS, "no such group", value);
        group = value;
        return;
#endif
    case HOST_QUEUE:
        give(value);
        return;
    case HOST_CONTROL:
        if (value & CONTROL_RESTART)
            restart();
        wanted = value & CONTROL_RUN;
        if (wanted && !running)
            start();
        return;
    case HOST_LOOK:
        check(value < HOST_NODES, "no such node", value);
        looked_at = value;
        look_wait = 2;
        return;
    }
    check(0, "no such register to write", offset);
}

static void put_answer(const uint8_t *bytes, uint32_t length)
{
    fwrite(&length, 4, 1, stdout);
    if (length)
        fwrite(bytes, 1, length, stdout);
}

void host_wait(void)
{
    if (line_at < line_length || fresh)
        return;
    if (running && phases_left) {
        phases_left--;
        phase_begins();
        return;
    }
    if (requested) {
        put_answer(sent.bytes, sent.length);
        put_answer(actions.bytes, actions.length);
        fflush(stdout);
        sent.length = actions.length = 0;
    }
    uint32_t header[2];
    if (fread(header, 4, 2, stdin) != 2)
        exit(0);
    requested = 1;
    phases_left = header[0];
    line_length = header[1];
    line_at = 0;
    line = grown(line, line_length + 1);
    check(fread(line, 1, line_length, stdin) == line_length, "the line is cut", line_length);
}
