/* A token that visits all nodes in the order of their Gray code, so that each hop crosses one link.
 * Each node adds one to the token and returns it. All other nodes wait. */
#include "ctrl.h"
#include "tdma.h"

static unsigned gray(unsigned place)
{
    return place ^ place >> 1;
}

/* Dimension of the link between two neighbours. */
static unsigned link_of(unsigned from, unsigned to)
{
    unsigned dim = 0;
    while (!((from ^ to) >> dim & 1))
        dim++;
    return dim;
}

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init(here, dims);
    unsigned place = here;
    for (unsigned shift = 1; shift < 16; shift <<= 1)
        place ^= place >> shift;
    uint32_t token = 0;
    if (place > 0)
        while (tdma_recv(link_of(here, gray(place - 1)), &token, sizeof token) < 0)
            tdma_next_phase();
    token++;
    if (place + 1 < 1u << dims)
        tdma_send(link_of(here, gray(place + 1)), &token, sizeof token);
    ctrl_send(&token, sizeof token);
    return 0;
}
