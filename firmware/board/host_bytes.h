/* Part of host.c for the processors of a network of bytes with the name NETWORK. */
#define DESIGN TEXT_OF(NETWORK)

/* Clock cycles without an arrival after which a run is aborted: 20 ms. */
#define PATIENCE 500000u

/* Resolution of the times in the marks: 2^TIME_SHIFT clock cycles. */
#define TIME_SHIFT 6

static struct {
    /* Arrivals as counted by the hardware: modulo two rings, not cleared. */
    unsigned seen;
    /* Unexpected messages, and messages that arrived twice. */
    unsigned wrong;
    unsigned delivered;
    /* Clock cycles at the start of the run and at the check of the latest arrival. */
    uint32_t start, latest;
} run;

static void check_arrival(void);
static void print_message(unsigned slot);

/* Time at which the host checked an arrival; never 0. */
static unsigned arrival_time(uint32_t mark)
{
    (void)mark;
    run.latest = host_read(HOST_CLOCK);
    uint32_t time = (run.latest - run.start) >> TIME_SHIFT;
    if (time > MARK_TIME)
        return MARK_TIME;
    return time | !time;
}

static unsigned printed_time(unsigned time)
{
    return time << TIME_SHIFT;
}

void host_idle(void)
{
    volatile host_message *next = host_ring + (run.seen & (HOST_RING - 1));
    /* A node reserves an entry of the ring before it writes the entry. */
    if (!next->mark)
        return;
    check_arrival();
    next->mark = 0;
    run.seen = (run.seen + 1) & (2 * HOST_RING - 1);
    host_write(HOST_ARRIVED, run.seen);
}

/* Sends the messages of a run through the network. */
static void send_messages(void)
{
    unsigned sent = traffic_messages - traffic_to_self;
    text_put("network name=" DESIGN "\n");
    run.wrong = run.delivered = 0;
    for (unsigned slot = 0; slot < HOST_NODES * HOST_SLOTS; slot++)
        host_queue[slot].mark = 0;
    for (unsigned node = 0; node < HOST_NODES; node++)
        host_write(HOST_QUEUE, node | traffic_queued[node] << 8);
    /* The upper half of HOST_TIME counts superframes in the cube, and bytes over channels here. */
    unsigned count = host_read(HOST_TIME) >> 16;
    run.start = run.latest = host_read(HOST_CLOCK);
    host_write(HOST_CONTROL, CONTROL_RUN);
    while (run.delivered < sent && host_read(HOST_CLOCK) - run.latest < PATIENCE)
        host_idle();
    count = ((host_read(HOST_TIME) >> 16) - count) & 0xFFFF;
    unsigned clocks = run.latest - run.start;
    /* Duplicate arrivals are noticed while the messages are reported. */
    unsigned delivered = run.delivered;
    for (unsigned printed = 0; printed < delivered; printed++)
        print_message(host_queue[printed].mark >> 16);
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
