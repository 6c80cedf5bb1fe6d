/* Part of host.c for nodes in groups, each of which has a ring of arrived messages. */

/* Arrivals of each group as counted by the hardware: modulo two rings, not cleared. */
static struct {
    unsigned group, seen[HOST_GROUPS];
} arrivals;

/* Next message of the group that is examined. */
#define NEXT_ARRIVAL \
    (host_ring + arrivals.group * HOST_RING + (arrivals.seen[arrivals.group] & (HOST_RING - 1)))

/* Node that delivered the message, or no node if the reason is not that it arrived. */
#define DELIVERED_TO(mark) (((mark) & 0x3F) | ((mark) >> 7 & 0x1C0) | ((mark) & 0xC0) << 16)

/* Entries of the messages to a node. */
#define FOR_EACH_SLOT(slot, node)                                                     \
    for (unsigned slot = traffic_latest[node] - 1; slot != -1u; slot = traffic_before[slot] - 1)

static void check_arrival(void);

/* Checks a message of each group. */
static void check_arrivals(void)
{
    for (unsigned group = 0; group < HOST_GROUPS; group++) {
        arrivals.group = group;
        host_write(HOST_GROUP, group);
        if (host_read(HOST_ARRIVED) == arrivals.seen[group])
            continue;
        check_arrival();
        arrivals.seen[group] = (arrivals.seen[group] + 1) & (2 * HOST_RING - 1);
        host_write(HOST_ARRIVED, arrivals.seen[group]);
    }
}
