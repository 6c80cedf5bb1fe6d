/* Builds a reply from its beginning. */
#include "reply.h"
#include "host_state.h"

/* Kind of a rejection. */
#define ERROR 255

void reply_begin(frame *into, unsigned kind, unsigned sequence)
{
    host.reply = into;
    into->length = FRAME_HEADER;
    into->version = FRAME_VERSION;
    into->kind = (uint8_t)kind;
    into->sequence = (uint16_t)sequence;
}

__attribute__((noinline)) void reply_byte(unsigned byte)
{
    frame *reply = host.reply;
    if (reply->length < FRAME_HEADER + FRAME_PAYLOAD)
        reply->bytes[reply->length++] = (uint8_t)byte;
}

void reply_word(uint32_t word)
{
    for (int i = 0; i < 4; i++, word >>= 8)
        reply_byte(word);
}

void reply_bytes(const volatile uint8_t *bytes, unsigned length)
{
    while (length--)
        reply_byte(*bytes++);
}

static __attribute__((noinline)) void reply_text(const char *text)
{
    while (*text)
        reply_byte((uint8_t)*text++);
}

int reject(const char *text)
{
    host.reply->length = FRAME_HEADER;
    host.reply->kind = ERROR;
    reply_byte((uint8_t)*text++);
    reply_text("accepted: ");
    reply_text(text);
    return 0;
}
