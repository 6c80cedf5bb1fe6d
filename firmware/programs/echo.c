/* Sends back what arrives.
 *
 * The host brings a destination (low byte first) and a text of up to 4 bytes.
 * The node sends the text there, with its own address before it; the node there
 * sends it back; the host gets the address of that node and the text. */
#include "ctrl.h"
#include "tdma.h"

enum { TEXT = 4, RETURNED = 0x80 };

/* On the wire: the sender's address, low byte first, the top bit set on the way
 * back; the text. */
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
