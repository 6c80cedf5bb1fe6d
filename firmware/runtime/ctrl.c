/* Messages between a node and its host, through the injection buffer of the node. */
#include "ctrl.h"
#include "background.h"
#include "node_port.h"
#include "message_buffer.h"
#include "tdma.h"

/* Reports of the runtime (crates/machine/src/programs.rs): a mark, the kind, and a word. */
enum { REPORT_MARK = 0xC5, REPORT_BYTES = 6 };
enum { REPORT_REFUSED = 0xFB, REPORT_ARGUMENT = 0xFC, REPORT_FORMAT = 0xFD };

/* A host on a board may have no room. */
static __attribute__((noinline)) void wait_for_room(void)
{
    while (port_read(PORT_HOST_STATUS) & HOST_CROWDED)
        tdma_next_phase();
}

/* Delivers the message in the injection buffer to the host. */
static inline void deliver(void)
{
    background_hold();
    if (background_on)
        port_write(PORT_DIM_SELECT, message_buffer_injection());
    port_write(PORT_MOVE, MOVE_DELIVERED);
    background_continue();
    background_return();
}

/* Sends a report to the host, a message that the program does not see. It is omitted if the machine
 * is built for shorter messages. */
static __attribute__((unused)) void report(uint8_t kind, uint32_t word)
{
    uint8_t message[REPORT_BYTES] = {REPORT_MARK, kind};
    for (unsigned i = 0; i < 4; i++, word >>= 8)
        message[2 + i] = (uint8_t)word;
    if (!message_buffer_put(0, 1, message, sizeof message))
        deliver();
}

/* The name of this function distinguishes programs from routers, so it must not be inlined. */
__attribute__((noinline)) int ctrl_send(const void *buf, unsigned len)
{
    wait_for_room();
    if (message_buffer_put(0, 1, buf, len)) {
#ifdef MAIN_RETURNS
        report(REPORT_REFUSED, len);
#endif
        return -1;
    }
    deliver();
    return 0;
}

void ctrl_print_words(const char *format, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        wait_for_room();
        report(REPORT_ARGUMENT, words[i]);
    }
    wait_for_room();
    report(REPORT_FORMAT, (uint32_t)(uintptr_t)format);
}

int ctrl_recv(void *buf, unsigned max)
{
    unsigned injection = message_buffer_injection();
    background_take(injection);
    if (!(port_read(PORT_HOST_STATUS) & HOST_OFFERS) ||
        port_read(PORT_RX_STATUS) >> injection & 1) {
        background_return();
        return -1;
    }
    port_write(PORT_MOVE, MOVE_TAKE);
    uint32_t word = background_read(injection);
    if (word & HOST_END)
        word = 0;
    int length = message_buffer_get(injection, word, 1, buf, max);
    background_return();
    return length;
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
    deliver();
    for (;;)
        tdma_next_phase();
}
