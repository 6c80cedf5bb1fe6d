/* Link between a node and its host: whole messages, not routed.
 *
 * A message to or from the host passes through the injection buffer, from which the node sends.
 * Both calls wait while a message of tdma_send or tdma_route is in this buffer. */
#ifndef CTRL_H
#define CTRL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sends a message to the host. Returns 0, or -1 if the message is too long or empty. */
int ctrl_send(const void *buf, unsigned len);

/* Takes a message from the host without waiting. Returns its length, or -1 if there is none. The
 * rest of a message longer than `max` is dropped. Returns 0, now and in later calls, if the host
 * has ended its messages. */
int ctrl_recv(void *buf, unsigned max);

/* Extensions of the published calls. */

/* Takes a message from the host, and routes until there is one. Returns its length, or 0 if the
 * host has ended its messages. */
int ctrl_wait(void *buf, unsigned max);

/* Reports the end of the program to the host, with a code of 0 to 255; 0 means success. Never
 * returns: from then on the node only routes. Returning from main has the same effect. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void ctrl_exit(int code);

/* Prints text at the host: ctrl_print("x = %d, y = %f\n", x, y). The format is a string literal and
 * stays in the program's ELF file. Only a number for it and the arguments are sent, a message of six
 * bytes each, so the machine must be built for payloads of at least 4 bytes. Up to eight arguments,
 * integers of up to 32 bits or floats. Conversions: d i u x X o c f e g, with flags, width and
 * precision. */
#define ctrl_print(...) \
    CTRL_JOIN(CTRL_PRINT_, CTRL_COUNT(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0))(__VA_ARGS__)

/* For internal use by ctrl_print. */
void ctrl_print_words(const char *format, const uint32_t *words, unsigned count);
#define CTRL_JOIN(a, b) CTRL_JOINED(a, b)
#define CTRL_JOINED(a, b) a##b
#define CTRL_COUNT(f, a, b, c, d, e, g, h, i, n, ...) n
#define CTRL_PRINT(f, n, ...) \
    do { \
        static const char ctrl_format[] __attribute__((section(".ctrl_formats"), used)) = f; \
        const uint32_t ctrl_words[] = {__VA_ARGS__}; \
        ctrl_print_words(ctrl_format, ctrl_words, n); \
    } while (0)
#define CTRL_W(x) ctrl_word(x)
#define CTRL_PRINT_0(f) CTRL_PRINT(f, 0, 0)
#define CTRL_PRINT_1(f, a) CTRL_PRINT(f, 1, CTRL_W(a))
#define CTRL_PRINT_2(f, a, b) CTRL_PRINT(f, 2, CTRL_W(a), CTRL_W(b))
#define CTRL_PRINT_3(f, a, b, c) CTRL_PRINT(f, 3, CTRL_W(a), CTRL_W(b), CTRL_W(c))
#define CTRL_PRINT_4(f, a, b, c, d) CTRL_PRINT(f, 4, CTRL_W(a), CTRL_W(b), CTRL_W(c), CTRL_W(d))
#define CTRL_PRINT_5(f, a, b, c, d, e) \
    CTRL_PRINT(f, 5, CTRL_W(a), CTRL_W(b), CTRL_W(c), CTRL_W(d), CTRL_W(e))
#define CTRL_PRINT_6(f, a, b, c, d, e, g) \
    CTRL_PRINT(f, 6, CTRL_W(a), CTRL_W(b), CTRL_W(c), CTRL_W(d), CTRL_W(e), CTRL_W(g))
#define CTRL_PRINT_7(f, a, b, c, d, e, g, h) \
    CTRL_PRINT(f, 7, CTRL_W(a), CTRL_W(b), CTRL_W(c), CTRL_W(d), CTRL_W(e), CTRL_W(g), CTRL_W(h))
#define CTRL_PRINT_8(f, a, b, c, d, e, g, h, i) \
    CTRL_PRINT(f, 8, CTRL_W(a), CTRL_W(b), CTRL_W(c), CTRL_W(d), CTRL_W(e), CTRL_W(g), CTRL_W(h), \
               CTRL_W(i))

static inline uint32_t ctrl_word_of_float(float value)
{
    union {
        float value;
        uint32_t word;
    } bits = {value};
    return bits.word;
}

#ifdef __cplusplus
}

static inline uint32_t ctrl_word(float value)
{
    return ctrl_word_of_float(value);
}
static inline uint32_t ctrl_word(double value)
{
    return ctrl_word_of_float((float)value);
}
template <typename T> static inline uint32_t ctrl_word(T value)
{
    return (uint32_t)value;
}
#else
static inline uint32_t ctrl_word_of_double(double value)
{
    return ctrl_word_of_float((float)value);
}
static inline uint32_t ctrl_word_of_integer(uint32_t value)
{
    return value;
}
#define ctrl_word(x) \
    _Generic((x), float: ctrl_word_of_float, double: ctrl_word_of_double, \
        default: ctrl_word_of_integer)(x)
#endif

#endif
