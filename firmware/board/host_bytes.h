/* What the host does for the processors of a network of bytes, whose name is NETWORK: a
 * part of host.c. */
#define DESIGN TEXT_OF(NETWORK)

/* Clock cycles without an arrival after which a run is given up: 20 ms. */
#define PATIENCE 500000u

/* The clock cycles of times in the marks, a power of two. */
#define TIME_SHIFT 6

static struct {
    /* Arrivals, as the hardware counts them: modulo two rings; not cleared. */
    unsigned seen;
    /* What came and is no message that is expected, or came twice. */
    unsigned wrong;
    unsigned delivered;
    /* The clock cycles in which it began, and in which the latest arrival was looked at. */
    uint32_t start, latest;
} run;

static void check_arrival(void);
static void tell_message(unsigned place);

/* When the host looked at an arrival; never 0. */
static unsigned arrival_time(uint32_t mark)
{
    (void)mark;
    run.latest = host_read(HOST_CLOCK);
    uint32_t time = (run.latest - run.start) >> TIME_SHIFT;
    if (time > MARK_TIME)
        return MARK_TIME;
    return time | !time;
}

static unsigned told_time(unsigned time)
{
    return time << TIME_SHIFT;
}

void host_idle(void)
{
    volatile host_message *next = host_ring + (run.seen & (HOST_RING - 1));
    /* A node has a place of the ring before it has written it. */
    if (!next->mark)
        return;
    check_arrival();
    next->mark = 0;
    run.seen = (run.seen + 1) & (2 * HOST_RING - 1);
    host_write(HOST_ARRIVED, run.seen);
}

/* The messages of a run, through the network. */
static void send_messages(void)
{
    unsigned sent = traffic_messages - traffic_to_self;
    text_put("network name=" DESIGN "\n");
    run.wrong = run.delivered = 0;
    for (unsigned place = 0; place < HOST_NODES * HOST_PLACES; place++)
        host_queue[place].mark = 0;
    for (unsigned node = 0; node < HOST_NODES; node++)
        host_write(HOST_QUEUE, node | traffic_queued[node] << 8);
    /* Where the cube has superframes the network has bytes over channels. */
    unsigned count = host_read(HOST_TIME) >> 16;
    run.start = run.latest = host_read(HOST_CLOCK);
    host_write(HOST_CONTROL, CONTROL_RUN);
    while (run.delivered < sent && host_read(HOST_CLOCK) - run.latest < PATIENCE)
        host_idle();
    count = ((host_read(HOST_TIME) >> 16) - count) & 0xFFFF;
    unsigned clocks = run.latest - run.start;
    /* One that comes twice is seen while these are told. */
    unsigned delivered = run.delivered;
    for (unsigned told = 0; told < delivered; told++)
        tell_message(host_queue[told].mark >> 16);
    text_put("done");
    text_number("delivered", delivered + traffic_to_self);
    text_number("lost", sent - delivered);
    text_number("wrong", run.wrong);
    text_number("bytes", count);
    text_number("clocks", clocks);
    text_put("\n");
    int good = delivered == sent && !run.wrong;
    host_write(HOST_CONTROL, good ? CONTROL_DONE : CONTROL_DONE | CONTROL_ERROR);
}
