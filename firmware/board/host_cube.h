/* Part of host.c for the nodes of the cube or of the metacube MC(1,1), and for the CM-1 beside
 * them. */
#ifdef COMPARE
#include "cm1_port.h"
#define DESIGN "compare"
#elif defined METACUBE
#define DESIGN "metacube"
#else
#define DESIGN "cube"
#endif

/* Superframes without an arrival after which a run is aborted. */
#define PATIENCE 100

/* Outcome of a frame, numbered as SENT_* of node_port.h, and a missed deadline of a node. */
enum { NOTHING, TIMEOUT, NAK, ACCEPTED, MISSED };

static struct {
    unsigned outcomes[5];
    /* Number of phases that have begun. */
    unsigned phases;
    /* Arrivals as counted by the hardware: modulo two rings, not cleared. */
    unsigned seen;
    /* Unexpected messages, and messages that arrived twice. */
    unsigned wrong;
    unsigned delivered;
    /* Superframe before the first one of the run. */
    unsigned start;
    /* Time of the latest arrival: superframe, and phase from the start. */
    unsigned superframes, latest;
#ifdef COMPARE
    /* True while the messages go through the CM-1. */
    unsigned cm1;
    /* Clock cycle at the check of the latest arrival. */
    uint32_t ended;
#endif
} run;

static void check_arrival(void);
static void print_message(unsigned slot);

/* Counts the outcomes of the frames of the previous phase when a phase has begun. */
static void count_outcomes(void)
{
#ifdef HOST_GROUPS
    uint32_t accepted = host_read(HOST_ACCEPTED), failed = host_read(HOST_OUTCOMES);
    if (!run.phases++)
        return;
    run.outcomes[TIMEOUT] += failed & 0xFFFF;
    run.outcomes[NAK] += failed >> 16;
    run.outcomes[ACCEPTED] += accepted & 0xFFFF;
    run.outcomes[MISSED] += accepted >> 16;
#else
    uint32_t outcomes = host_read(HOST_OUTCOMES);
    if (!run.phases++)
        return;
    for (unsigned *count = run.outcomes; outcomes; outcomes >>= 8)
        *++count += outcomes & 0xFF;
#endif
}

/* Phase in which an arrival was delivered to the host, counted from 1. */
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
#ifdef HOST_GROUPS
    check_arrivals();
#else
    if (host_read(HOST_ARRIVED) != run.seen) {
        check_arrival();
        run.seen = (run.seen + 1) & (2 * HOST_RING - 1);
        host_write(HOST_ARRIVED, run.seen);
    }
#endif
}

/* Reported time of a message. The message arrived in the phase before its delivery to the host.
 * Petit cycles count from 0. */
static unsigned printed_time(unsigned time)
{
    return time - 1;
}

static void print_counters(unsigned sent)
{
    text_put("done");
    text_number("delivered", run.delivered + traffic_to_self);
    text_number("lost", sent - run.delivered);
    text_number("wrong", run.wrong);
#ifdef COMPARE
    if (run.cm1)
        return;
#endif
    text_number("hops", run.outcomes[ACCEPTED]);
    text_number("refused", run.outcomes[NAK]);
    text_number("silences", run.outcomes[TIMEOUT]);
    text_number("late", run.outcomes[MISSED]);
    text_number("superframes", run.superframes);
}

/* Sends the messages in the queues and reports their outcomes. Returns whether all messages were
 * delivered without an error. */
static int send_all(unsigned cm1)
{
    unsigned sent = traffic_messages - traffic_to_self;
    unsigned seen = run.seen;
    for (unsigned i = 0; i < sizeof run / 4; i++)
        ((volatile uint32_t *)&run)[i] = 0;
    run.seen = seen;
    run.start = host_read(HOST_TIME) >> 16;
    for (unsigned slot = 0; slot < HOST_NODES * HOST_SLOTS; slot++)
        host_queue[slot].mark = 0;
    for (unsigned node = 0; node < HOST_NODES; node++) {
        unsigned count = traffic_queued[node];
#ifdef COMPARE
        if (cm1) {
            ((volatile uint8_t *)(host_queue + node * HOST_SLOTS))[HOST_REQUEST] = 0x80 | count;
            continue;
        }
#endif
        host_write(HOST_QUEUE, node | count << HOST_QUEUE_SHIFT);
    }
#ifdef COMPARE
    run.cm1 = cm1;
    uint32_t before = cm1_port_read(CM1_STATUS);
    uint32_t begun = host_read(HOST_CLOCK);
#else
    (void)cm1;
#endif
    host_write(HOST_CONTROL, CONTROL_RUN);
    unsigned printed = 0;
    while (printed < sent && run.phases < run.latest + HOST_PHASES * PATIENCE) {
        host_idle();
        /* While messages go through the CM-1 the nodes are awake, so the host is slow. */
        if (printed < run.delivered && (!cm1 || run.delivered == sent))
            print_message(host_queue[printed++].mark >> 16);
    }
    print_counters(sent);
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
    /* During a run the host shares the core with the nodes, and then misses bytes. */
    while (host_read(HOST_STATUS) & STATUS_RUNNING)
        host_idle();
    return good;
}

/* Sends the messages of a run through all networks. */
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
