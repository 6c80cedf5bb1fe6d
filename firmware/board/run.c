/* Controls a run of the nodes' program. The periodic work of a run is done once per phase. */
#include "run.h"
#include "host_state.h"
#include "node_port.h"
#include "program.h"
#include "reply.h"
#include "text_of.h"

_Static_assert(HOST_SLOTS <= 8, "four bits for a node's messages");
_Static_assert(2 * HOST_RING <= 256, "eight bits for the counts of a ring");
_Static_assert(HOST_NODES <= 64 || HOST_NODES == 64 * RINGS, "six bits for a node of a ring");

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

/* Word of a set with all nodes. */
#define ALL (0xFFFFFFFFu >> (HOST_NODES < 32 ? 32 - HOST_NODES : 0))

/* Nodes that are examined in a phase. */
#define EXAMINED (HOST_NODES / 8)

#define run host.run

/* Phase in which a core was found halted. The host owns the marks of the queues. */
#define halted_at(node) host_queue[(node) * HOST_SLOTS].mark

/* The helpers for sets and rings produce no code of their own in a machine of eight nodes. */
#define INLINE static inline __attribute__((always_inline))

/* Returns whether a node is in a set. */
INLINE uint32_t has_node(const uint32_t *set, unsigned node)
{
    return set[SET_WORDS > 1 ? node >> 5 : 0] >> (node & 31) & 1;
}

INLINE void add_node(uint32_t *set, unsigned node)
{
    set[SET_WORDS > 1 ? node >> 5 : 0] |= 1u << (node & 31);
}

/* Entry of a ring for a count of arrivals. */
#define entry_of(ring, count) (host_ring + (RINGS > 1 ? (ring) * HOST_RING : 0) + ((count) & (HOST_RING - 1)))

/* Makes HOST_ARRIVED refer to this ring. */
INLINE void select_ring(unsigned ring)
{
#ifdef HOST_GROUPS
    host_write(HOST_GROUP, ring);
#else
    (void)ring;
#endif
}

/* Number of arrivals so far in a ring, modulo two rings. */
INLINE uint32_t arrived(unsigned ring)
{
    select_ring(ring);
    return host_read(HOST_ARRIVED);
}

/* Node that delivered a message of a ring. Only the lower six bits of its number are in the mark of
 * eight bits. */
INLINE unsigned node_of(unsigned mark, unsigned ring)
{
    return (mark & 63) | (HOST_NODES > 64 ? ring << 6 : 0);
}

/* Number of frames that nodes accepted in the previous phase. */
INLINE uint32_t accepted(void)
{
#ifdef HOST_GROUPS
    uint32_t frames = host_read(HOST_ACCEPTED) & 0xFFFF;
    host_read(HOST_OUTCOMES);
    return frames;
#else
    return host_read(HOST_OUTCOMES) >> 16 & 0xFF;
#endif
}

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
 * after the message becomes the low byte of the former mark. Of several rings, arrivals of a phase are
 * processed after the phase has begun for the host, so that no ring is ahead of another one. */
static __attribute__((noinline)) void look_at_arrivals(void)
{
    for (unsigned ring = 0; ring < RINGS; ring++) {
        while (run.known[ring] != arrived(ring)) {
            volatile host_message *came = entry_of(ring, run.known[ring]);
            uint32_t mark = came->mark;
            uint32_t phase = run.phases + (uint32_t)(int16_t)(over(mark >> 16, mark >> 8 & 31) - run.phases);
            if (RINGS > 1 && (int32_t)(phase - run.phases) > 0)
                break;
            came->mark = phase;
            ((volatile uint8_t *)came)[MESSAGE] = (uint8_t)mark;
            if (came->words[0] & HOST_END)
                add_node(run.ended, node_of(mark, ring));
            run.known[ring] = (run.known[ring] + 1) & (2 * HOST_RING - 1);
            moves();
        }
    }
}

/* Number of waiting messages in all queues. The end of the messages does not count. */
static __attribute__((noinline)) unsigned waiting(void)
{
    unsigned sum = 0;
    for (unsigned node = 0; node < HOST_NODES; node++)
        if (!has_node(run.at_end, node))
            sum += look_at(node);
    return sum;
}

/* Bits of HOST_LOOK that are not 0 after a turn of the program. A host with a core of its own also reads
 * during the turn, when it has a program counter and no state. */
#ifdef HOST_GROUPS
#define LOOK_TURN LOOK_STATE
#else
#define LOOK_TURN ~0u
#endif

/* State of a node's program, as soon as the program has had a turn, or 0 if it has had none. */
static __attribute__((noinline)) uint32_t find(unsigned node)
{
    uint32_t look = 0;
    look_at(node);
    for (unsigned looks = 250; looks && !(look & LOOK_TURN); looks--)
        look = host_read(HOST_LOOK);
    return look & LOOK_TURN ? look : 0;
}

/* Examines an eighth of the nodes per phase: detects halted cores, and sends the end of the messages
 * where it is due. */
static void look_at_next(void)
{
    unsigned last = run.next = (run.next + EXAMINED) & (HOST_NODES - 1);
    for (unsigned i = 0; i < EXAMINED; i++) {
        unsigned node = (last - i) & (HOST_NODES - 1);
        if (host_read(HOST_STATUS) & STATUS_HALTED && !has_node(run.halted, node) &&
            (find(node) & LOOK_STATE) == LOOK_HALTED) {
            add_node(run.halted, node);
            halted_at(node) = run.phases;
            moves();
        }
    }
    uint32_t now_waiting = waiting();
    if (now_waiting != run.waited)
        moves();
    run.waited = now_waiting;
    for (unsigned i = 0; i < EXAMINED; i++) {
        unsigned node = (last - i) & (HOST_NODES - 1);
        if (!look_at(node) && has_node(run.finished, node)) {
            /* A program may request a message repeatedly, so the end stays in the queue. */
            add_node(run.at_end, node);
            host_queue[node * HOST_SLOTS + 1].words[0] = HOST_END | 1;
            host_write(HOST_QUEUE, node | 1 << HOST_QUEUE_SHIFT);
        }
    }
}

void host_idle(void)
{
    uint32_t taken = accepted();
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
    for (unsigned ring = 0; ring < RINGS; ring++) {
        uint32_t count = arrived(ring);
        run.known[ring] = run.collected[ring] = (uint8_t)count;
        host_write(HOST_ARRIVED, count);
    }
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

#if HOST_NODES <= 8

/* Number of messages for each node, four bits each. */
typedef uint32_t message_counts;

INLINE void counts_begin(message_counts *counts)
{
    *counts = 0;
}

INLINE void counts_add(message_counts *counts, uint32_t node)
{
    *counts += 1u << 4 * node;
}

/* Puts the messages of the received frame, which ends at `end`, into the queues. */
INLINE void fill_queues(message_counts *of_nodes, const uint8_t *end)
{
    uint32_t counts = *of_nodes, left = counts;
    const uint8_t *message;
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
            host_write(HOST_QUEUE, node | (counts & 15) << HOST_QUEUE_SHIFT);
}

#else

/* Number of messages for each node. */
typedef union {
    uint8_t of[HOST_NODES];
    uint32_t words[HOST_NODES / 4];
} message_counts;

INLINE void counts_begin(message_counts *counts)
{
    clear(counts, sizeof *counts / 4);
}

INLINE void counts_add(message_counts *counts, uint32_t node)
{
    counts->of[node]++;
}

/* Puts the messages of the received frame, which ends at `end`, into the queues. */
INLINE void fill_queues(message_counts *counts, const uint8_t *end)
{
    const uint8_t *message;
    for (message = host.received.payload; message < end;) {
        uint32_t node = word_at(message);
        unsigned slot = node * HOST_SLOTS + (counts->of[node]-- & (HOST_SLOTS - 1));
        volatile uint8_t *bytes = (volatile uint8_t *)(host_queue + slot);
        message += 4;
        for (unsigned i = *message + 1; i; i--)
            *bytes++ = *message++;
    }
    /* The messages of a node are given to it together. */
    for (message = host.received.payload; message < end; message += 5 + message[4])
        counts_add(counts, word_at(message));
    for (message = host.received.payload; message < end; message += 5 + message[4]) {
        uint32_t node = word_at(message);
        if (counts->of[node])
            host_write(HOST_QUEUE, node | (uint32_t)counts->of[node] << HOST_QUEUE_SHIFT);
        counts->of[node] = 0;
    }
}

#endif

void run_send(void)
{
    message_counts counts;
    counts_begin(&counts);
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
        else if (has_node(run.finished, node))
            wrong = "\10nothing more, as was told";
        else if (look_at(node))
            wrong = "\11this when there is room";
        if (wrong) {
            reject(wrong);
            return;
        }
        counts_add(&counts, node);
    }
    fill_queues(&counts, end);
    moves();
    reply_word(waiting());
}

void run_finish(void)
{
    uint32_t node = host.received.words[0];
    if (!is_on())
        return;
    if (node == ALL_NODES) {
        for (unsigned word = 0; word < SET_WORDS; word++)
            run.finished[word] = ALL;
    } else if (has(node)) {
        add_node(run.finished, node);
    }
    moves();
}

static __attribute__((noinline)) unsigned count(uint32_t bits)
{
    unsigned sum = 0;
    for (; bits; bits &= bits - 1)
        sum++;
    return sum;
}

/* Number of nodes in a set. */
INLINE unsigned nodes_in(const uint32_t *set)
{
    unsigned sum = 0;
    for (unsigned word = 0; word < SET_WORDS; word++)
        sum += count(set[word]);
    return sum;
}

/* Number of arrivals of a ring that were not collected. */
INLINE unsigned uncollected_of(unsigned ring)
{
    return (run.known[ring] - run.collected[ring]) & (2 * HOST_RING - 1);
}

/* Number of arrivals that were not collected. */
static __attribute__((noinline)) unsigned uncollected(void)
{
    look_at_arrivals();
    unsigned sum = 0;
    for (unsigned ring = 0; ring < RINGS; ring++)
        sum += uncollected_of(ring);
    return sum;
}

/* Returns whether a ring is full. */
INLINE int is_full(void)
{
    unsigned all = uncollected();
    if (RINGS == 1)
        return all == HOST_RING;
    for (unsigned ring = 0; ring < RINGS; ring++)
        if (uncollected_of(ring) == HOST_RING)
            return 1;
    return 0;
}

/* Ring with the oldest arrival that was not collected. There must be one. */
INLINE unsigned oldest(void)
{
    unsigned found = 0;
    uint32_t age = 0;
    if (RINGS == 1)
        return 0;
    for (unsigned ring = 0; ring < RINGS; ring++) {
        if (!uncollected_of(ring))
            continue;
        uint32_t phases = run.phases - entry_of(ring, run.collected[ring])->mark + 1;
        if (phases > age) {
            found = ring;
            age = phases;
        }
    }
    return found;
}

/* Number of events that were not collected. */
static __attribute__((noinline)) unsigned unreported(void)
{
    unsigned sum = uncollected();
    for (unsigned word = 0; word < SET_WORDS; word++)
        sum += count(run.halted[word] ^ run.halt_reported[word]);
    return sum;
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
        unsigned ring = oldest();
        volatile host_message *came = entry_of(ring, run.collected[ring]);
        volatile uint8_t *bytes = (volatile uint8_t *)came;
        unsigned what = bytes[MESSAGE], tag = what >> 6, length = *bytes;
        if (length & HOST_END) {
            tag = EVENT_ENDED;
            bytes++;
            length = 0;
        }
        if (!begins(tag, node_of(what, ring), came->mark, ++length, end))
            goto full;
        reply_bytes(bytes, length);
        run.collected[ring] = (run.collected[ring] + 1) & (2 * HOST_RING - 1);
        select_ring(ring);
        host_write(HOST_ARRIVED, run.collected[ring]);
        /* A node may have waited for this entry of the ring. */
        moves();
    }
    for (unsigned node = 0; node < HOST_NODES; node++) {
        if (!(has_node(run.halted, node) ^ has_node(run.halt_reported, node)))
            continue;
        if (!begins(EVENT_HALTED, node, halted_at(node), 9, end))
            goto full;
        uint32_t look = find(node), pc = look >> LOOK_PC_SHIFT;
        reply_word(pc);
        reply_byte(look >> LOOK_CAUSE_SHIFT & 15);
        reply_word(host_program[(pc & (HOST_PROGRAM_BYTES - 1)) / 4]);
        add_node(run.halt_reported, node);
    }
full:;
    unsigned left = unreported();
    host.reply->payload[0] = (uint8_t)left;
    if (HOST_NODES > 64)
        host.reply->payload[1] = (uint8_t)(left >> 8);
}

/* Returns whether every program has ended or halted. */
INLINE int all_stopped(void)
{
    for (unsigned word = 0; word < SET_WORDS; word++)
        if ((run.ended[word] | run.halted[word]) != ALL)
            return 0;
    return 1;
}

static unsigned state(void)
{
    if (!run.is_on)
        return host.program.state;
    /* Nodes that find the ring full continue as soon as it has room. */
    int full = is_full();
    if (all_stopped())
        return ENDED;
    return !full && run.phases - run.moved > REST * HOST_PHASES ? RESTING : RUNNING;
}

void run_status(void)
{
    reply_byte(state());
    reply_word(nodes_in(run.ended));
    reply_word(nodes_in(run.halted));
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
