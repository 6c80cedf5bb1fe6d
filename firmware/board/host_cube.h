/* What the host does for the nodes of the cube or of the metacube MC(1,1), and for the
 * CM-1 beside them: a part of host.c. */
#ifdef COMPARE
#include "cm1_port.h"
#define DESIGN "compare"
#elif defined METACUBE
#define DESIGN "metacube"
#else
#define DESIGN "cube"
#endif

/* Superframes without an arrival after which a run is given up. */
#define PATIENCE 100

/* What became of a frame, as SENT_* of node_port.h are numbered; and that a node was late. */
enum { NOTHING, SILENT, REFUSED, TAKEN, LATE };

static struct {
    unsigned outcomes[5];
    /* Phases that have begun. */
    unsigned phases;
    /* Arrivals, as the hardware counts them: modulo two rings; not cleared. */
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

static void check_arrival(void);
static void tell_message(unsigned place);

/* A phase has begun: what became of the frames of the one before. */
static void count_outcomes(void)
{
    uint32_t outcomes = host_read(HOST_OUTCOMES);
    if (!run.phases++)
        return;
    for (unsigned *count = run.outcomes; outcomes; outcomes >>= 8)
        *++count += outcomes & 0xFF;
}

/* When an arrival was handed over: its phase, from 1 on. */
static unsigned arrival_time(uint32_t mark)
{
    unsigned phase = mark >> 8 & 31;
    unsigned superframe = ((mark >> 16) - run.start) & 0xFFFF;
    run.superframes = superframe - !phase;
    return run.latest = superframe * HOST_PHASES - HOST_PHASES + phase;
}

void host_idle(void)
{
    if (host_read(HOST_STATUS) & STATUS_FRESH)
        count_outcomes();
    if (host_read(HOST_ARRIVED) != run.seen) {
        check_arrival();
        run.seen = (run.seen + 1) & (2 * HOST_RING - 1);
        host_write(HOST_ARRIVED, run.seen);
    }
}

/* It came in the phase before it was handed over; petit cycles count from 0. */
static unsigned told_time(unsigned time)
{
    return time - 1;
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
    text_number("late", run.outcomes[LATE]);
    text_number("superframes", run.superframes);
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
        host_write(HOST_QUEUE, node | count << 8);
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
    while (told < sent && run.phases < run.latest + HOST_PHASES * PATIENCE) {
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

/* The messages of a run, through all networks. */
static void send_messages(void)
{
#ifdef COMPARE
    text_put("network name=tdma\n");
    if (!send_all(0))
        return;
    text_put("network name=cm1\n");
    send_all(1);
#else
#ifdef METACUBE
    text_put("network name=" DESIGN "\n");
#endif
    send_all(0);
#endif
}
