/* Runtime of StarC on a node, on the published calls of tdma.h and ctrl.h. For star.h only. */
#ifndef STAR_NODE_H
#define STAR_NODE_H

#include "ctrl.h"
#include "node_port.h"
#include "tdma.h"
#include <stdarg.h>

/* Each node has its own memory. */
#define STAR_LOCAL

static int star_pid(void)
{
    return tdma_strapped_address();
}

/* Dimensions of the four directions, found once. */
static uint8_t star_directions[4];

STAR_MAYBE_UNUSED unsigned star_news_dimension(unsigned direction)
{
    return star_directions[direction & 3];
}

static void star_fail(int code)
{
    ctrl_exit(code);
}

/* Copies words if all of them are aligned. */
static void star_copy(void *to, const void *from, unsigned size)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    const uint8_t *end = f + size;
    /* The usual case. */
    if (size == 4 && !(((uintptr_t)to | (uintptr_t)from) & 3)) {
        *(uint32_t *)to = *(const uint32_t *)from;
        return;
    }
    if (!(((uintptr_t)to | (uintptr_t)from | size) & 3)) {
        for (; f != end; f += 4, t += 4)
            *(uint32_t *)(void *)t = *(const uint32_t *)(const void *)f;
        return;
    }
    while (f != end)
        *t++ = *f++;
}

/* Returns the bytes that an operation sends across a dimension, or NULL. */
static const void *star_sent(const star_operation *operation, unsigned dim)
{
    (void)dim;
    switch (operation->kind) {
#if !defined(STAR_WITHOUT_NBR) || !defined(STAR_WITHOUT_NEWS)
    case STAR_NEIGHBOUR:
        return operation->send == dim ? operation->value : NULL;
#endif
#ifndef STAR_WITHOUT_SCAN
    case STAR_SCAN:
        return &operation->total;
#endif
#ifndef STAR_WITHOUT_BROADCAST
    case STAR_BROADCAST:
        return operation->differ >> dim ? NULL : operation->result;
#endif
    default:
        return operation->result;
    }
}

/* Returns whether an operation receives a value across a dimension. */
static int star_receives(const star_operation *operation, unsigned dim)
{
    (void)dim;
    switch (operation->kind) {
#if !defined(STAR_WITHOUT_NBR) || !defined(STAR_WITHOUT_NEWS)
    case STAR_NEIGHBOUR:
        return operation->receive == dim;
#endif
#ifndef STAR_WITHOUT_BROADCAST
    case STAR_BROADCAST:
        return operation->differ >> dim == 1;
#endif
    default:
        return 1;
    }
}

/* Takes a received value. */
static void star_take(star_operation *operation, unsigned dim, const uint8_t *bytes)
{
#if !defined(STAR_WITHOUT_REDUCE) || !defined(STAR_WITHOUT_SCAN)
    if (operation->combine) {
        uint64_t other;
        star_copy(&other, bytes, operation->size);
#ifndef STAR_WITHOUT_SCAN
        if (operation->kind == STAR_SCAN) {
            if (star_pid() >> dim & 1)
                operation->combine(operation->result, &other);
            operation->combine(&operation->total, &other);
            return;
        }
#endif
        operation->combine(operation->result, &other);
        return;
    }
#endif
    (void)dim;
    star_copy(operation->result, bytes, operation->size);
}

/* Stores the first result of an operation. */
static void star_begin(star_operation *operation)
{
    switch (operation->kind) {
#ifndef STAR_WITHOUT_SCAN
    case STAR_SCAN:
        star_copy(&operation->total, operation->value, operation->size);
        if (operation->exclusive) {
            operation->combine(operation->result, NULL);
            return;
        }
        break;
#endif
    case STAR_NEIGHBOUR:
        /* A ring of one processor. */
        if (operation->receive < STAR_DIMENSIONS)
            return;
        break;
#ifndef STAR_WITHOUT_BROADCAST
    case STAR_BROADCAST:
        if (operation->differ)
            return;
        break;
#endif
    default:
        break;
    }
    star_copy(operation->result, operation->value, operation->size);
}

/* Executes an exchange.
 *
 * The neighbours of a link build their frames from the same operations in the same order, so a frame
 * needs no description. The node whose address bit is 1 sends second. It waits until its frame is on
 * the link, as collective_exchange() does. */
STAR_MAYBE_UNUSED void star_ex_execute(star_ex_t *ex)
{
    union {
        uint32_t words[STAR_MAX_PAYLOAD / 4];
        uint8_t bytes[STAR_MAX_PAYLOAD];
    } frame;
    star_operation *end = ex->operations + ex->count;
    for (star_operation *operation = ex->operations; operation != end; operation++)
        star_begin(operation);
    for (unsigned dim = 0; dim < STAR_DIMENSIONS; dim++) {
        unsigned length = 0, expected = 0;
        for (star_operation *operation = ex->operations; operation != end; operation++) {
            const void *sent = star_sent(operation, dim);
            if (sent) {
                if (length + operation->size > STAR_MAX_PAYLOAD)
                    star_fail(STAR_EXIT_CAPACITY);
                star_copy(frame.bytes + length, sent, operation->size);
                length += operation->size;
            }
            expected |= (unsigned)star_receives(operation, dim);
        }
        if (length && tdma_send(dim, frame.bytes, length))
            star_fail(STAR_EXIT_CAPACITY);
        if (expected) {
            while (tdma_recv(dim, frame.bytes, sizeof frame) < 0)
                tdma_next_phase();
            const uint8_t *bytes = frame.bytes;
            for (star_operation *operation = ex->operations; operation != end; operation++) {
                if (star_receives(operation, dim)) {
                    star_take(operation, dim, bytes);
                    bytes += operation->size;
                }
            }
        }
        if (length && tdma_current_phase() == 2 * dim + 1)
            tdma_next_phase();
    }
}

/* Exchange that exchange_wait() ends. */
static star_ex_t *star_started;

STAR_MAYBE_UNUSED void star_ex_start(star_ex_t *ex)
{
    star_started = ex;
}

STAR_MAYBE_UNUSED void star_ex_wait(void)
{
    if (star_started)
        star_ex_execute(star_started);
    star_started = NULL;
}

/* Waits until all processors have called this function. */
STAR_MAYBE_UNUSED void star_barrier(void)
{
#ifndef STAR_WITHOUT_REDUCE
    uint8_t value = 0, result;
    star_ex_t ex;
    star_ex_begin(&ex);
    star_ex_reduce(&ex, STAR_OR, &result, &value, sizeof value);
    star_ex_execute(&ex);
#endif
}

STAR_MAYBE_UNUSED void star_load(void *values, size_t count, size_t size)
{
    uint8_t *to = values;
    for (; count; count--) {
        for (size_t done = 0; done < size; done += 4) {
            uint32_t word = 0;
            ctrl_wait(&word, sizeof word);
            star_copy(to + done, &word, size - done < 4 ? size - done : 4);
        }
        to += size;
    }
}

STAR_MAYBE_UNUSED void star_store(const void *values, size_t count, size_t size, int is_signed)
{
    const uint8_t *from = values;
    for (; count; count--) {
        for (size_t done = 0; done < size; done += 4) {
            size_t part = size - done < 4 ? size - done : 4;
            uint32_t word = is_signed && from[size - 1] >> 7 ? UINT32_MAX : 0;
            star_copy(&word, from + done, part);
            ctrl_send(&word, sizeof word);
        }
        from += size;
    }
}

/* Text on its way to the host, in messages as long as the machine permits. */
typedef struct {
    char bytes[64];
    unsigned length;
} star_text;

static void star_flush(star_text *text)
{
    if (text->length)
        ctrl_send(text->bytes, text->length);
    text->length = 0;
}

static void star_put(star_text *text, char c)
{
    unsigned longest = port_read(PORT_DIMENSIONS) >> DIMENSIONS_PAYLOAD_SHIFT & DIMENSIONS_PAYLOAD;
    text->bytes[text->length++] = c;
    if (text->length == sizeof text->bytes || text->length >= longest)
        star_flush(text);
}

static void star_put_number(star_text *text, unsigned number, unsigned base)
{
    char digits[11];
    unsigned length = 0;
    do
        digits[length++] = "0123456789abcdef"[number % base];
    while (number /= base);
    while (length)
        star_put(text, digits[--length]);
}

/* Prints text on the host, from processor 0. Accepts %d, %i, %u, %x, %c, %s and %%, with l for
 * long. */
STAR_MAYBE_UNUSED void host_printf(const char *format, ...)
{
    star_text text = {.length = 0};
    va_list arguments;
    if (star_pid())
        return;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%') {
            star_put(&text, *format);
            continue;
        }
        while (*++format == 'l')
            ;
        int number;
        switch (*format) {
        case 'd':
        case 'i':
            number = va_arg(arguments, int);
            if (number < 0)
                star_put(&text, '-');
            star_put_number(&text, number < 0 ? 0u - (unsigned)number : (unsigned)number, 10);
            break;
        case 'u':
            star_put_number(&text, va_arg(arguments, unsigned), 10);
            break;
        case 'x':
            star_put_number(&text, va_arg(arguments, unsigned), 16);
            break;
        case 'c':
            star_put(&text, (char)va_arg(arguments, int));
            break;
        case 's':
            for (const char *part = va_arg(arguments, const char *); *part; part++)
                star_put(&text, *part);
            break;
        default:
            star_put(&text, *format);
        }
    }
    va_end(arguments);
    star_flush(&text);
}

/* Brightness of the LED. */
static uint8_t star_led;

STAR_MAYBE_UNUSED void led_set(uint8_t brightness)
{
    star_led = brightness;
    tdma_led(brightness);
}

STAR_MAYBE_UNUSED uint8_t led_get(void)
{
    return star_led;
}

int main(void)
{
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    if (tdma_strapped_dims() != STAR_DIMENSIONS)
        star_fail(STAR_EXIT_MACHINE);
#ifndef STAR_WITHOUT_NEWS
    for (unsigned direction = 0; direction < 4; direction++)
        star_directions[direction] = (uint8_t)star_find_news(direction);
#endif
#ifdef STAR_MAIN_RETURNS
    return star_main();
#else
    star_main();
    return 0;
#endif
}

#endif
