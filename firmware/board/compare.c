/* Program of the nodes in the comparison with the CM-1. It acts as `route` until the host requests
 * the same messages through the CM-1.
 *
 * The code is smaller than tdma_route and cm1_send, because the shared memory is full. It copies
 * messages directly from the queue to the CM-1, and from there to the host. */
#include "cm1_port.h"
#include "host_port.h"
#include "node_port.h"
#include "tdma.h"

/* Injection buffer of a node of the cube. */
#define INJECTION HOST_DIMS

/* Queue of this node. */
#define queue ((volatile host_message *)0x10001000)
#define requested (((volatile uint8_t *)queue)[HOST_REQUEST])

static void offer_message(uint32_t node, volatile uint8_t *message)
{
    uint32_t relative = message[1] ^ node;
    uint32_t parity = relative;
    cm1_port_write(CM1_BYTE(0), CM1_MESSAGE | relative << CM1_RELATIVE_SHIFT);
    for (unsigned k = 1; k <= CM1_DATA; k++) {
        uint32_t byte = message[2 + k];
        parity ^= byte;
        cm1_port_write(CM1_BYTE(k), byte);
    }
    parity ^= parity >> 4;
    parity ^= parity >> 2;
    cm1_port_write(CM1_BYTE(CM1_DATA + 1), (parity ^ parity >> 1) & 1);
}

/* Delivers a message to the host as if it had arrived over a link. The upper byte of its
 * destination is the petit cycle. */
static void deliver(uint32_t word)
{
    unsigned shift = 24;
    port_write(PORT_DIM_SELECT, INJECTION);
    for (unsigned k = 1; k <= CM1_DATA; k++, shift += 8) {
        if (shift == 32) {
            port_write(PORT_TX_DATA, word);
            word = shift = 0;
        }
        word |= (cm1_port_read(CM1_BYTE(k)) & 0xFF) << shift;
    }
    port_write(PORT_TX_DATA, word);
    port_write(PORT_FULL, FULL_SET | INJECTION);
    /* MOVE has no effect while the ring of the host is full. */
    do
        port_write(PORT_MOVE, MOVE_DELIVERED);
    while (port_read(PORT_RX_STATUS));
}

void tdma_on_phase(void)
{
    unsigned left = requested;
    if (!left) {
        port_write(PORT_MOVE, MOVE_TAKE);
        return;
    }
    /* Bit 7 of the host's request is a flag, and bits 6:0 are the number of messages. */
    left &= 0x7F;
    uint32_t node = tdma_strapped_address();
    uint32_t offer = 0;
    uint32_t status = cm1_port_read(CM1_STATUS);
    uint32_t begun = status >> CM1_PETITS_SHIFT;
    do {
        uint32_t before = status;
        if (!offer && left) {
            offer_message(node, (volatile uint8_t *)(queue + (left-- & (HOST_SLOTS - 1))));
            offer = CM1_OFFER;
        }
        cm1_port_write(CM1_STATUS, offer);
        do
            status = cm1_port_read(CM1_STATUS);
        while (!((status ^ before) & CM1_COUNT_MASK << CM1_PETITS_SHIFT));
        if (status & CM1_ACCEPTED)
            offer = 0;
        if (status & CM1_DELIVERED) {
            /* A wrong parity makes the length wrong, so the host counts the message as wrong. */
            uint32_t length = 10 + (status >> 2 & 1);
            uint32_t petit = ((status >> CM1_PETITS_SHIFT) - begun) & 0xFF;
            deliver(length | node << 8 | petit << 16);
        }
    } while (!(status & CM1_EMPTY));
    requested = 0;
}

void tdma_on_arrival(unsigned buffer)
{
    (void)buffer;
    port_write(PORT_MOVE, MOVE_DELIVERED);
}

int main(void)
{
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    for (;;)
        tdma_next_phase();
}
