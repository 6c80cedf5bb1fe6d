/* Like route.c, but without looking ahead. The node examines its buffers when a phase begins, and
 * sleeps from its decision on. The program is smaller, and the service window is longer. The nodes
 * of a cube or metacube on a board run it, because they share a core and a small memory. */
#include "router.h"

int main(void)
{
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    for (;;)
        tdma_next_phase();
}
