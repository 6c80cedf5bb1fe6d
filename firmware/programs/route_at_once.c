/* As route.c, but without looking ahead: the node looks at its registers when a phase begins, and
 * sleeps from its decision on. Smaller, and with a longer service window. What the nodes of a cube
 * or metacube run on a board, where they share a core and a small memory. */
#include "router.h"

int main(void)
{
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    for (;;)
        tdma_next_phase();
}
