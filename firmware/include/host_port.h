/* The registers of the host on the board, at 0x4000_0000 and above, and the
 * messages in its memory. All accesses are words.
 *
 * The host is a context of the core that the nodes share. It sees the whole
 * memory: its own 4 KB at 0; program, data and queues of the nodes from 0x1000 on. How many
 * nodes there are, and where all lies, is in hosted.h, which is made for each machine.
 */
#ifndef HOST_PORT_H
#define HOST_PORT_H

#include "hosted.h"
#include <stdint.h>

#define HOST_STATUS 0x00   /* r: STATUS_* below */
#define HOST_SERIAL 0x04   /* r: the byte received, which is taken; w: a byte to send */
#define HOST_ARRIVED 0x08  /* r: messages that came, modulo 2 * HOST_RING; w: how many of them were seen */
#define HOST_QUEUE 0x0C    /* r: messages left in the queue of the node of HOST_LOOK; w: node | messages in its queue << 8 */
#define HOST_OUTCOMES 0x10 /* r: of the last phase: OUTCOMES below */
#define HOST_TIME 0x14     /* r: phase | superframes so far << 16 */
#define HOST_CONTROL 0x18  /* w: CONTROL_* below */
#define HOST_CLOCK 0x1C    /* r: clock cycles since the start */
#define HOST_LOOK 0x20     /* r: LOOK_* below, of this node; w: the node to look at */

/* STATUS. A phase is FRESH until its OUTCOMES are read. */
#define STATUS_SENDS 1u    /* a byte to send would be taken */
#define STATUS_RECEIVED 2u /* there is a byte received */
#define STATUS_FRESH 4u    /* a phase has begun: there are OUTCOMES of the one before */
#define STATUS_HALTED 8u   /* a program has met an instruction that cannot be done */
#define STATUS_RUNNING 16u /* the schedule runs */
#define STATUS_RESTARTS 32u /* a restart is under way */

/* OUTCOMES: eight bits each, from the lowest: frames that were silent, refused, taken; nodes
 * that were late. */

/* CONTROL. The schedule stops at the end of a superframe. A restart is for a schedule that
 * stands: the programs of all nodes begin at reset, with nothing in any register and no
 * memory of their links, superframes count from 0, and no program has halted. It is done when
 * STATUS says so no more. */
#define CONTROL_RUN 1u
#define CONTROL_ERROR 2u   /* light 1 */
#define CONTROL_DONE 4u    /* light 2 */
#define CONTROL_RESTART 8u /* once: restart */

/* LOOK, at the latest turn that the node's program has had since it was looked at. Zero
 * until there was one. */
#define LOOK_ASLEEP 1u   /* it slept */
#define LOOK_AWAKE 2u    /* it did an instruction */
#define LOOK_HALTED 3u   /* it could not do it */
#define LOOK_STATE 3u    /* the bits of these */
#define LOOK_CAUSE_SHIFT 2 /* why not: four bits, as mcause */
#define LOOK_PC_SHIFT 16 /* where it was: the lower 16 bits of its program counter */

/* A message as it lies in the memory: its length, the destination low byte
 * first, the payload. The ring has in `mark` the node that handed it over in bits
 * 5:0, why (MOVE_*) in 7:6, the phase in 12:8 and the superframe from bit 16. */
typedef struct {
    uint32_t words[3];
    uint32_t mark;
} host_message;

/* On a PC the memory and the registers are those of host/board_stub.c. */
#ifdef __riscv
#define HOST_MEMORY(address) (address)
#else
extern uint32_t board_stub_memory[];
#define HOST_MEMORY(address) (board_stub_memory + (address) / 4)
#endif

/* The ring of what has come, entry `n` at n modulo HOST_RING. */
#define host_ring ((volatile host_message *)HOST_MEMORY(HOST_RING_AT))

/* The queue of each node: with n messages left it takes place n modulo HOST_PLACES next. */
#define host_queue ((volatile host_message *)HOST_MEMORY(HOST_QUEUE_AT))

/* Where programs can be loaded: the words of the nodes' program, one for all, and of the
 * data of each. */
#define host_program ((volatile uint32_t *)HOST_MEMORY(HOST_PROGRAM_AT))
#define host_data ((volatile uint32_t *)HOST_MEMORY(HOST_DATA_AT))

/* The byte of a node's queue with which the host asks for messages through the
 * CM-1: how many, and bit 7. The node clears it when all are delivered. It is no
 * part of a message. */
#define HOST_ASKS 11

#ifdef __riscv

/* Of an address of a register only bits 30 and 6:0 count. This one is reached from register
 * zero by one instruction. */
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
