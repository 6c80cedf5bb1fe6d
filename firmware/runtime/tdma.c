/* Software of the network: the work of a node in each phase, and the calls of the API. */
#include "tdma.h"
#include "node_port.h"
#include "links.h"
#include "background.h"
#include "message_buffer.h"
#ifdef POOL
#include "pool.h"
#else
#include "ecube.h"
#include "ahead_acked.h"
#if CLASS_BITS == 0
#include "ahead_raw.h"
#endif
#endif

__attribute__((weak)) void tdma_on_phase(void)
{
}

__attribute__((weak)) void tdma_on_arrival(unsigned buffer)
{
    (void)buffer;
}

static void init(uint16_t address, unsigned dims)
{
    uint32_t kind = port_read(PORT_DIMENSIONS) >> DIMENSIONS_CLASS_BITS_SHIFT;
    /* The program was compiled for another network. */
#ifdef POOL
    if (!(kind >> (DIMENSIONS_SLOTS_SHIFT - DIMENSIONS_CLASS_BITS_SHIFT)))
        __builtin_trap();
#else
    if ((kind & DIMENSIONS_CLASS_BITS) != CLASS_BITS)
        __builtin_trap();
#endif
    links_init(address, dims);
}

uint16_t tdma_strapped_address(void)
{
    uint32_t address = port_read(PORT_NODE_ADDRESS);
    /* Lets the compiler omit the truncation. */
    if (address > UINT16_MAX)
        __builtin_unreachable();
    return (uint16_t)address;
}

unsigned tdma_strapped_dims(void)
{
    return port_read(PORT_DIMENSIONS) & DIMENSIONS_LINKS;
}

#ifdef POOL

/* A pool supports no other calls, because a message in a pool does not record its link. */
_Noreturn void tdma_forward(uint16_t address, unsigned dims)
{
    init(address, dims);
    pool_forward();
}

#else

int background_on;
volatile uint32_t background_taken;

static void sleep(void)
{
    do
        port_wait();
    while (port_read(PORT_PHASE_CONFIG) & CONFIG_DECIDED);
}

void tdma_init(uint16_t address, unsigned dims)
{
    init(address, dims);
    sleep();
}

unsigned tdma_current_phase(void)
{
    return port_read(PORT_PHASE_COUNTER);
}

void tdma_next_phase(void)
{
    background_hold();
    if (!background_on || !(port_read(PORT_PHASE_CONFIG) & CONFIG_DECIDED))
        serve();
    background_continue();
    sleep();
}

#ifdef __riscv

/* Runs on the second context. */
static _Noreturn void serve_in_background(void)
{
    for (;;) {
        if (!(port_read(PORT_PHASE_CONFIG) & CONFIG_DECIDED))
            serve();
        port_wait();
    }
}

void background_release(void (*function)(void));

void tdma_background(void)
{
    background_on = 1;
    background_release(serve_in_background);
}

#else

void tdma_background(void)
{
}

#endif

/* The simulator finds this function in the ELF file, and gives the nodes an LED. */
__attribute__((noinline)) void tdma_led(uint8_t brightness)
{
    port_write(PORT_LED, brightness);
}

_Noreturn void tdma_forward(uint16_t address, unsigned dims)
{
    init(address, dims);
#if CLASS_BITS == 0
    /* In a metacube all links have answers. */
    if (!(port_read(PORT_DIMENSIONS) & DIMENSIONS_ACKED))
        raw_forward();
#endif
    acked_forward();
}

void tdma_wait_for_phase(unsigned phase)
{
    do
        tdma_next_phase();
    while (tdma_current_phase() != phase);
}

int tdma_route(uint16_t dest, const void *payload, unsigned len)
{
    if (message_buffer_put((uint32_t)dest << WORD_DESTINATION_SHIFT, 3, payload, len))
        return -1;
    port_write(PORT_FULL, FULL_SET | links_injection());
    background_return();
    return 0;
}

int tdma_send(unsigned dim, const void *payload, unsigned len)
{
    uint32_t neighbour = here ^ links_bit(dim);
    return tdma_route((uint16_t)(neighbour >> WORD_DESTINATION_SHIFT), payload, len);
}

int tdma_recv(unsigned dim, void *buf, unsigned max)
{
    uint32_t full = port_read(PORT_RX_STATUS);
    unsigned buffer = dim == links ? links_injection() : links_first_buffer(dim);
    for (; buffer < NO_BUFFER; buffer = links_next_buffer(buffer)) {
        if (!(full >> buffer & 1))
            continue;
        uint32_t word = background_read(buffer);
        if (!((word ^ here) & mask))
            return message_buffer_get(buffer, word, 3, buf, max);
    }
    return -1;
}

unsigned message_buffer_injection(void)
{
    return links_injection();
}

#endif
