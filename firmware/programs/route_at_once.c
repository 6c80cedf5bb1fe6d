/* As route.c, but without looking ahead: the node looks at its registers when a phase begins, and
 * sleeps from its decision on. Smaller, and with a longer service window. What the nodes of a cube
 * or metacube run on a board, where they share a core and a small memory. */
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
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    for (;;)
        tdma_next_phase();
}
