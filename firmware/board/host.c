/* The host of the nodes on the board: it makes the messages of a pattern, watches
 * them arrive, and tells the PC (firmware/README.md, "Host port"). */
#ifdef COMPARE
#include "cm1_port.h"
#endif
#include "host_port.h"
#include "random.h"
#include "text.h"
#include "traffic.h"

/* Superframes without an arrival after which a run is given up. */
#define PATIENCE 100

/* What became of a frame, as SENT_* of node_port.h are numbered. */
enum { NOTHING, SILENT, REFUSED, TAKEN };

static struct {
    unsigned outcomes[4];
    unsigned late;
    /* Phases that have begun. */
    unsigned phases;
    /* Arrivals, modulo 32 as the hardware counts them; not cleared. */
    unsigned seen;
    /* What came and is no message that is expected, or came twice. */
    unsigned wrong;
    unsigned delivered;
    /* The superframe before the first one. */
    unsigned start;
    /* When the latest arrival was handed over: superframes, phases from the start. */
    unsigned superframes, latest;
#ifdef COMPARE
    /* The messages go through the CM-1. */
    unsigned cm1;
    /* The clock cycle in which the latest arrival was looked at. */
    uint32_t ended;
#endif
} run;

/* The marks of the queues: of a message that was delivered its time in bits 15:0;
 * in the upper half those of all places have, in order of arrival, the places that
 * the messages came from. */
#define MARK_TIME 0xFFFFu

/* A phase has begun: what became of the frames of the one before. */
static void count_outcomes(void)
{
    uint32_t outcomes = host_read(HOST_OUTCOMES);
    if (!run.phases++)
        return;
    for (unsigned node = 0; outcomes; node++, outcomes >>= 2) {
        unsigned two = outcomes & 3;
        if (node < HOST_NODES)
            run.outcomes[two]++;
        else
            run.late += (two & 1) + (two >> 1);
    }
}

/* A message has come: it must be one that was sent, unchanged, at its destination,
 * for the first time. */
static void check_arrival(void)
{
    volatile host_message *came = host_ring + (run.seen & (HOST_RING - 1));
    uint32_t first = came->words[0], second = came->words[1];
    uint32_t third = came->words[2] << 8, mark = came->mark;
    unsigned phase = mark >> 8 & 31;
    unsigned superframe = ((mark >> 16) - run.start) & 0xFFFF;
    run.superframes = superframe - !phase;
    run.latest = superframe * 6 - 6 + phase;
    unsigned time = run.latest;
#ifdef COMPARE
    if (run.cm1) {
        time = first >> 16 & 0xFF;
        first &= ~0xFF0000u;
    }
#endif
    /* Delivered, at its destination. */
    if ((mark & 0x37) == (first >> 8 & 0xFFFF)) {
        for (unsigned place = 0; place < HOST_NODES * HOST_PLACES; place++) {
            volatile host_message *sent = host_queue + place;
            if (sent->words[1] != second || sent->words[0] != first ||
                sent->words[2] << 8 != third || sent->mark & MARK_TIME)
                continue;
            sent->mark |= time;
#ifdef COMPARE
            run.ended = host_read(HOST_CLOCK);
#endif
            host_queue[run.delivered++].mark |= place << 16;
            return;
        }
    }
    run.wrong++;
}

void host_idle(void)
{
    if (host_read(HOST_STATUS) & STATUS_FRESH)
        count_outcomes();
    if (host_read(HOST_ARRIVED) != run.seen) {
        check_arrival();
        run.seen = (run.seen + 1) & 31;
        host_write(HOST_ARRIVED, run.seen);
    }
}

static void tell_message(unsigned place)
{
    volatile host_message *sent = host_queue + place;
    text_put("message");
    /* It came in the phase before it was handed over; petit cycles count from 0. */
    text_number("t", (sent->mark & MARK_TIME) - 1);
    text_hex("from", place / HOST_PLACES, 1);
    text_hex("to", sent->words[0] >> 8 & 7, 1);
    text_put(" payload=");
    for (unsigned i = 3; i < 11; i++)
        text_digits(((volatile uint8_t *)sent)[i], 2);
    text_put("\n");
}

static void tell_counters(unsigned sent)
{
    text_put("done");
    text_number("delivered", run.delivered + traffic_to_self);
    text_number("lost", sent - run.delivered);
    text_number("wrong", run.wrong);
#ifdef COMPARE
    if (run.cm1)
        return;
#endif
    text_number("hops", run.outcomes[TAKEN]);
    text_number("refused", run.outcomes[REFUSED]);
    text_number("silences", run.outcomes[SILENT]);
    text_number("late", run.late);
    text_number("superframes", run.superframes);
}

/* Reads a number, decimal or hexadecimal after 0x; 0 if it is none. */
static int number(const char *text, uint64_t *value)
{
    unsigned base = 10;
    if (text[0] == '0' && text[1] == 'x') {
        base = 16;
        text += 2;
    }
    if (!*text)
        return 0;
    for (*value = 0; *text; text++) {
        unsigned digit = (unsigned)*text - '0';
        if (digit > 9)
            digit = ((unsigned)*text | 32) - 'a' + 10;
        if (digit >= base || (digit > 9 && *text < 'A'))
            return 0;
        *value = random_times(*value, base) + digit;
    }
    return 1;
}

/* Sends the messages in the queues and tells what becomes of them; returns whether
 * all is well. */
static int send_all(unsigned cm1)
{
    unsigned sent = traffic_messages - traffic_to_self;
    unsigned seen = run.seen;
    for (unsigned i = 0; i < sizeof run / 4; i++)
        ((volatile uint32_t *)&run)[i] = 0;
    run.seen = seen;
    run.start = host_read(HOST_TIME) >> 16;
    for (unsigned place = 0; place < HOST_NODES * HOST_PLACES; place++)
        host_queue[place].mark = 0;
    for (unsigned node = 0; node < HOST_NODES; node++) {
        unsigned count = traffic_queued[node];
#ifdef COMPARE
        if (cm1) {
            ((volatile uint8_t *)(host_queue + node * HOST_PLACES))[HOST_ASKS] = 0x80 | count;
            continue;
        }
#endif
        host_write(HOST_QUEUE, node | count << 4);
    }
#ifdef COMPARE
    run.cm1 = cm1;
    uint32_t before = cm1_port_read(CM1_STATUS);
    uint32_t begun = host_read(HOST_CLOCK);
#else
    (void)cm1;
#endif
    host_write(HOST_CONTROL, CONTROL_RUN);
    unsigned told = 0;
    while (told < sent && run.phases < run.latest + 6 * PATIENCE) {
        host_idle();
        /* While messages go through the CM-1 the nodes are awake, and the core slow. */
        if (told < run.delivered && (!cm1 || run.delivered == sent))
            tell_message(host_queue[told++].mark >> 16);
    }
    tell_counters(sent);
#ifdef COMPARE
    if (cm1) {
        unsigned petits = (cm1_port_read(CM1_STATUS) >> CM1_LAST_SHIFT) -
                          (before >> CM1_PETITS_SHIFT);
        petits &= CM1_COUNT_MASK;
        text_number("petits", petits);
        text_number("bit_times", petits * CM1_PERIOD - CM1_PERIOD + CM1_FLIGHT);
    }
    text_number("clocks", run.ended - begun);
#endif
    text_put("\n");
    int good = run.delivered == sent && !run.wrong;
    host_write(HOST_CONTROL, good ? CONTROL_DONE : CONTROL_DONE | CONTROL_ERROR);
    /* In a run the nodes take turns with the host, which then misses bytes. */
    while (host_read(HOST_STATUS) & STATUS_RUNNING)
        host_idle();
    return good;
}

int main(void)
{
    char line[40];
#ifdef COMPARE
    text_put("phasecube compare nodes=8\n");
#else
    text_put("phasecube cube nodes=8\n");
#endif
    for (;;) {
        text_put("ready\n");
        text_line(line, sizeof line);
        char *rest = line;
        while (*rest && *rest != ' ')
            rest++;
        uint64_t seed = 0;
        int good = 1;
        if (*rest) {
            *rest++ = 0;
            good = number(rest, &seed);
        }
        if (!good || !traffic_make(line, seed)) {
            text_put("error accepted: PATTERN [SEED]; ");
            text_put(traffic_patterns);
            text_put("\n");
            continue;
        }
        text_put("run pattern=");
        text_put(line);
        text_hex("seed", seed >> 32, 8);
        text_digits((uint32_t)seed, 8);
        text_number("messages", traffic_messages);
        text_number("to_self", traffic_to_self);
        text_put("\n");
#ifdef COMPARE
        text_put("network name=tdma\n");
        if (!send_all(0))
            continue;
        text_put("network name=cm1\n");
        send_all(1);
#else
        send_all(0);
#endif
    }
}
