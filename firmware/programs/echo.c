/* Sends back the messages that arrive.
 *
 * The host sends a destination (low byte first) and a text of up to 4 bytes. The node sends the
 * text to the destination, preceded by its own address. The destination sends it back. The host
 * receives the address of the destination and the text. */
#include "ctrl.h"
#include "tdma.h"

enum { TEXT = 4, RETURNED = 0x80 };

/* Message on the link: the sender's address, low byte first, with the top bit set on the way back;
 * then the text. */
static uint8_t message[2 + TEXT];

static void mark(uint16_t address, uint8_t flag)
{
    message[0] = (uint8_t)address;
    message[1] = (uint8_t)(address >> 8) | flag;
}

int main(void)
{
    uint16_t here = tdma_strapped_address();
    unsigned dims = tdma_strapped_dims();
    tdma_init(here, dims);
    for (;;) {
        int len = ctrl_recv(message, sizeof message);
        if (len >= 2) {
            uint16_t dest = (uint16_t)(message[0] | message[1] << 8);
            mark(here, 0);
            tdma_route(dest, message, (unsigned)len);
        }
        for (unsigned dim = 0; dim <= dims; dim++) {
            len = tdma_recv(dim, message, sizeof message);
            if (len < 2)
                continue;
            if (message[1] & RETURNED) {
                message[1] &= (uint8_t)~RETURNED;
                ctrl_send(message, (unsigned)len);
            } else {
                uint16_t dest = (uint16_t)(message[0] | message[1] << 8);
                mark(here, RETURNED);
                tdma_route(dest, message, (unsigned)len);
            }
        }
        tdma_next_phase();
    }
}
