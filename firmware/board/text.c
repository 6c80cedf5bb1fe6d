/* Text on the serial line to the PC, by characters and lines. */
#include "text.h"
#include "host_port.h"
#include "random.h"

static __attribute__((noinline)) void put(char letter)
{
    while (!(host_read(HOST_STATUS) & STATUS_SENDS))
        host_idle();
    host_write(HOST_SERIAL, (uint8_t)letter);
}

void text_put(const char *text)
{
    while (*text)
        put(*text++);
}

void text_digits(uint32_t value, unsigned digits)
{
    while (digits--)
        put("0123456789abcdef"[value >> 4 * digits & 15]);
}

static void key(const char *name)
{
    put(' ');
    text_put(name);
    put('=');
}

void text_hex(const char *name, uint32_t value, unsigned digits)
{
    key(name);
    text_put("0x");
    text_digits(value, digits);
}

void text_number(const char *name, unsigned value)
{
    static const uint32_t tens[] = {10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    key(name);
    unsigned begun = 0;
    for (const uint32_t *ten = tens; ten < tens + 8; ten++) {
        char digit = '0';
        for (; value >= *ten; value -= *ten)
            digit++;
        begun |= digit != '0' || *ten == 1;
        if (begun)
            put(digit);
    }
}

int read_number(const char *text, uint64_t *value)
{
    unsigned base = 10;
    uint64_t sum = 0;
    if (text[0] == '0' && text[1] == 'x') {
        base = 16;
        text += 2;
    }
    do {
        unsigned digit = (unsigned)*text - '0';
        if (digit > 9) {
            digit = ((unsigned)*text | 32) - 'a' + 10;
            digit |= -(digit < 10);
        }
        if (digit >= base)
            return 0;
        sum = random_times(sum, base) + digit;
    } while (*++text);
    *value = sum;
    return 1;
}

void text_line(char *line, unsigned size)
{
    unsigned length = 0;
    for (;;) {
        while (!(host_read(HOST_STATUS) & STATUS_RECEIVED))
            host_wait();
        char letter = (char)host_read(HOST_SERIAL);
        if (letter == '\n' || letter == '\r') {
            if (!length)
                continue;
            line[length] = 0;
            return;
        }
        if (length + 1 < size)
            line[length++] = letter;
    }
}
