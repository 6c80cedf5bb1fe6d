/* CM-1 beside the nodes: a router of eight chips. Each node is the processor of one chip
 * (crates/rtl/src/cm1/board). All accesses are words.
 *
 * Messages are bits on wires, sent in petit cycles. A petit cycle begins when all eight nodes have
 * set STATUS to ready. It ends when PETITS counts. Before a petit cycle, a node may write the
 * message that it offers. After it, STATUS contains the outcome, and a received message can be read
 * until the node is ready again. An access to a byte during a petit cycle waits for its end.
 *
 * On a PC host/cm1_stub.c defines the two functions.
 */
#ifndef CM1_PORT_H
#define CM1_PORT_H

#include <stdint.h>

/* Bytes of DATA in a message, and the resulting times in bit-times (docs/cm1.md). CM1_PERIOD is the
 * time from one petit cycle to the next, max(l, 3c + 1). CM1_FLIGHT is the time from MSGP at the
 * injectors to the last bit out of the hearts, l + 2c. Here l is 2 + c + 8 * CM1_DATA. */
#define CM1_DATA 8
#define CM1_PERIOD (5 + 8 * CM1_DATA)
#define CM1_FLIGHT (CM1_PERIOD + 6)

/* r: byte k of the received message; w: byte k of the message to send; bits 7:0. Byte 0 is
 * CM1_MESSAGE with the relative address, and bytes 1 to CM1_DATA are DATA. Bit 0 of the next byte
 * is PARITY. Byte 0 of a received message is undefined. */
#define CM1_BYTE(k) (4u * (k))
#define CM1_STATUS 0x40

/* Byte 0: MSGP, and the position of the destination xor the node. */
#define CM1_MESSAGE 0x10u
#define CM1_RELATIVE_SHIFT 5

/* STATUS, written: the node is ready for the next petit cycle. */
#define CM1_OFFER (1u << 0) /* it offers its message */

/* STATUS, read: outcome of the last petit cycle. */
#define CM1_ACCEPTED (1u << 0)     /* the network accepted the node's message */
#define CM1_DELIVERED (1u << 1)    /* the node received a message */
#define CM1_PARITY_ERROR (1u << 2) /* its parity is wrong */
#define CM1_EMPTY (1u << 3)        /* no node offered a message, and none is in flight */
#define CM1_PETITS_SHIFT 8         /* 12 bits: petit cycles so far */
#define CM1_LAST_SHIFT 20          /* 12 bits: petit cycles up to the last one that delivered */
#define CM1_COUNT_MASK 0xFFFu

#ifdef __riscv

#ifndef CM1_PORT_BASE
#define CM1_PORT_BASE 0x40000080u
#endif

static inline uint32_t cm1_port_read(unsigned offset)
{
    return *(volatile uint32_t *)(CM1_PORT_BASE + offset);
}

static inline void cm1_port_write(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(CM1_PORT_BASE + offset) = value;
}

#else

uint32_t cm1_port_read(unsigned offset);
void cm1_port_write(unsigned offset, uint32_t value);

#endif

#endif
