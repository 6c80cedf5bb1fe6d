/* Host side of a node that only routes: accepts messages from the host, and delivers messages that
 * have reached this node. A program includes this file once. */
#ifndef ROUTER_H
#define ROUTER_H

#include "node_port.h"
#include "tdma.h"

void tdma_on_phase(void)
{
    port_write(PORT_MOVE, MOVE_TAKE);
}

void tdma_on_arrival(unsigned buffer)
{
    (void)buffer;
    port_write(PORT_MOVE, MOVE_DELIVERED);
}

#endif
