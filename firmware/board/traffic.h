/* The messages of a pattern and a seed, the same as the simulator's. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "host_port.h"
#include <stdint.h>

/* The names of the patterns, a space after each; after a colon a number follows. */
extern const char traffic_patterns[];

/* Fills the queues; 0 if there is no such pattern. */
unsigned traffic_make(const char *pattern, uint64_t seed);

/* Messages of the pattern, and those of them that stay where they are. */
extern unsigned traffic_messages, traffic_to_self;

/* Messages in the queue of each node. */
extern uint8_t traffic_queued[HOST_NODES];

#endif
