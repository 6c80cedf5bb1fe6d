/* Model of a network of bytes for a PC. It accepts each byte if `free` is set, and supplies the
 * bytes of `comes`. */
#include "net_stub.h"
#include "net_port.h"

struct net_stub net_stub;

uint32_t net_port_read(unsigned offset)
{
    uint32_t status = net_stub.free ? NET_FREE : 0;
    if (offset != NET_STATUS)
        return 0;
    return net_stub.left ? status | NET_CAME | *net_stub.comes : status;
}

void net_port_write(unsigned offset, uint32_t value)
{
    if (offset == NET_SEND && net_stub.free && net_stub.count < sizeof net_stub.sent)
        net_stub.sent[net_stub.count++] = (uint8_t)value;
    if (offset == NET_TAKE && net_stub.left) {
        net_stub.comes++;
        net_stub.left--;
    }
}
