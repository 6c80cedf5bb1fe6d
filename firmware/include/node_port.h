/* The registers of a node (docs/machine.md, "Registers of a node"), at 0x4000_0000
 * and above.
 *
 * The message memory of a cube's node has a register for each link, numbered as the
 * dimensions, and the injection register after them. In a metacube, which has m + k
 * links, a receive register's number is count * (m + k) + link, where count is the
 * number of cross edges that its message will have passed when it leaves; the
 * injection register has the number m. A node with a pool has places in their stead,
 * numbered from 0 on; the message of the host comes into one of them.
 *
 * The message memory belongs to the core from the beginning of a phase until DECIDE is
 * written or the frame window opens; with DECIDE_REOPEN, if links have answers, once more
 * from the answer slot on, until DECIDE is written again. An access to TX_DATA, RX_DATA,
 * MOVE or FULL at another time waits. All accesses are words.
 *
 * On a PC the three functions are those of host/node_stub.c.
 */
#ifndef NODE_PORT_H
#define NODE_PORT_H

#include <stdint.h>

/* Published. */
#define PORT_PHASE_COUNTER 0x00 /* r: the phase, 0 to 2 * links - 1 */
#define PORT_PHASE_CONFIG 0x04  /* r: CONFIG_* below, all of one phase */
#define PORT_TX_DATA 0x08       /* rw: the next word of the selected register */
#define PORT_RX_DATA 0x0C       /* the same */
#define PORT_TX_STATUS 0x10     /* r: what became of the frame of this phase: SENT_* */
#define PORT_RX_STATUS 0x14     /* r: which registers are full, a bit each */
#define PORT_DIM_SELECT 0x18    /* w: bits 4:0 register, 15:5 the word that is next */
#define PORT_FRAME_COUNT 0x1C   /* r: superframes so far; 16 bits, wraps */
#define PORT_ERROR_COUNT 0x20   /* r: times the node fell out of step; 16 bits, wraps */
/* Of this machine. */
#define PORT_NODE_ADDRESS 0x40  /* r */
#define PORT_DIMENSIONS 0x44    /* r: DIMENSIONS_* below */
#define PORT_CYCLE_COUNTER 0x48 /* r: clock cycles since the phase began; 16 bits, wraps */
#define PORT_HOST_STATUS 0x4C   /* r: HOST_* below */
#define PORT_MOVE 0x50          /* w: MOVE_* | phase << 24; done when the store is */
#define PORT_DECIDE 0x54        /* w: DECIDE_SEND | register, or 0; DECIDE_REOPEN; phase << 24 */
#define PORT_FULL 0x58          /* w: bits 4:0 register; bit 5: it is full now, else free */
/* Of a node with a pool. */
#define PORT_HELD 0x5C          /* r: places whose message a link must repeat, a bit each */
#define PORT_DOWN 0x60          /* r: links that are down, as the bits of a destination */

/* PHASE_CONFIG. Its fields stand where they are used, so that no program needs to
 * shift them: the link as a register in DIM_SELECT, the bit of an address that it
 * inverts as a destination in the first word of a message, the phase as in MOVE and
 * DECIDE. */
#define CONFIG_DIM 0x0000000Fu      /* the link of the phase, in a cube its dimension */
#define CONFIG_REPEATS (1u << 4)    /* the node transmits, and must repeat a frame */
#define CONFIG_DOWN (1u << 5)       /* the link of the phase is down */
#define CONFIG_DECIDED (1u << 6)    /* DECIDE was written in this phase */
#define CONFIG_TURNS (1u << 7)      /* the node transmits, and its registers take turns */
#define CONFIG_TRANSMIT 0x00FFFF00u /* the bit of an address; 0 if the node receives */
#define CONFIG_PHASE 0x1F000000u    /* the phase */

/* TX_STATUS. */
enum { SENT_NOTHING, SENT_SILENT, SENT_REFUSED, SENT_TAKEN };

/* MOVE: copies a message between host and message memory. TAKE does nothing if
 * the host has none or the injection register, in a pool the selected place, is full;
 * the others hand over the selected register, and free it. UNDELIVERED and UNKNOWN do
 * nothing in another phase than the one they name. */
enum { MOVE_DELIVERED, MOVE_UNDELIVERED, MOVE_UNKNOWN, MOVE_TAKE };

/* HOST_STATUS. MOVE does nothing while the host has no room. Unless it is CROWDED there is room
 * for a message of every node, so that it is there until the node that has read this has moved
 * one. */
#define HOST_OFFERS 1u /* the host has a message */
#define HOST_CROWDED 2u
#define POOL_CROWDED 4u /* less than three places of the pool are free */

/* Between node and host, in the length byte of what is no message but an end, with
 * one byte after it: from the node that its program has ended, the byte is the exit
 * code; from the host that no more messages will come, the byte means nothing. The
 * hardware copies as many bytes as the lower bits say. */
#define HOST_END 0x80u

/* DECIDE does nothing in another phase than the one it names. Written once more it closes the
 * message memory, and no more. */
#define DECIDE_REGISTER 0x1Fu   /* the register, or place */
#define DECIDE_SEND (1u << 5)
#define DECIDE_REOPEN (1u << 7) /* the message memory opens again with the answer slot */

/* The first word of a message: length, destination, first byte of payload. */
#define WORD_LENGTH 0x000000FFu
#define WORD_DESTINATION_SHIFT 8

/* DIMENSIONS: what the node is built for. */
#define DIMENSIONS_LINKS 0xFFu
#define DIMENSIONS_PAYLOAD_SHIFT 8
#define DIMENSIONS_PAYLOAD 0xFFu       /* the longest */
#define DIMENSIONS_CLASS_BITS_SHIFT 16
#define DIMENSIONS_CLASS_BITS 3u       /* k */
#define DIMENSIONS_ACKED (1u << 18)    /* links have answers */
#define DIMENSIONS_PLACES_SHIFT 24 /* places of a pool; 0 if there is none */

/* DIM_SELECT: the last word. In the first receive register of a link it keeps the state
 * of the link. Its lowest byte is the link's turn: the register that the frame to be
 * repeated came from, else the one from which on the search for a message begins. It may
 * be one more than the last number of a register. */
#define SELECT_LAST_WORD 0xFFE0u
#define WORD_TURN 0x000000FFu

#define FULL_SET (1u << 5)

#ifdef __riscv

/* Of an address of a register only bits 30 and 7:0 count. This one is reached from register
 * zero by one instruction. */
#define NODE_PORT 0xFFFFFF00u

static inline uint32_t port_read(unsigned offset)
{
    return *(volatile uint32_t *)(NODE_PORT + offset);
}

static inline void port_write(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(NODE_PORT + offset) = value;
}

/* Sleeps until a phase begins, or the message memory opens again; returns at once if the phase
 * has not been decided, or the memory is open. */
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
