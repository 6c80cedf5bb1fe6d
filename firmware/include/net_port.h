/* Registers of the processor of a node in a network of bytes, at 0x4000_0000
 * (crates/rtl/src/hosted/byte_processors.rs). Also the memory that the processor shares with the
 * host on a board. All accesses are words.
 *
 * On a PC host/net_stub.c defines the two functions.
 */
#ifndef NET_PORT_H
#define NET_PORT_H

#include <stdint.h>

#define NET_STATUS 0x0 /* r: NET_* below */
#define NET_SEND 0x4   /* w: bits 7:0 go to the network, if it is FREE */
#define NET_TAKE 0x8   /* w: removes the byte that CAME */
#define NET_RING 0xC   /* r: STATUS, and reserves this ring entry for the node if there is ROOM; */
                       /* w: removes the OFFERED message, which has been sent */

/* STATUS. */
#define NET_BYTE 0xFFu       /* the received byte */
#define NET_CAME (1u << 8)   /* a byte was received */
#define NET_FREE (1u << 9)   /* the network accepts a byte */
#define NET_OFFERED (1u << 10) /* a run is active, and the queue has a message */
#define NET_ROOM (1u << 11)  /* there is room in the ring */
#define NET_NODE_SHIFT 12    /* 3 bits: the number of the node */
#define NET_SLOT_SHIFT 16   /* 3 bits: position of the message in the queue */
#define NET_RING_SHIFT 20    /* 4 bits: next entry of the ring */

/* Messages in the host's format (host_port.h): this node's queue, and the ring. In the ring `mark`
 * is written last, with the node and NET_DELIVERED. */
#define net_queue ((volatile host_message *)0x10001000)
#define net_ring ((volatile host_message *)0x10002000)
#define NET_DELIVERED (1u << 31)

#ifdef __riscv

/* Only bits 30 and 3:0 of a register address are decoded. One instruction reaches this address from
 * register zero. */
#define NET_PORT 0xFFFFFF00u

static inline uint32_t net_port_read(unsigned offset)
{
    return *(volatile uint32_t *)(NET_PORT + offset);
}

static inline void net_port_write(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(NET_PORT + offset) = value;
}

/* Sleeps until a byte is received, or a message is OFFERED and the network is FREE. */
static inline void net_port_wait(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

#else

uint32_t net_port_read(unsigned offset);
void net_port_write(unsigned offset, uint32_t value);

#endif

#endif
