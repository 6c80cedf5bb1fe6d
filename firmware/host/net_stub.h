/* Model of the registers of a processor in a network of bytes, for a PC. */
#ifndef NET_STUB_H
#define NET_STUB_H

#include <stdint.h>

extern struct net_stub {
    /* True if the network accepts a byte. */
    int free;
    /* Bytes that were sent, and their number, up to 64. */
    uint8_t sent[64];
    unsigned count;
    /* Bytes that arrive, and the number of bytes left. */
    const uint8_t *comes;
    unsigned left;
} net_stub;

#endif
