/* Messages between a node and its host, through the injection buffer of the node. */
#include "ctrl.h"
#include "node_port.h"
#include "message_buffer.h"
#include "tdma.h"

/* A host on a board may have no room. */
static __attribute__((noinline)) void wait_for_room(void)
{
    while (port_read(PORT_HOST_STATUS) & HOST_CROWDED)
        tdma_next_phase();
}

/* The name of this function distinguishes programs from routers, so it must not be inlined. */
__attribute__((noinline)) int ctrl_send(const void *buf, unsigned len)
{
    wait_for_room();
    if (message_buffer_put(0, 1, buf, len))
        return -1;
    port_write(PORT_MOVE, MOVE_DELIVERED);
    return 0;
}

int ctrl_recv(void *buf, unsigned max)
{
    unsigned injection = message_buffer_injection();
    if (!(port_read(PORT_HOST_STATUS) & HOST_OFFERS) || port_read(PORT_RX_STATUS) >> injection & 1)
        return -1;
    port_write(PORT_MOVE, MOVE_TAKE);
    port_write(PORT_DIM_SELECT, injection);
    uint32_t word = port_read(PORT_RX_DATA);
    if (word & HOST_END)
        word = 0;
    return message_buffer_get(injection, word, 1, buf, max);
}

int ctrl_wait(void *buf, unsigned max)
{
    int len;
    while ((len = ctrl_recv(buf, max)) < 0)
        tdma_next_phase();
    return len;
}

void ctrl_exit(int code)
{
    uint8_t byte = (uint8_t)code;
    wait_for_room();
    message_buffer_put(HOST_END, 1, &byte, 1);
    port_write(PORT_MOVE, MOVE_DELIVERED);
    for (;;)
        tdma_next_phase();
}
