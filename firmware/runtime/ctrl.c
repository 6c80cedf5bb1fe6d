/* Messages between a node and its host, in the register that the node sends from. */
#include "ctrl.h"
#include "node_port.h"
#include "register.h"

int ctrl_send(const void *buf, unsigned len)
{
    if (register_put(0, 1, buf, len))
        return -1;
    port_write(PORT_MOVE, MOVE_DELIVERED);
    return 0;
}

int ctrl_recv(void *buf, unsigned max)
{
    unsigned injection = register_injection();
    if (!(port_read(PORT_HOST_STATUS) & 1) || port_read(PORT_RX_STATUS) >> injection & 1)
        return -1;
    port_write(PORT_MOVE, MOVE_TAKE);
    port_write(PORT_DIM_SELECT, injection);
    return register_get(injection, port_read(PORT_RX_DATA), 1, buf, max);
}
