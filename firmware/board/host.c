/* Host of the nodes on the board: generates the messages of a pattern, checks their arrival, and
 * reports to the PC (firmware/README.md, "Host port"). */
#include "host_port.h"
#include "random.h"
#include "text.h"
#include "text_of.h"
#include "traffic.h"

/* Marks of the queues. Bits 15:0 are the time of delivery of the message in this entry. The upper
 * halves of all entries together list the entries of delivered messages, in order of arrival. */
#define MARK_TIME 0xFFFFu

/* Number of hexadecimal digits of a node number. */
#define DIGITS ((HOST_DIMS + 3) / 4)

#ifdef HOST_GROUPS
#include "host_groups.h"
#else
#define NEXT_ARRIVAL (host_ring + (run.seen & (HOST_RING - 1)))
#define DELIVERED_TO(mark) ((mark) & 0xFF)
#define FOR_EACH_SLOT(slot, node) for (unsigned slot = 0; slot < HOST_NODES * HOST_SLOTS; slot++)
#endif

#ifdef NETWORK
#include "host_bytes.h"
#else
#include "host_cube.h"
#endif

/* Checks an arrived message. It must be one that was sent, unchanged, at its destination, for the
 * first time. */
static void check_arrival(void)
{
    volatile host_message *came = NEXT_ARRIVAL;
    uint32_t first = came->words[0], second = came->words[1];
    uint32_t third = came->words[2] << 8, mark = came->mark;
    unsigned time = arrival_time(mark);
#ifdef COMPARE
    if (run.cm1) {
        time = first >> 16 & 0xFF;
        first &= ~0xFF0000u;
    }
#endif
    /* Delivered at its destination. */
    if (DELIVERED_TO(mark) == (first >> 8 & 0xFFFF)) {
        FOR_EACH_SLOT(slot, first >> 8 & 0xFFFF) {
            volatile host_message *sent = host_queue + slot;
            if (sent->words[1] != second || sent->words[0] != first ||
                sent->words[2] << 8 != third || sent->mark & MARK_TIME)
                continue;
            sent->mark |= time;
#ifdef COMPARE
            run.ended = host_read(HOST_CLOCK);
#endif
            host_queue[run.delivered++].mark |= slot << 16;
            return;
        }
    }
    run.wrong++;
}

static void print_message(unsigned slot)
{
    volatile host_message *sent = host_queue + slot;
    text_put("message");
    text_number("t", printed_time(sent->mark & MARK_TIME));
    text_hex("from", slot / HOST_SLOTS, DIGITS);
    text_hex("to", sent->words[0] >> 8 & (HOST_NODES - 1), DIGITS);
    text_put(" payload=");
    for (unsigned i = 3; i < 11; i++)
        text_digits(((volatile uint8_t *)sent)[i], 2);
    text_put("\n");
}

int main(void)
{
    char line[40];
    text_put("phasecube " DESIGN " nodes=" TEXT_OF(HOST_NODES) "\n");
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
            good = read_number(rest, &seed);
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
        send_messages();
    }
}
