/* Generates the host's messages in rounds, from the name of a pattern and a seed. */
#include "traffic.h"
#include "host_port.h"
#include "random.h"
#include "text.h"

unsigned traffic_messages, traffic_to_self;
uint8_t traffic_queued[HOST_NODES];
#ifdef HOST_GROUPS
uint16_t traffic_latest[HOST_NODES], traffic_before[HOST_NODES * HOST_SLOTS];
#endif

/* Destination of a node's message in each round. It is stored in the entry of the message until the
 * message is written. */
#define to(round, node) host_queue[(node) * HOST_SLOTS + (round)].mark

/* The patterns. A number follows a name with a colon. */
enum { XOR, COMPLEMENT, BITREV, SHUFFLE, PERMUTATION, RANDOM, HOTSPOT, RELATION };
const char traffic_patterns[] = "xor: complement bitrev shuffle permutation random hotspot relation: ";

/* Returns the index of a pattern and the number after its colon, or -1 if the pattern is unknown.
 */
static int find(const char *pattern, uint64_t *argument)
{
    const char *name = traffic_patterns;
    for (int number = 0; *name; number++) {
        const char *text = pattern;
        while (*text && *text == *name)
            text++, name++;
        if (*name == ' ' && (name[-1] == ':' ? read_number(text, argument) : !*text))
            return number;
        while (*name++ != ' ')
            ;
    }
    return -1;
}

/* Fisher-Yates shuffle from the top. */
static void permute(unsigned round, uint64_t *draws)
{
    for (unsigned node = 0; node < HOST_NODES; node++)
        to(round, node) = node;
    for (unsigned last = HOST_NODES - 1; last; last--) {
        unsigned other = random_below(draws, last + 1);
        uint32_t swapped = to(round, last);
        to(round, last) = to(round, other);
        to(round, other) = swapped;
    }
}

/* Fills the rounds and returns their number, or 0 if the pattern is unknown. */
static unsigned destinations(const char *pattern, uint64_t draws)
{
    uint64_t argument = 0;
    int number = find(pattern, &argument);
    unsigned count = number == RELATION ? (unsigned)argument : 1;
    if (number < 0 || argument >= (number == XOR ? HOST_NODES : HOST_SLOTS + 1))
        return 0;
    unsigned mask = number == XOR ? (unsigned)argument : HOST_NODES - 1;
    for (unsigned round = 0; round < count; round++) {
        if (number == PERMUTATION || number == RELATION) {
            permute(round, &draws);
            continue;
        }
        for (unsigned node = 0; node < HOST_NODES; node++) {
            unsigned twice = node << 1 | node >> (HOST_DIMS - 1);
            unsigned there = 0;
            if (number <= COMPLEMENT)
                there = node ^ mask;
            for (unsigned bit = 0; number == BITREV && bit < HOST_DIMS; bit++)
                there = there << 1 | (node >> bit & 1);
            if (number == SHUFFLE)
                there = twice;
            if (number == RANDOM)
                there = random_below(&draws, HOST_NODES);
            to(round, node) = there & (HOST_NODES - 1);
        }
    }
    return count;
}

unsigned traffic_make(const char *pattern, uint64_t seed)
{
    uint8_t left[HOST_NODES];
    unsigned count = destinations(pattern, seed);
    traffic_messages = traffic_to_self = 0;
    for (unsigned node = 0; node < HOST_NODES; node++) {
        unsigned sent = 0;
        for (unsigned round = 0; round < count; round++)
            sent += to(round, node) != node;
        traffic_queued[node] = left[node] = (uint8_t)sent;
#ifdef HOST_GROUPS
        traffic_latest[node] = 0;
#endif
    }
    for (unsigned slot = 0; slot < HOST_NODES * HOST_SLOTS; slot++)
        host_queue[slot].words[0] = 0;
    uint64_t payloads = ~seed;
    for (unsigned round = 0; round < count; round++) {
        for (unsigned node = 0; node < HOST_NODES; node++) {
            /* Each message begins with a fresh draw. */
            uint64_t payload = random_next(&payloads);
            unsigned there = to(round, node);
            traffic_messages++;
            if (there == node) {
                traffic_to_self++;
                continue;
            }
            unsigned slot = node * HOST_SLOTS + (left[node]-- & (HOST_SLOTS - 1));
#ifdef HOST_GROUPS
            traffic_before[slot] = traffic_latest[there];
            traffic_latest[there] = (uint16_t)(slot + 1);
#endif
            volatile host_message *message = host_queue + slot;
            uint32_t low = payload, high = payload >> 32;
            message->words[0] = 10 | there << 8 | low << 24;
            message->words[1] = low >> 8 | high << 24;
            message->words[2] = high >> 8;
        }
    }
    return count;
}
