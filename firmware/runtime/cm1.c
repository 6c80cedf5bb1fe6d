/* Messages through the CM-1, with the registers of its port. */
#include "cm1.h"
#include "cm1_port.h"

static unsigned here;
/* CM1_OFFER while a message is offered, else 0. */
static uint32_t offer;
/* Petit cycles that the port had counted when the node began. */
static unsigned begun;

static unsigned count(unsigned shift)
{
    return (cm1_port_read(CM1_STATUS) >> shift) & CM1_COUNT_MASK;
}

void cm1_init(unsigned address)
{
    here = address;
    offer = 0;
    begun = count(CM1_PETITS_SHIFT);
}

int cm1_send(unsigned dest, const void *payload, unsigned len)
{
    const uint8_t *bytes = payload;
    if (offer || len > CM1_DATA)
        return -1;
    uint32_t relative = (dest ^ here) & 7;
    uint32_t parity = relative;
    cm1_port_write(CM1_BYTE(0), CM1_MESSAGE | relative << CM1_RELATIVE_SHIFT);
    for (unsigned k = 0; k < CM1_DATA; k++) {
        uint32_t byte = k < len ? bytes[k] : 0;
        parity ^= byte;
        cm1_port_write(CM1_BYTE(k + 1), byte);
    }
    parity ^= parity >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    cm1_port_write(CM1_BYTE(CM1_DATA + 1), parity & 1);
    offer = CM1_OFFER;
    return 0;
}

void cm1_petit(void)
{
    unsigned before = count(CM1_PETITS_SHIFT);
    cm1_port_write(CM1_STATUS, offer);
    while (count(CM1_PETITS_SHIFT) == before)
        ;
    if (cm1_port_read(CM1_STATUS) & CM1_ACCEPTED)
        offer = 0;
}

int cm1_recv(void *buf, unsigned max)
{
    uint8_t *bytes = buf;
    uint32_t status = cm1_port_read(CM1_STATUS);
    if (!(status & CM1_DELIVERED))
        return -1;
    for (unsigned k = 0; k < CM1_DATA && k < max; k++)
        bytes[k] = (uint8_t)cm1_port_read(CM1_BYTE(k + 1));
    return status & CM1_PARITY_ERROR ? -2 : CM1_DATA;
}

int cm1_done(void)
{
    return (cm1_port_read(CM1_STATUS) & CM1_EMPTY) != 0;
}

unsigned cm1_petits(void)
{
    return (count(CM1_PETITS_SHIFT) - begun) & CM1_COUNT_MASK;
}

uint32_t cm1_bit_times(void)
{
    unsigned last = (count(CM1_LAST_SHIFT) - begun) & CM1_COUNT_MASK;
    /* Messages that were delivered before the node began do not count. */
    if (!last || last > cm1_petits())
        return 0;
    uint32_t time = CM1_FLIGHT;
    while (--last)
        time += CM1_PERIOD;
    return time;
}
