/* Runtime of StarC on a node, on the published calls of tdma.h and ctrl.h. For star.h only. */
#ifndef STAR_NODE_H
#define STAR_NODE_H

#include "background.h"
#include "ctrl.h"
#include "message_buffer.h"
#include "node_port.h"
#include "tdma.h"

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

#ifdef STAR_RAW
#define STAR_ANSWERS 0u
static void star_raw_end(void);
#else
/* Links as in DIMENSIONS. */
#define STAR_ANSWERS DIMENSIONS_ACKED
#endif

static void star_fail(int code)
{
#ifdef STAR_RAW
    star_raw_end();
#endif
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

/* Exchanges that this processor has completed. The panel finds this variable by its name, and steps by
 * exchanges. */
volatile uint32_t star_exchanges;

/* Frame of an exchange, aligned for words. */
typedef union {
    uint32_t words[STAR_MAX_PAYLOAD / 4];
    uint8_t bytes[STAR_MAX_PAYLOAD];
} star_frame;

/* Values across each dimension that were set to 0, because their frame was damaged or the neighbour is
 * dead. */
static uint16_t star_errors[STAR_DIMENSIONS];

STAR_MAYBE_UNUSED int star_crc_errors(int dim)
{
    return star_errors[dim];
}

STAR_MAYBE_UNUSED void star_clear_errors(void)
{
    for (unsigned dim = 0; dim < STAR_DIMENSIONS; dim++)
        star_errors[dim] = 0;
}

/* Takes the values of the received frame of a dimension. */
static void star_take_frame(star_ex_t *ex, unsigned dim, const uint8_t *bytes)
{
    star_operation *end = ex->operations + ex->count;
    for (star_operation *operation = ex->operations; operation != end; operation++) {
        if (star_receives(operation, dim)) {
            star_take(operation, dim, bytes);
            bytes += operation->size;
        }
    }
}

/* Takes 0 for each value of a dimension, and counts the error. */
static __attribute__((noinline)) void star_take_nothing(star_ex_t *ex, unsigned dim)
{
    star_frame zeros = {{0}};
    star_errors[dim]++;
    star_take_frame(ex, dim, zeros.bytes);
}

#ifdef STAR_RAW
#include "star_raw.h"
#else

static void star_before_host(void)
{
}

/* Takes the values of the frame of a dimension. Returns 0 if it has not arrived. If the link is down,
 * because the neighbour is dead, the values are 0. The registers show the link in its own phases. */
static int star_receive(star_ex_t *ex, unsigned dim, star_frame *frame)
{
    if (tdma_recv(dim, frame->bytes, sizeof *frame) >= 0) {
        star_take_frame(ex, dim, frame->bytes);
        return 1;
    }
    uint32_t config = port_read(PORT_PHASE_CONFIG);
    if (!(config & CONFIG_DOWN) || (config & CONFIG_DIM) != dim)
        return 0;
    star_take_nothing(ex, dim);
    return 1;
}

/* Executes an exchange.
 *
 * The neighbours of a link build their frames from the same operations in the same order, so a frame
 * needs no description. The node whose address bit is 1 sends second. It waits until its frame is on
 * the link, as collective_exchange() does. */
STAR_MAYBE_UNUSED void star_ex_execute(star_ex_t *ex)
{
    star_frame frame;
    star_operation *end = ex->operations + ex->count;
    for (star_operation *operation = ex->operations; operation != end; operation++)
        star_begin(operation);
    for (unsigned dim = 0; dim < STAR_DIMENSIONS; dim++) {
        unsigned length = 0;
        int expected = 0;
        for (star_operation *operation = ex->operations; operation != end; operation++) {
            const void *sent = star_sent(operation, dim);
            if (sent) {
                if (length + operation->size > STAR_MAX_PAYLOAD)
                    star_fail(STAR_EXIT_CAPACITY);
                star_copy(frame.bytes + length, sent, operation->size);
                length += operation->size;
            }
            expected |= star_receives(operation, dim);
        }
        if (length && tdma_send(dim, frame.bytes, length))
            star_fail(STAR_EXIT_CAPACITY);
        while (expected && !star_receive(ex, dim, &frame))
            tdma_next_phase();
        if (length && tdma_current_phase() == 2 * dim + 1)
            tdma_next_phase();
    }
    star_exchanges++;
}

#endif

/* Exchange that exchange_wait() ends. */
static star_ex_t *star_started;

#ifndef STAR_WITHOUT_OVERLAP

/* Frames of the exchange that has started, as words of the injection buffer, in ascending
 * dimensions. Frame i ends before word star_frame_ends[i]. */
static const uint32_t *star_frames;
static uint16_t star_frame_ends[STAR_DIMENSIONS];
static unsigned star_frame_count, star_frame_next;
static volatile unsigned star_frames_left;

/* The network calls this function in each phase, on the second context of the core while the program
 * computes. When the injection buffer is free, the next frame goes there. */
void tdma_on_phase(void)
{
    unsigned injection = message_buffer_injection(), next = star_frame_next;
    if (!star_frames_left || background_taken || port_read(PORT_RX_STATUS) >> injection & 1)
        return;
    const uint32_t *word = star_frames + (next ? star_frame_ends[next - 1] : 0);
    const uint32_t *end = star_frames + star_frame_ends[next];
    port_write(PORT_DIM_SELECT, injection);
    do
        port_write(PORT_TX_DATA, *word++);
    while (word != end);
    port_write(PORT_FULL, FULL_SET | injection);
    star_frame_next = next + 1 == star_frame_count ? 0 : next + 1;
    star_frames_left--;
}

/* Writes the frame for a dimension, and returns its number of words: length, destination, values.
 * Returns 0 if nothing is sent there. */
static unsigned star_pack(const star_ex_t *ex, unsigned dim, uint32_t *words)
{
    uint8_t *bytes = (uint8_t *)words;
    unsigned longest = port_read(PORT_DIMENSIONS) >> DIMENSIONS_PAYLOAD_SHIFT & DIMENSIONS_PAYLOAD;
    unsigned neighbour = (unsigned)star_pid() ^ 1u << dim, length = 0;
    for (unsigned i = 0; i < ex->count; i++) {
        const star_operation *operation = &ex->operations[i];
        if (operation->send == dim) {
            star_copy(bytes + 3 + length, operation->value, operation->size);
            length += operation->size;
        }
    }
    if (!length)
        return 0;
    if (length + 2 > longest)
        star_fail(STAR_EXIT_CAPACITY);
    bytes[0] = (uint8_t)(length + 2);
    bytes[1] = (uint8_t)neighbour;
    bytes[2] = (uint8_t)(neighbour >> 8);
    return (3 + length + 3) / 4;
}

/* Starts an exchange with neighbours. The frames do not depend on each other, so the first one is
 * the frame of the next phase in which the node sends and has not decided. */
static void star_overlap(const star_ex_t *ex)
{
    unsigned count = 0, first = 0, end = 0;
    unsigned decided = (port_read(PORT_PHASE_CONFIG) & CONFIG_DECIDED) != 0;
    unsigned next = tdma_current_phase() + decided;
    for (unsigned dim = 0; dim < STAR_DIMENSIONS; dim++) {
        unsigned words = star_pack(ex, dim, ex->frames + end);
        if (!words)
            continue;
        end += words;
        star_frame_ends[count++] = (uint16_t)end;
        if (2 * dim + (unsigned)star_coord((int)dim) < next)
            first = count;
    }
    star_frames = ex->frames;
    star_frame_count = count;
    star_frame_next = first == count ? 0 : first;
    /* The frames are complete before the network sees their number. */
    __asm__ volatile("" ::: "memory");
    star_frames_left = count;
}

/* Waits until all frames have arrived, in any order, and all own frames have left. A frame that is
 * left would keep the first one of the next exchange from its phase. */
static void star_take_all(star_ex_t *ex)
{
    star_frame frame;
    uint32_t waiting = 0;
    for (unsigned i = 0; i < ex->count; i++) {
        star_begin(&ex->operations[i]);
        if (ex->operations[i].receive < STAR_DIMENSIONS)
            waiting |= 1u << ex->operations[i].receive;
    }
    for (;;) {
        for (unsigned dim = 0; waiting >> dim; dim++)
            if (waiting >> dim & 1 && star_receive(ex, dim, &frame))
                waiting &= ~(1u << dim);
        if (!waiting && !star_frames_left &&
            !(port_read(PORT_RX_STATUS) >> message_buffer_injection() & 1)) {
            star_exchanges++;
            return;
        }
        tdma_next_phase();
    }
}

#endif

STAR_MAYBE_UNUSED void star_ex_start(star_ex_t *ex)
{
    star_started = ex;
#ifndef STAR_WITHOUT_OVERLAP
    if (ex->frames)
        star_overlap(ex);
#endif
}

STAR_MAYBE_UNUSED void star_ex_wait(void)
{
    star_ex_t *ex = star_started;
    star_started = NULL;
    if (!ex)
        return;
#ifndef STAR_WITHOUT_OVERLAP
    if (ex->frames) {
        star_take_all(ex);
        return;
    }
#endif
    star_ex_execute(ex);
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
            star_before_host();
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
            star_before_host();
            ctrl_send(&word, sizeof word);
        }
        from += size;
    }
}

/* Sends a report of the runtime to the host, as ctrl.c does. ctrl_send() waits for room at the host. */
STAR_MAYBE_UNUSED void star_report(uint8_t kind, uint32_t word)
{
    uint8_t message[6] = {0xC5, kind};
    star_copy(message + 2, &word, sizeof word);
    star_before_host();
    ctrl_send(message, sizeof message);
}

/* Not 0 in host_printf(), which only processor 0 executes to its end. */
static int star_is_host_printf;

/* Replaces ctrl_print_words(). */
STAR_MAYBE_UNUSED void star_print_words(const char *format, const uint32_t *words, unsigned count)
{
    if (star_is_host_printf && star_pid())
        return;
    for (unsigned i = 0; i < count; i++)
        star_report(0xFC, words[i]);
    star_report(0xFD, (uint32_t)(uintptr_t)format);
}
#define ctrl_print_words star_print_words

/* Prints text on the host, from processor 0, as ctrl_print() does. The format is a string literal, and
 * the host fills the numbers in. All processors evaluate the arguments. */
#define host_printf(...)                                                                           \
    do {                                                                                           \
        star_is_host_printf = 1;                                                                   \
        ctrl_print(__VA_ARGS__);                                                                   \
        star_is_host_printf = 0;                                                                   \
    } while (0)

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
    if (tdma_strapped_dims() != STAR_DIMENSIONS ||
        (port_read(PORT_DIMENSIONS) & DIMENSIONS_ACKED) != STAR_ANSWERS)
        star_fail(STAR_EXIT_MACHINE);
#ifdef STAR_RAW
    star_raw_begin();
#endif
#if !defined(STAR_WITHOUT_OVERLAP) || (defined(STAR_RAW) && !defined(STAR_WITHOUT_BACKGROUND))
    tdma_background();
#endif
#ifndef STAR_WITHOUT_NEWS
    for (unsigned direction = 0; direction < 4; direction++)
        star_directions[direction] = (uint8_t)star_find_news(direction);
#endif
    int code = 0;
#ifdef STAR_MAIN_RETURNS
    code = star_main();
#else
    star_main();
#endif
#ifdef STAR_RAW
    star_raw_end();
#endif
    return code;
}

#endif
