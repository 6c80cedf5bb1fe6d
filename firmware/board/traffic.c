#include "traffic.h"
#include "host_port.h"
#include "random.h"

unsigned traffic_messages, traffic_to_self;
uint8_t traffic_queued[HOST_NODES];

/* In each round every node sends a message to the node in its list. */
typedef uint8_t list[HOST_NODES];
static list rounds[HOST_PLACES];

/* The patterns; after a colon a digit follows. */
enum { XOR, COMPLEMENT, BITREV, SHUFFLE, PERMUTATION, RANDOM, HOTSPOT, RELATION };
const char traffic_patterns[] = "xor: complement bitrev shuffle permutation random hotspot relation: ";

/* The number of a pattern and its digit; -1 if there is none. */
static int find(const char *pattern, unsigned *digit)
{
    const char *name = traffic_patterns;
    for (int number = 0; *name; number++) {
        const char *text = pattern;
        while (*text && *text == *name)
            text++, name++;
        *digit = 0;
        if (name[-1] == ':') {
            if (text[0] == '0' && text[1] == 'x')
                text += 2;
            *digit = (unsigned)*text - '0';
            if (*digit < 10)
                text++;
        }
        if (*name == ' ' && !*text)
            return number;
        while (*name++ != ' ')
            ;
    }
    return -1;
}

/* Fisher-Yates from the top. */
static void permute(uint8_t *to, uint64_t *draws)
{
    for (unsigned node = 0; node < HOST_NODES; node++)
        to[node] = (uint8_t)node;
    for (unsigned last = HOST_NODES - 1; last; last--) {
        unsigned other = random_below(draws, last + 1);
        uint8_t swapped = to[last];
        to[last] = to[other];
        to[other] = swapped;
    }
}

/* Fills the rounds; how many there are, 0 if there is no such pattern. */
static unsigned destinations(const char *pattern, uint64_t draws)
{
    unsigned digit;
    int number = find(pattern, &digit);
    unsigned count = number == RELATION ? digit : 1;
    if (number < 0 || count > HOST_PLACES || (number == XOR && digit >= HOST_NODES))
        return 0;
    for (unsigned round = 0; round < count; round++) {
        uint8_t *to = rounds[round];
        if (number == PERMUTATION || number == RELATION) {
            permute(to, &draws);
            continue;
        }
        for (unsigned node = 0; node < HOST_NODES; node++) {
            unsigned twice = node << 1 | node >> 2;
            switch (number) {
            case XOR:
                to[node] = (uint8_t)(node ^ digit);
                break;
            case COMPLEMENT:
                to[node] = (uint8_t)~node & 7;
                break;
            case BITREV:
                to[node] = ((twice << 1 & 4) | (node & 2) | (twice & 1)) & 7;
                break;
            case SHUFFLE:
                to[node] = twice & 7;
                break;
            case RANDOM:
                to[node] = (uint8_t)random_below(&draws, HOST_NODES);
                break;
            default:
                to[node] = 0;
            }
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
            sent += rounds[round][node] != node;
        traffic_queued[node] = left[node] = (uint8_t)sent;
    }
    for (unsigned place = 0; place < HOST_NODES * HOST_PLACES; place++)
        host_queue[place].words[0] = 0;
    uint64_t payloads = ~seed;
    for (unsigned round = 0; round < count; round++) {
        for (unsigned node = 0; node < HOST_NODES; node++) {
            /* A message begins with a fresh draw. */
            uint64_t payload = random_next(&payloads);
            unsigned to = rounds[round][node];
            traffic_messages++;
            if (to == node) {
                traffic_to_self++;
                continue;
            }
            unsigned place = node * HOST_PLACES + (left[node]-- & 7);
            volatile host_message *message = host_queue + place;
            uint32_t low = payload, high = payload >> 32;
            message->words[0] = 10 | to << 8 | low << 24;
            message->words[1] = low >> 8 | high << 24;
            message->words[2] = high >> 8;
            message->mark = 0;
        }
    }
    return count;
}
