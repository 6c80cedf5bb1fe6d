/* The network in software: what a node does in each phase, and the program's calls. */
#include "tdma.h"
#include "node_port.h"
#include "place.h"
#include "register.h"

__attribute__((weak)) void tdma_on_phase(void)
{
}

__attribute__((weak)) void tdma_on_arrival(unsigned reg)
{
    (void)reg;
}

/* Looks at the registers that are full, and returns what DECIDE is told of the message that
 * is sent. */
static uint32_t choose(uint32_t config, uint32_t full)
{
    uint32_t own = here, bits = mask;
    uint32_t wanted = config & CONFIG_TRANSMIT;
    uint32_t down = config & CONFIG_DOWN;
    /* What MOVE says. */
    uint32_t give_up = (config & CONFIG_PHASE) + MOVE_UNDELIVERED;
    uint32_t turn = 0, choice = 0;
    if (config & (CONFIG_REPEATS | CONFIG_TURNS)) {
        unsigned state = place_first_register(config & CONFIG_DIM);
        port_write(PORT_DIM_SELECT, state | SELECT_LAST_WORD);
        if (config & CONFIG_REPEATS || !down)
            turn = DECIDE_SEND + (port_read(PORT_RX_DATA) & WORD_TURN);
        /* It may have arrived all the same. */
        if (config & CONFIG_REPEATS)
            give_up += MOVE_UNKNOWN - MOVE_UNDELIVERED;
    }
    for (unsigned reg = 0; full; reg++, full >>= 1) {
        if (!(full & 1))
            continue;
        port_write(PORT_DIM_SELECT, reg);
        uint32_t delta = (port_read(PORT_RX_DATA) ^ own) & bits;
        if (!delta) {
            tdma_on_arrival(reg);
        } else if (place_next_bit(delta) == wanted) {
            uint32_t this = DECIDE_SEND | reg;
            if (this >= turn) {
                choice = this;
                /* The others wait. */
                wanted = 0;
                if (down)
                    port_write(PORT_MOVE, give_up);
            } else if (!choice) {
                choice = this;
            }
        }
    }
    return down ? 0 : choice;
}

/* What a node does at the beginning of every phase: it looks at the receive
 * registers in ascending order. Of the messages whose next link is that of the phase it
 * sends the first from the link's turn on, else the first of all. A link that has a
 * frame to repeat repeats it, for it has the turn. A message whose link is down goes to the
 * host, one in a phase. */
static void serve(void)
{
    uint32_t config = port_read(PORT_PHASE_CONFIG);
    tdma_on_phase();
    uint32_t full = port_read(PORT_RX_STATUS);
    uint32_t choice = full ? choose(config, full) : 0;
    port_write(PORT_DECIDE, choice | (config & CONFIG_PHASE));
}

static void sleep(void)
{
    do
        port_wait();
    while (port_read(PORT_PHASE_CONFIG) & CONFIG_DECIDED);
}

void tdma_init(uint16_t address, unsigned dims)
{
    /* Compiled for another network. */
    if (port_read(PORT_DIMENSIONS) >> DIMENSIONS_CLASS_BITS_SHIFT != CLASS_BITS)
        __builtin_trap();
    place_init(address, dims);
    sleep();
}

unsigned tdma_current_phase(void)
{
    return port_read(PORT_PHASE_COUNTER);
}

void tdma_next_phase(void)
{
    serve();
    sleep();
}

void tdma_wait_for_phase(unsigned phase)
{
    do
        tdma_next_phase();
    while (tdma_current_phase() != phase);
}

int tdma_route(uint16_t dest, const void *payload, unsigned len)
{
    if (register_put((uint32_t)dest << WORD_DESTINATION_SHIFT, 3, payload, len))
        return -1;
    port_write(PORT_FULL, FULL_SET | place_injection());
    return 0;
}

int tdma_send(unsigned dim, const void *payload, unsigned len)
{
    uint32_t neighbour = here ^ place_link_bit(dim);
    return tdma_route((uint16_t)(neighbour >> WORD_DESTINATION_SHIFT), payload, len);
}

int tdma_recv(unsigned dim, void *buf, unsigned max)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    unsigned reg = place_first_register(dim);
    for (; reg < NO_REGISTER; reg = place_next_register(reg)) {
        if (!(full >> reg & 1))
            continue;
        port_write(PORT_DIM_SELECT, reg);
        uint32_t word = port_read(PORT_RX_DATA);
        if (!((word ^ here) & mask))
            return register_get(reg, word, 3, buf, max);
    }
    return -1;
}

uint16_t tdma_strapped_address(void)
{
    uint32_t address = port_read(PORT_NODE_ADDRESS);
    /* So that nothing is cut off. */
    if (address > UINT16_MAX)
        __builtin_unreachable();
    return (uint16_t)address;
}

unsigned tdma_strapped_dims(void)
{
    return port_read(PORT_DIMENSIONS) & DIMENSIONS_LINKS;
}

unsigned register_injection(void)
{
    return place_injection();
}
