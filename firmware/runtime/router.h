/* What a node does between its host and the network if it only routes: it takes what the host brings,
 * and hands over what is at home. A program includes it once. */
#ifndef ROUTER_H
#define ROUTER_H

#include "node_port.h"
#include "tdma.h"

void tdma_on_phase(void)
{
    port_write(PORT_MOVE, MOVE_TAKE);
}

void tdma_on_arrival(unsigned reg)
{
    (void)reg;
    port_write(PORT_MOVE, MOVE_DELIVERED);
}

#endif
