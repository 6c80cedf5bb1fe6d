/* Registers of a node (docs/machine.md, "Registers of a node"), at 0x4000_0000 and above.
 *
 * The message memory of a cube's node has a receive buffer for each link, numbered as the
 * dimensions, and then the injection buffer. In a metacube, which has m + k links, the number of a
 * receive buffer is count * (m + k) + link. Here count is the number of cross edges that its
 * message will have passed when it leaves. The injection buffer has the number m. A node with a
 * pool has slots instead of buffers, numbered from 0 on. A message from the host is stored in one
 * of the slots.
 *
 * The message memory belongs to the core from the beginning of a phase until DECIDE is written or
 * the frame window opens. With DECIDE_REOPEN, and if links have answers, the core gets it again
 * from the answer slot on, until DECIDE is written again. An access to TX_DATA, RX_DATA, MOVE or
 * FULL at another time waits. All accesses are words.
 *
 * On a PC host/node_stub.c defines the three functions.
 */
#ifndef NODE_PORT_H
#define NODE_PORT_H

#include <stdint.h>

/* Published registers. */
#define PORT_PHASE_COUNTER 0x00 /* r: the phase, 0 to 2 * links - 1 */
#define PORT_PHASE_CONFIG 0x04  /* r: CONFIG_* below, all of one phase */
#define PORT_TX_DATA 0x08       /* rw: the next word of the selected buffer */
#define PORT_RX_DATA 0x0C       /* the same */
#define PORT_TX_STATUS 0x10     /* r: outcome of the frame of this phase: SENT_* */
#define PORT_RX_STATUS 0x14     /* r: full buffers, one bit each */
#define PORT_DIM_SELECT 0x18    /* w: bits 4:0 buffer, bits 15:5 the next word */
#define PORT_FRAME_COUNT 0x1C   /* r: superframes so far; 16 bits, wraps */
#define PORT_ERROR_COUNT 0x20   /* r: times the node lost sync; 16 bits, wraps */
/* Additional registers of this machine. */
#define PORT_NODE_ADDRESS 0x40  /* r */
#define PORT_DIMENSIONS 0x44    /* r: DIMENSIONS_* below */
#define PORT_CYCLE_COUNTER 0x48 /* r: clock cycles since the phase began; 16 bits, wraps */
#define PORT_HOST_STATUS 0x4C   /* r: HOST_* below */
#define PORT_MOVE 0x50          /* w: MOVE_* | phase << 24; complete when the store completes */
#define PORT_DECIDE 0x54        /* w: DECIDE_SEND | buffer, or 0; DECIDE_REOPEN; phase << 24 */
#define PORT_FULL 0x58          /* w: bits 4:0 buffer; bit 5: mark it full, else free */
/* Register of a core with a second context; other nodes ignore it. */
#define PORT_BACKGROUND 0x64    /* r: number of the context; w: 1 holds the second context back */
/* Register of a node with an LED; other nodes ignore it. */
#define PORT_LED 0x68           /* w: bits 7:0 brightness, 0 at the start */
/* Registers of a node with a pool. */
#define PORT_HELD 0x5C          /* r: slots whose message a link must repeat, one bit each */
#define PORT_DOWN 0x60          /* r: links that are down, in the bit positions of a destination */

/* PHASE_CONFIG. Each field has the position in which it is used, so that no program needs to shift
 * it. The link has the position of a buffer in DIM_SELECT. The address bit that the link inverts
 * has the position of a destination in the first word of a message. The phase has the same position
 * as in MOVE and DECIDE. */
#define CONFIG_DIM 0x0000000Fu      /* the link of the phase, in a cube its dimension */
#define CONFIG_REPEATS (1u << 4)    /* the node transmits, and must repeat a frame */
#define CONFIG_DOWN (1u << 5)       /* the link of the phase is down */
#define CONFIG_DECIDED (1u << 6)    /* DECIDE was written in this phase */
#define CONFIG_TURNS (1u << 7)      /* the node transmits, and its buffers are served round robin */
#define CONFIG_TRANSMIT 0x00FFFF00u /* the address bit; 0 if the node receives */
#define CONFIG_PHASE 0x1F000000u    /* the phase */

/* TX_STATUS. */
enum { SENT_NOTHING, SENT_TIMEOUT, SENT_NAK, SENT_ACCEPTED };

/* MOVE: copies a message between host and message memory. TAKE has no effect if the host has no
 * message, or if the injection buffer, or the selected slot of a pool, is full. The other
 * operations deliver the selected buffer to the host and free it. UNDELIVERED and UNKNOWN have no
 * effect in another phase than the one they name. */
enum { MOVE_DELIVERED, MOVE_UNDELIVERED, MOVE_UNKNOWN, MOVE_TAKE };

/* HOST_STATUS. MOVE has no effect while the host has no room. Unless the host is CROWDED it has
 * room for a message of every node. This room remains until the node that read the status has moved
 * a message. */
#define HOST_OFFERS 1u /* the host has a message */
#define HOST_CROWDED 2u
#define POOL_CROWDED 4u /* less than three slots of the pool are free */

/* Flag in the length byte of an end marker between node and host, which has one byte after the
 * length. From the node, the marker means that its program has ended, and the byte is the exit
 * code. From the host, it means the end of the messages, and the byte is undefined. The hardware
 * copies the number of bytes in the lower bits. */
#define HOST_END 0x80u

/* DECIDE has no effect in another phase than the one it names. A second write only closes the
 * message memory. */
#define DECIDE_BUFFER 0x1Fu   /* buffer or slot */
#define DECIDE_SEND (1u << 5)
#define DECIDE_REOPEN (1u << 7) /* the message memory opens again in the answer slot */

/* First word of a message: length, destination, first byte of payload. */
#define WORD_LENGTH 0x000000FFu
#define WORD_DESTINATION_SHIFT 8

/* DIMENSIONS: parameters of the node. */
#define DIMENSIONS_LINKS 0xFFu
#define DIMENSIONS_PAYLOAD_SHIFT 8
#define DIMENSIONS_PAYLOAD 0xFFu       /* longest payload */
#define DIMENSIONS_CLASS_BITS_SHIFT 16
#define DIMENSIONS_CLASS_BITS 3u       /* k */
#define DIMENSIONS_ACKED (1u << 18)    /* links have answers */
#define DIMENSIONS_SLOTS_SHIFT 24 /* slots of a pool; 0 if there is no pool */

/* DIM_SELECT: selects the last word. The last word of the first receive buffer of a link stores the
 * state of the link. Its lowest byte is the round-robin pointer of the link ("turn"). This is the
 * buffer of the frame to be repeated, or else the buffer at which the search for a message begins.
 * It may be one more than the highest buffer number. */
#define SELECT_LAST_WORD 0xFFE0u
#define SELECT_NEXT_WORD 0x20u /* added to DIM_SELECT, selects the next word */
#define WORD_TURN 0x000000FFu

#define FULL_SET (1u << 5)

#ifdef __riscv

/* Only bits 30 and 7:0 of a register address are decoded. One instruction reaches this address from
 * register zero. */
#define NODE_PORT 0xFFFFFF00u

static inline uint32_t port_read(unsigned offset)
{
    return *(volatile uint32_t *)(NODE_PORT + offset);
}

static inline void port_write(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(NODE_PORT + offset) = value;
}

/* Sleeps until a phase begins, or the message memory opens again. Returns at once if the phase is
 * not yet decided, or the memory is open. */
static inline void port_wait(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

#else

uint32_t port_read(unsigned offset);
void port_write(unsigned offset, uint32_t value);
void port_wait(void);

#endif

#endif
