/* Copies messages into message buffers and out of them, word by word. */
#include "message_buffer.h"
#include "background.h"
#include "node_port.h"
#include "tdma.h"

int message_buffer_put(uint32_t header, unsigned bytes, const uint8_t *payload, unsigned len)
{
    unsigned injection = message_buffer_injection();
    uint32_t longest = port_read(PORT_DIMENSIONS) >> DIMENSIONS_PAYLOAD_SHIFT & DIMENSIONS_PAYLOAD;
    uint32_t length = bytes - 1 + len;
    if (!length || length > longest)
        return -1;
    background_take(injection);
    while (port_read(PORT_RX_STATUS) >> injection & 1) {
        background_return();
        tdma_next_phase();
        background_take(injection);
    }
    uint32_t select = injection;
    port_write(PORT_DIM_SELECT, select);
    uint32_t word = header | length;
    unsigned shift = 8 * bytes;
    for (;;) {
        if (!len || shift == 32) {
            background_hold();
            if (background_on)
                port_write(PORT_DIM_SELECT, select);
            port_write(PORT_TX_DATA, word);
            background_continue();
            select += SELECT_NEXT_WORD;
            if (!len)
                return 0;
            word = 0;
            shift = 0;
        }
        word |= (uint32_t)*payload++ << shift;
        shift += 8;
        len--;
    }
}

int message_buffer_get(unsigned buffer, uint32_t word, unsigned header, uint8_t *buf, unsigned max)
{
    unsigned length = (word & WORD_LENGTH) + 1 - header;
    unsigned left = 4 - header;
    uint32_t select = buffer;
    word >>= 8 * header;
    for (unsigned i = 0; i < length && i < max; i++, left--, word >>= 8) {
        if (!left) {
            select += SELECT_NEXT_WORD;
            word = background_on ? background_read(select) : port_read(PORT_RX_DATA);
            left = 4;
        }
        buf[i] = (uint8_t)word;
    }
    port_write(PORT_FULL, buffer);
    return (int)length;
}
