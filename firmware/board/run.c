/* Controls a run of the nodes' program. The periodic work of a run is done once per phase. */
#include "run.h"
#include "host_state.h"
#include "node_port.h"
#include "program.h"
#include "reply.h"
#include "text_of.h"

_Static_assert(HOST_NODES <= 8 && HOST_SLOTS <= 8, "four bits for each node's messages");

/* Tags of events: the reason why a message was delivered (MOVE_*), or one of the following. */
enum { EVENT_ENDED = 3, EVENT_HALTED };

/* Bytes of an event before the fields that depend on its tag. */
#define EVENT 9

/* Bytes of a message between node and host, with its length. */
#define MESSAGE 11

/* States, numbered as in the protocol. */
enum { LOADED = PROGRAM_WHOLE, STARTING, RUNNING, RESTING, ENDED };

/* Node number that means all nodes. */
#define ALL_NODES 0xFFFFFFFFu

/* Bit mask of all nodes. */
#define ALL (0xFFFFFFFFu >> (32 - HOST_NODES))

#define run host.run

/* Phase in which a core was found halted. The host owns the marks of the queues. */
#define halted_at(node) host_queue[(node) * HOST_SLOTS].mark

/* Number of phases completed at this phase of this superframe. Only the lower 16 bits are valid,
 * because the superframe counter has 16 bits. */
static __attribute__((noinline)) uint32_t over(uint32_t superframe, uint32_t phase)
{
    /* Adds repeatedly, because the compiler would call a function for a product. */
    uint32_t twice = (superframe - 1) << 1, sum = 0;
    for (int dim = 0; dim < HOST_DIMS; dim++) {
        sum += twice;
        __asm__("" : "+r"(sum));
    }
    return sum + phase;
}

/* Number of messages left for a node. */
static __attribute__((noinline)) unsigned look_at(unsigned node)
{
    host_write(HOST_LOOK, node);
    return host_read(HOST_QUEUE);
}

static __attribute__((noinline)) void moves(void)
{
    run.moved = run.phases;
}

/* Processes new arrivals. In the ring, `mark` becomes the number of completed phases. The byte
 * after the message becomes the low byte of the former mark. */
static __attribute__((noinline)) void look_at_arrivals(void)
{
    while (run.known != host_read(HOST_ARRIVED)) {
        volatile host_message *came = host_ring + (run.known & (HOST_RING - 1));
        uint32_t mark = came->mark;
        came->mark = run.phases + (uint32_t)(int16_t)(over(mark >> 16, mark >> 8 & 31) - run.phases);
        ((volatile uint8_t *)came)[MESSAGE] = (uint8_t)mark;
        if (came->words[0] & HOST_END)
            run.ended |= 1u << (mark & 31);
        run.known = (run.known + 1) & (2 * HOST_RING - 1);
        moves();
    }
}

/* Number of waiting messages in all queues. The end of the messages does not count. */
static __attribute__((noinline)) unsigned waiting(void)
{
    unsigned sum = 0;
    for (unsigned node = 0; node < HOST_NODES; node++)
        if (!(run.at_end >> node & 1))
            sum += look_at(node);
    return sum;
}

/* State of a node's program, as soon as the program has had a turn, or 0 if it has had none. */
static __attribute__((noinline)) uint32_t find(unsigned node)
{
    uint32_t look = 0;
    look_at(node);
    for (unsigned looks = 250; looks && !look; looks--)
        look = host_read(HOST_LOOK);
    return look;
}

/* Examines one node per phase: detects a halted core, and sends the end of the messages if it is
 * due. */
static void look_at_next(void)
{
    unsigned node = run.next = (run.next + 1) & (HOST_NODES - 1);
    if (host_read(HOST_STATUS) & STATUS_HALTED && !(run.halted >> node & 1) &&
        (find(node) & LOOK_STATE) == LOOK_HALTED) {
        run.halted |= 1u << node;
        halted_at(node) = run.phases;
        moves();
    }
    uint32_t now_waiting = waiting();
    if (now_waiting != run.waited)
        moves();
    run.waited = now_waiting;
    if (!look_at(node) && run.finished >> node & 1) {
        /* A program may request a message repeatedly, so the end stays in the queue. */
        run.at_end |= 1u << node;
        host_queue[node * HOST_SLOTS + 1].words[0] = HOST_END | 1;
        host_write(HOST_QUEUE, node | 1 << 8);
    }
}

void host_idle(void)
{
    uint32_t taken = host_read(HOST_OUTCOMES) >> 16 & 0xFF;
    if (!run.is_on)
        return;
    uint32_t time = host_read(HOST_TIME);
    run.phases += (uint16_t)(over(time >> 16, time & 31) - run.phases);
    /* The phase before the first one does not belong to this run. */
    if (taken && run.phases) {
        run.hops += taken;
        moves();
    }
    uint32_t clock = host_read(HOST_CLOCK), before = run.clocks;
    run.clocks += clock - run.clock;
    run.clocks_high += run.clocks < before;
    run.clock = clock;
    look_at_arrivals();
    look_at_next();
}

/* Resets all nodes. The schedule must be stopped. */
static __attribute__((noinline)) void restart(void)
{
    host_write(HOST_CONTROL, CONTROL_RESTART);
    while (host_read(HOST_STATUS) & STATUS_RESTARTS)
        ;
}

__attribute__((noinline)) void clear(volatile void *from, unsigned words)
{
    for (volatile uint32_t *word = from; words; words--)
        *word++ = 0;
}

void run_stop(void)
{
    clear(&run, sizeof run / 4);
    host_write(HOST_CONTROL, 0);
    uint32_t status;
    while ((status = host_read(HOST_STATUS)) & STATUS_RUNNING)
        if (status & STATUS_FRESH)
            host_idle();
    program_park();
    restart();
    for (unsigned node = 0; node < HOST_NODES; node++)
        host_write(HOST_QUEUE, node);
    uint32_t arrived = host_read(HOST_ARRIVED);
    run.known = run.collected = (uint8_t)arrived;
    host_write(HOST_ARRIVED, arrived);
}

void run_start(void)
{
    if (host.program.state != PROGRAM_WHOLE || host.received.words[0] != host.program.crc) {
        reject("\6a whole program first");
        return;
    }
    run_stop();
    clear(host_data, HOST_NODES * HOST_DATA_BYTES / 4);
    program_unpark();
    restart();
    run.clock = host_read(HOST_CLOCK);
    run.is_on = 1;
    host_write(HOST_CONTROL, CONTROL_RUN);
}

/* Returns whether a run is active, and rejects the request if not. */
static __attribute__((noinline)) int is_on(void)
{
    return run.is_on || reject("\10" "a start first");
}

/* Returns whether the node exists, and rejects the request if not. */
static __attribute__((noinline)) int has(uint32_t node)
{
    return node < HOST_NODES || reject("\7nodes below " TEXT_OF(HOST_NODES));
}

void run_send(void)
{
    /* Number of messages for each node, four bits each. */
    uint32_t counts = 0;
    const uint8_t *end = host.received.bytes + host.received.length, *message;
    if (!is_on())
        return;
    for (message = host.received.payload; message < end; message += 5 + message[4]) {
        uint32_t node = word_at(message), length = message[4];
        if (!has(node))
            return;
        const char *wrong = 0;
        if (length - 1 >= MESSAGE - 1)
            wrong = "\5" "1 to 10 bytes";
        else if (run.finished >> node & 1)
            wrong = "\10nothing more, as was told";
        else if (look_at(node))
            wrong = "\11this when there is room";
        if (wrong) {
            reject(wrong);
            return;
        }
        counts += 1u << 4 * node;
    }
    uint32_t left = counts;
    for (message = host.received.payload; message < end;) {
        unsigned node = message[0], shift = 4 * node;
        unsigned slot = node * HOST_SLOTS + (left >> shift & (HOST_SLOTS - 1));
        left -= 1u << shift;
        volatile uint8_t *bytes = (volatile uint8_t *)(host_queue + slot);
        message += 4;
        for (unsigned i = *message + 1; i; i--)
            *bytes++ = *message++;
    }
    for (unsigned node = 0; counts; node++, counts >>= 4)
        if (counts & 15)
            host_write(HOST_QUEUE, node | (counts & 15) << 8);
    moves();
    reply_word(waiting());
}

void run_finish(void)
{
    uint32_t node = host.received.words[0];
    if (!is_on())
        return;
    if (node == ALL_NODES)
        run.finished = ALL;
    else if (has(node))
        run.finished |= 1u << node;
    moves();
}

static __attribute__((noinline)) unsigned count(uint32_t bits)
{
    unsigned sum = 0;
    for (; bits; bits &= bits - 1)
        sum++;
    return sum;
}

/* Number of arrivals that were not collected. */
static __attribute__((noinline)) unsigned uncollected(void)
{
    look_at_arrivals();
    return (run.known - run.collected) & (2 * HOST_RING - 1);
}

/* Number of events that were not collected. */
static __attribute__((noinline)) unsigned unreported(void)
{
    return uncollected() + count(run.halted ^ run.halt_reported);
}

/* Begins an event with `more` additional bytes if there is room for it, and returns whether there
 * is. */
static __attribute__((noinline)) int begins(unsigned tag, unsigned node, uint32_t phase, unsigned more,
                                            unsigned end)
{
    if (host.reply->length + EVENT + more > end)
        return 0;
    reply_byte(tag);
    reply_word(node);
    reply_word(phase);
    return 1;
}

void run_collect(void)
{
    unsigned end = host.received.words[0] & 0xFFFF;
    if (end > FRAME_PAYLOAD - 4)
        end = FRAME_PAYLOAD - 4;
    reply_word(0);
    end += host.reply->length;
    while (uncollected()) {
        volatile host_message *came = host_ring + (run.collected & (HOST_RING - 1));
        volatile uint8_t *bytes = (volatile uint8_t *)came;
        unsigned what = bytes[MESSAGE], tag = what >> 6, length = *bytes;
        if (length & HOST_END) {
            tag = EVENT_ENDED;
            bytes++;
            length = 0;
        }
        if (!begins(tag, what & 63, came->mark, ++length, end))
            goto full;
        reply_bytes(bytes, length);
        run.collected = (run.collected + 1) & (2 * HOST_RING - 1);
        host_write(HOST_ARRIVED, run.collected);
        /* A node may have waited for this entry of the ring. */
        moves();
    }
    for (unsigned node = 0; node < HOST_NODES; node++) {
        if (!((run.halted ^ run.halt_reported) >> node & 1))
            continue;
        if (!begins(EVENT_HALTED, node, halted_at(node), 9, end))
            goto full;
        uint32_t look = find(node), pc = look >> LOOK_PC_SHIFT;
        reply_word(pc);
        reply_byte(look >> LOOK_CAUSE_SHIFT & 15);
        reply_word(host_program[(pc & (HOST_PROGRAM_BYTES - 1)) / 4]);
        run.halt_reported |= 1u << node;
    }
full:
    host.reply->payload[0] = (uint8_t)unreported();
}

static unsigned state(void)
{
    if (!run.is_on)
        return host.program.state;
    /* Nodes that find the ring full continue as soon as it has room. */
    int full = uncollected() == HOST_RING;
    if ((run.ended | run.halted) == ALL)
        return ENDED;
    return !full && run.phases - run.moved > REST * HOST_PHASES ? RESTING : RUNNING;
}

void run_status(void)
{
    reply_byte(state());
    reply_word(count(run.ended));
    reply_word(count(run.halted));
    reply_word(waiting());
    reply_word(unreported());
    reply_bytes((const uint8_t *)&run, 24);
    reply_word(host.program.state == PROGRAM_WHOLE ? host.program.crc : 0);
}

void run_where(void)
{
    uint32_t node = host.received.words[0];
    if (!has(node) || !run.is_on)
        return;
    for (; node < HOST_NODES && host.reply->length + 9 <= FRAME_HEADER + FRAME_PAYLOAD; node++) {
        uint32_t look = find(node);
        if (!look)
            continue;
        reply_word(node);
        reply_byte((look & LOOK_STATE) - 1);
        reply_word(look >> LOOK_PC_SHIFT);
    }
}
