/* Messages of a pattern and a seed, identical to the simulator's messages. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "host_port.h"
#include <stdint.h>

/* Names of the patterns, each followed by a space. A number follows a name with a colon. */
extern const char traffic_patterns[];

/* Fills the queues. Returns 0 if the pattern is unknown. */
unsigned traffic_make(const char *pattern, uint64_t seed);

/* Number of messages of the pattern, and number of those that stay in their node. */
extern unsigned traffic_messages, traffic_to_self;

/* Number of messages in the queue of each node. */
extern uint8_t traffic_queued[HOST_NODES];

#ifdef HOST_GROUPS
/* Entries of messages, from 1: the latest message to each node, and the one before a message to the
 * same node. 0 if there is none. */
extern uint16_t traffic_latest[HOST_NODES], traffic_before[HOST_NODES * HOST_SLOTS];
#endif

#endif
