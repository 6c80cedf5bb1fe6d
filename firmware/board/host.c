/* The host of the nodes on the board: it makes the messages of a pattern, watches
 * them arrive, and tells the PC (firmware/README.md, "Host port"). */
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
    /* In order of arrival: the place in the queues that the message came from. */
    uint8_t places[HOST_NODES * HOST_PLACES];
} run;

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
    /* Delivered, at its destination. */
    if ((mark & 0x37) == (first >> 8 & 0xFFFF)) {
        for (unsigned place = 0; place < HOST_NODES * HOST_PLACES; place++) {
            volatile host_message *sent = host_queue + place;
            if (sent->words[1] != second || sent->words[0] != first ||
                sent->words[2] << 8 != third || sent->mark)
                continue;
            sent->mark = run.latest;
            run.places[run.delivered++] = (uint8_t)place;
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
    /* It came in the phase before it was handed over. */
    text_number("t", sent->mark - 1);
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
    text_number("hops", run.outcomes[TAKEN]);
    text_number("refused", run.outcomes[REFUSED]);
    text_number("silences", run.outcomes[SILENT]);
    text_number("late", run.late);
    text_number("superframes", run.superframes);
    text_put("\n");
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

/* Sends the messages in the queues and tells what becomes of them. */
static void send_all(void)
{
    unsigned sent = traffic_messages - traffic_to_self;
    while (host_read(HOST_STATUS) & STATUS_RUNNING)
        host_idle();
    unsigned seen = run.seen;
    for (unsigned i = 0; i < sizeof run / 4; i++)
        ((volatile uint32_t *)&run)[i] = 0;
    run.seen = seen;
    run.start = host_read(HOST_TIME) >> 16;
    for (unsigned node = 0; node < HOST_NODES; node++)
        host_write(HOST_QUEUE, node | (uint32_t)traffic_queued[node] << 4);
    host_write(HOST_CONTROL, CONTROL_RUN);
    unsigned told = 0;
    while (told < sent && run.phases < run.latest + 6 * PATIENCE) {
        host_idle();
        if (told < run.delivered)
            tell_message(run.places[told++]);
    }
    tell_counters(sent);
    int good = run.delivered == sent && !run.wrong;
    host_write(HOST_CONTROL, good ? CONTROL_DONE : CONTROL_DONE | CONTROL_ERROR);
}

int main(void)
{
    char line[40];
    text_put("phasecube cube nodes=8\n");
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
        send_all();
    }
}
