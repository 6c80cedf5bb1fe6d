/* The node of the hypercube as a router: what the host brings is sent, what
 * arrives is handed to the host. Phase by phase it sends what the hardware
 * forwarder sends (crates/rtl/src/tdma/forwarder.rs). */
#include "router.h"

int main(void)
{
    tdma_forward(tdma_strapped_address(), tdma_strapped_dims());
}
