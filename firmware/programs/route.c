/* Node of the hypercube as a router: sends the messages from the host, and delivers arriving
 * messages to the host. In every phase it sends the same message as the hardware forwarder
 * (crates/rtl/src/tdma/forwarder.rs). */
#include "router.h"

int main(void)
{
    tdma_forward(tdma_strapped_address(), tdma_strapped_dims());
}
