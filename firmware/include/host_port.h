/* Registers of the host on the board, at 0x4000_0000 and above, and the messages in its memory. All
 * accesses are words.
 *
 * The host is a context of the core that the nodes share. It can address the whole memory: its own
 * 4 KB at 0, and program, data and queues of the nodes from 0x1000 on. The generated header
 * hosted.h has the number of nodes and the addresses for each machine. */
#ifndef HOST_PORT_H
#define HOST_PORT_H

#include "hosted.h"
#include <stdint.h>

/* Nodes in groups, each with a core, a ring and a memory, whose host has a core of its own. Without
 * groups the host is a context of the core of the nodes. */
#ifdef HOST_GROUPS
#define HOST_QUEUE_SHIFT 16
#else
#define HOST_QUEUE_SHIFT 8
#endif

#define HOST_STATUS 0x00   /* r: STATUS_* below */
#define HOST_SERIAL 0x04   /* r: the received byte, which is removed; w: a byte to send */
#define HOST_ARRIVED 0x08  /* r: arrived messages, modulo 2 * HOST_RING; w: number of them that the host has processed */
#define HOST_QUEUE 0x0C    /* r: messages left in the queue of the node of HOST_LOOK; w: node | messages in its queue << HOST_QUEUE_SHIFT */
#define HOST_OUTCOMES 0x10 /* r: outcomes of the last phase, OUTCOMES below */
#define HOST_TIME 0x14     /* r: phase | superframes so far << 16 */
#define HOST_CONTROL 0x18  /* w: CONTROL_* below */
#define HOST_CLOCK 0x1C    /* r: clock cycles since the start */
#define HOST_LOOK 0x20     /* r: state of the node to look at, LOOK_* below; w: the node to look at */
#define HOST_GROUP 0x24    /* with groups, w: the group that HOST_ARRIVED refers to */
#define HOST_ACCEPTED 0x28 /* with groups, r: accepted frames of the last phase | missed deadlines << 16 */

/* STATUS. A phase is FRESH until its OUTCOMES are read. */
#define STATUS_SENDS 1u    /* a byte can be sent */
#define STATUS_RECEIVED 2u /* a byte was received */
#define STATUS_FRESH 4u    /* a phase has begun, and OUTCOMES has the results of the previous phase */
#define STATUS_HALTED 8u   /* a program has met an illegal instruction */
#define STATUS_RUNNING 16u /* the schedule runs */
#define STATUS_RESTARTS 32u /* a restart is in progress */

/* OUTCOMES: eight bits each, from the lowest: frames with a timeout, with a NAK, and accepted;
 * nodes that missed the deadline. With groups: sixteen bits each, timeouts and NAKs. HOST_ACCEPTED has
 * the other two, and is read first. */

/* CONTROL. The schedule stops at the end of a superframe. A restart requires a stopped schedule.
 * The programs of all nodes begin at reset, and all buffers are empty. The link states are
 * forgotten, superframes count from 0, and no program is halted. The restart is complete when
 * STATUS no longer shows it. */
#define CONTROL_RUN 1u
#define CONTROL_ERROR 2u   /* light 1 */
#define CONTROL_DONE 4u    /* light 2 */
#define CONTROL_RESTART 8u /* restart once */

/* LOOK: state at the latest turn of the node's program since HOST_LOOK was written. Zero until the
 * program has had a turn. */
#define LOOK_ASLEEP 1u   /* the program slept */
#define LOOK_AWAKE 2u    /* the program executed an instruction */
#define LOOK_HALTED 3u   /* the program could not execute the instruction */
#define LOOK_STATE 3u    /* mask of these states */
#define LOOK_CAUSE_SHIFT 2 /* cause of the halt: four bits, as mcause */
#define LOOK_PC_SHIFT 16 /* lower 16 bits of the program counter */

/* Message in memory: its length, the destination low byte first, the payload. In the ring, `mark`
 * bits 5:0 are the node that delivered the message, and bits 7:6 the reason (MOVE_*). Bits 12:8 are
 * the phase, and the superframe begins at bit 16. Bits 15:13 are the bits of the node's number above
 * the lower six. */
typedef struct {
    uint32_t words[3];
    uint32_t mark;
} host_message;

/* On a PC host/board/board_stub.c models the memory and the registers. */
#ifdef __riscv
#define HOST_MEMORY(address) (address)
#else
extern uint32_t board_stub_memory[];
#define HOST_MEMORY(address) (board_stub_memory + (address) / 4)
#endif

/* Ring of arrived messages, with message `n` in entry n modulo HOST_RING. The rings of groups follow
 * each other. */
#define host_ring ((volatile host_message *)HOST_MEMORY(HOST_RING_AT))

/* Queue of each node. With n messages left, the node takes entry n modulo HOST_SLOTS next. */
#define host_queue ((volatile host_message *)HOST_MEMORY(HOST_QUEUE_AT))

/* Memory for loaded programs: the words of the nodes' common program, and of the data of each node.
 */
#define host_program ((volatile uint32_t *)HOST_MEMORY(HOST_PROGRAM_AT))
#define host_data ((volatile uint32_t *)HOST_MEMORY(HOST_DATA_AT))

/* Byte of a node's queue with which the host requests messages through the CM-1: their number, and
 * bit 7. The node clears it when all are delivered. The byte is not part of a message. */
#define HOST_REQUEST 11

#ifdef __riscv

/* Only bits 30 and 6:0 of a register address are decoded. One instruction reaches this address from
 * register zero. */
#define HOST_PORT 0xFFFFFF00u

static inline uint32_t host_read(unsigned offset)
{
    return *(volatile uint32_t *)(HOST_PORT + offset);
}

static inline void host_write(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(HOST_PORT + offset) = value;
}

/* Sleeps until a byte is received or a phase begins. */
static inline void host_wait(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

#else

uint32_t host_read(unsigned offset);
void host_write(unsigned offset, uint32_t value);
void host_wait(void);

#endif

#endif
