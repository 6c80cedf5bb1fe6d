/* Model of a node's port to the CM-1 for unit tests of programs on a PC. The test plays the
 * network. Compile it with runtime/cm1.c and host/cm1_stub.c. */
#ifndef CM1_STUB_H
#define CM1_STUB_H

#include <stdint.h>

#include "cm1_port.h"

/* Data that the node writes, and data that it reads after a petit cycle. */
typedef struct {
    uint8_t sent[CM1_DATA + 2];
    uint8_t received[CM1_DATA + 2];
    uint32_t status;       /* CM1_ACCEPTED, .. */
    unsigned petits, last; /* the counters of STATUS */
} cm1_stub_port;

extern cm1_stub_port cm1_stub;

/* Called in each petit cycle: the test writes `received` and `status`. `offer` is true if the node
 * offers the message in `sent`. */
extern void (*cm1_stub_on_petit)(int offer);

#endif
