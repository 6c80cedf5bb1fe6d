/* The registers of a processor in a network of bytes, on a PC. */
#ifndef NET_STUB_H
#define NET_STUB_H

#include <stdint.h>

extern struct net_stub {
    /* The network is free for a byte. */
    int free;
    /* What was sent, and how many bytes: up to 64. */
    uint8_t sent[64];
    unsigned count;
    /* The bytes that come, and how many are left of them. */
    const uint8_t *comes;
    unsigned left;
} net_stub;

#endif
