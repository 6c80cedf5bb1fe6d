/* The node of the hypercube as a router: what the host brings is sent, what
 * arrives is handed to the host. Phase by phase it sends what the hardware
 * forwarder sends (src/rtl/tdma/forwarder.rs). */
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

int main(void)
{
    tdma_forward(tdma_strapped_address(), tdma_strapped_dims());
}
