/* Program of the nodes on a board with a network of bytes. Each node sends the messages of its
 * queue and delivers received messages to the host. */
#include "host_port.h"
#include "net.h"
#include "net_port.h"

/* Message in the host's format: its length, the destination low byte first, the payload. */
typedef union {
    uint32_t words[3];
    uint8_t bytes[12];
} message;

/* Writes a received message into the ring. An invalid message gets an invalid length. */
static void deliver(message *came, int length, unsigned node)
{
    uint32_t status;
    do
        status = net_port_read(NET_RING);
    while (!(status & NET_ROOM));
    volatile host_message *entry = net_ring + (status >> NET_RING_SHIFT & (HOST_RING - 1));
    came->bytes[0] = (uint8_t)(2 + length);
    came->bytes[1] = (uint8_t)node;
    came->bytes[2] = 0;
    for (unsigned i = 0; i < 3; i++)
        entry->words[i] = came->words[i];
    entry->mark = NET_DELIVERED | node;
}

int main(void)
{
    unsigned node = net_port_read(NET_STATUS) >> NET_NODE_SHIFT & (HOST_NODES - 1);
    unsigned sending = 0;
    net_init(node);
    for (;;) {
        net_port_wait();
        uint32_t status = net_port_read(NET_STATUS);
        if (!sending && status & NET_OFFERED) {
            const uint8_t *queued =
                (const uint8_t *)(net_queue + (status >> NET_SLOT_SHIFT & (HOST_SLOTS - 1)));
            sending = !net_send(queued[1], queued + 3, queued[0] - 2);
        }
        message came;
        int length = net_recv(came.bytes + 3, NET_PAYLOAD);
        if (length != -1)
            deliver(&came, length, node);
        if (sending && !net_sending()) {
            sending = 0;
            net_port_write(NET_RING, 0);
        }
    }
}
