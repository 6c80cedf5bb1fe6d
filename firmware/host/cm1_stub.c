/* Model of the port to the CM-1 for a PC. It stops a program that violates the port's rules. */
#include "cm1_stub.h"

#include <stdio.h>
#include <stdlib.h>

cm1_stub_port cm1_stub;
void (*cm1_stub_on_petit)(int offer);

static void check(int good, const char *what, unsigned value)
{
    if (good)
        return;
    fprintf(stderr, "cm1_stub: %s (0x%x)\n", what, value);
    abort();
}

uint32_t cm1_port_read(unsigned offset)
{
    uint32_t status = cm1_stub.status | (cm1_stub.petits & CM1_COUNT_MASK) << CM1_PETITS_SHIFT |
                      (cm1_stub.last & CM1_COUNT_MASK) << CM1_LAST_SHIFT;
    if (offset == CM1_STATUS)
        return status;
    check(offset % 4 == 0 && offset < CM1_BYTE(sizeof cm1_stub.received), "no such byte", offset);
    check((cm1_stub.status & CM1_DELIVERED) != 0, "nothing was delivered", offset);
    /* STATUS is above the byte, as on the board. */
    return (status & ~0xFFu) | cm1_stub.received[offset / 4];
}

void cm1_port_write(unsigned offset, uint32_t value)
{
    if (offset != CM1_STATUS) {
        check(offset % 4 == 0 && offset < CM1_BYTE(sizeof cm1_stub.sent), "no such byte", offset);
        cm1_stub.sent[offset / 4] = (uint8_t)value;
        return;
    }
    if (value & CM1_OFFER)
        check(cm1_stub.sent[0] & CM1_MESSAGE, "a message without MSGP", cm1_stub.sent[0]);
    check(cm1_stub_on_petit != NULL, "there is no network", 0);
    cm1_stub.status = 0;
    cm1_stub_on_petit((value & CM1_OFFER) != 0);
    cm1_stub.petits++;
    if (cm1_stub.status & CM1_DELIVERED)
        cm1_stub.last = cm1_stub.petits;
}
