/* Runtime of StarC on a PC: all processors in one process, without a network. For star.h only.
 *
 *     cc -DSTAR_SIM -DSTAR_DIMENSIONS=4 -I firmware/starc program.c -o program
 *     ./program input.csv > output.csv
 *
 * A processor runs until its next exchange. When all have arrived there, the values are computed
 * from the definition of each call. Then all continue. A processor has a stack and a copy of the
 * program's variables of its own. The files have the form of `phasecube run --data` and `--results`:
 * a node and its values in each line. Needs glibc or another C library with ucontext.h, and a linker
 * for ELF. */
#ifndef STAR_SIM_H
#define STAR_SIM_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* Variables that every processor has are in a section, which is exchanged with the processor. */
#define STAR_LOCAL __attribute__((section("star_data")))
extern uint8_t star_data_begin[] __asm__("__start_star_data") __attribute__((weak));
extern uint8_t star_data_end[] __asm__("__stop_star_data") __attribute__((weak));

#define STAR_STACK 65536

typedef struct {
    uint32_t *words;
    size_t count, room;
} star_words;

typedef struct {
    ucontext_t context;
    uint8_t *data;
    int has_ended;
    int code;
    uint8_t led;
    /* Exchange that has started, and a copy of it while the processor waits. */
    star_ex_t *started, exchange;
    /* Its values: what the processor sends, then its results. */
    uint8_t values[STAR_OPERATIONS][STAR_MAX_PAYLOAD];
    star_words given, returned;
    size_t taken;
} star_processor;

static star_processor star_processors[STAR_PROCESSORS];
static int star_current;
static ucontext_t star_scheduler;
static unsigned star_rounds;

static int star_pid(void)
{
    return star_current;
}

STAR_MAYBE_UNUSED unsigned star_news_dimension(unsigned direction)
{
    return star_find_news(direction);
}

static void star_leave(void)
{
    swapcontext(&star_processors[star_current].context, &star_scheduler);
}

static void star_fail(int code)
{
    star_processor *own = &star_processors[star_current];
    own->code = code;
    own->has_ended = 1;
    star_leave();
    abort();
}

STAR_MAYBE_UNUSED void star_ex_start(star_ex_t *ex)
{
    star_processor *own = &star_processors[star_current];
    for (unsigned i = 0; i < ex->count; i++)
        memcpy(own->values[i], ex->operations[i].value, ex->operations[i].size);
    own->started = ex;
}

STAR_MAYBE_UNUSED void star_ex_wait(void)
{
    star_processor *own = &star_processors[star_current];
    star_ex_t *ex = own->started;
    if (!ex)
        return;
    own->started = NULL;
    own->exchange = *ex;
    star_leave();
    for (unsigned i = 0; i < ex->count; i++)
        memcpy(ex->operations[i].result, own->values[i], ex->operations[i].size);
}

STAR_MAYBE_UNUSED void star_ex_execute(star_ex_t *ex)
{
    star_ex_start(ex);
    star_ex_wait();
}

STAR_MAYBE_UNUSED void star_barrier(void)
{
    star_ex_t ex;
    star_ex_begin(&ex);
    star_ex_execute(&ex);
}

/* Address of the neighbour in a direction, by the definition of the grid. */
static int star_news_neighbour(int pid, int direction)
{
    unsigned columns = 1u << STAR_COLUMN_BITS, rows = 1u << STAR_ROW_BITS;
    unsigned row = star_of_gray((unsigned)pid / columns);
    unsigned column = star_of_gray((unsigned)pid % columns);
    row = (row + rows + (direction == SOUTH) - (direction == NORTH)) % rows;
    column = (column + columns + (direction == EAST) - (direction == WEST)) % columns;
    return (int)((row ^ row >> 1) * columns + (column ^ column >> 1));
}

typedef union {
    uint8_t bytes[STAR_MAX_PAYLOAD];
    uint64_t align;
} star_value;

/* Computes one operation of an exchange for all processors. */
static void star_compute(unsigned number)
{
    static star_value values[STAR_PROCESSORS], results[STAR_PROCESSORS], next[STAR_PROCESSORS];
    const star_operation *first = &star_processors[0].exchange.operations[number];
    for (int pid = 0; pid < STAR_PROCESSORS; pid++) {
        const star_operation *own = &star_processors[pid].exchange.operations[number];
        if (own->kind != first->kind || own->size != first->size) {
            fprintf(stderr, "processors 0 and %d are in different exchanges\n", pid);
            exit(1);
        }
        memcpy(values[pid].bytes, star_processors[pid].values[number], own->size);
        results[pid] = values[pid];
        if (first->kind == STAR_SCAN && first->exclusive)
            own->combine(results[pid].bytes, NULL);
    }
    for (int pid = 0; pid < STAR_PROCESSORS; pid++) {
        const star_operation *own = &star_processors[pid].exchange.operations[number];
        if (first->kind == STAR_BROADCAST)
            results[pid] = values[pid ^ own->differ];
        else if (first->kind == STAR_NEIGHBOUR && own->exclusive)
            results[pid] = values[star_news_neighbour(pid, own->differ)];
        else if (first->kind == STAR_NEIGHBOUR)
            results[pid] = values[pid ^ 1 << own->receive];
    }
    if (first->combine) {
        /* Dimension 0 first, as on the nodes, so that sums of float are equal. */
        for (int dim = 0; dim < STAR_DIMENSIONS; dim++) {
            for (int pid = 0; pid < STAR_PROCESSORS; pid++) {
                star_value *other = &values[pid ^ 1 << dim];
                next[pid] = values[pid];
                first->combine(next[pid].bytes, other->bytes);
                if (first->kind == STAR_SCAN && pid >> dim & 1)
                    first->combine(results[pid].bytes, other->bytes);
            }
            memcpy(values, next, sizeof values);
        }
        if (first->kind == STAR_REDUCE)
            memcpy(results, values, sizeof results);
    }
    for (int pid = 0; pid < STAR_PROCESSORS; pid++)
        memcpy(star_processors[pid].values[number], results[pid].bytes, first->size);
}

static void star_push(star_words *list, uint32_t word)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 4;
        list->words = realloc(list->words, list->room * sizeof word);
        if (!list->words)
            abort();
    }
    list->words[list->count++] = word;
}

STAR_MAYBE_UNUSED void star_load(void *values, size_t count, size_t size)
{
    star_processor *own = &star_processors[star_current];
    uint8_t *to = values;
    for (; count; count--, to += size) {
        for (size_t done = 0; done < size; done += 4) {
            uint32_t word = own->taken < own->given.count ? own->given.words[own->taken++] : 0;
            memcpy(to + done, &word, size - done < 4 ? size - done : 4);
        }
    }
}

STAR_MAYBE_UNUSED void star_store(const void *values, size_t count, size_t size, int is_signed)
{
    const uint8_t *from = values;
    for (; count; count--, from += size) {
        for (size_t done = 0; done < size; done += 4) {
            uint32_t word = is_signed && from[size - 1] >> 7 ? UINT32_MAX : 0;
            memcpy(&word, from + done, size - done < 4 ? size - done : 4);
            star_push(&star_processors[star_current].returned, word);
        }
    }
}

STAR_MAYBE_UNUSED void led_set(uint8_t brightness)
{
    star_processors[star_current].led = brightness;
}

STAR_MAYBE_UNUSED uint8_t led_get(void)
{
    return star_processors[star_current].led;
}

/* Nothing is damaged. */
STAR_MAYBE_UNUSED int star_crc_errors(int dim)
{
    (void)dim;
    return 0;
}

STAR_MAYBE_UNUSED void star_clear_errors(void)
{
}

__attribute__((format(printf, 1, 2))) STAR_MAYBE_UNUSED void host_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!star_current)
        vfprintf(stderr, format, arguments);
    va_end(arguments);
}

static void star_run_main(void)
{
#ifdef STAR_MAIN_RETURNS
    star_fail(star_main());
#else
    star_main();
    star_fail(0);
#endif
}

/* Reads lines `node,value,value`. `*` is every processor without a line of its own. */
static void star_read(const char *path)
{
    FILE *file = fopen(path, "r");
    static char line[1 << 16];
    star_words others = {0};
    if (!file) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "#\r\n")] = 0;
        char *at = line + strspn(line, " ");
        star_words *list = &others;
        if (*at == '*') {
            at++;
        } else {
            char *end;
            unsigned long node = strtoul(at, &end, 0);
            if (end == at || node >= STAR_PROCESSORS)
                continue; /* the header, or an empty line */
            list = &star_processors[node].given;
            at = end;
        }
        while ((at = strchr(at, ',')))
            star_push(list, (uint32_t)strtoll(++at, NULL, 0));
    }
    fclose(file);
    for (int pid = 0; pid < STAR_PROCESSORS; pid++)
        if (!star_processors[pid].given.count)
            star_processors[pid].given = others;
}

/* Lets every processor run until its next exchange or its end. Returns how many have not ended. */
static int star_round(size_t data)
{
    int waiting = 0;
    for (star_current = 0; star_current < STAR_PROCESSORS; star_current++) {
        star_processor *own = &star_processors[star_current];
        if (own->has_ended)
            continue;
        if (data)
            memcpy(star_data_begin, own->data, data);
        swapcontext(&star_scheduler, &own->context);
        if (data)
            memcpy(own->data, star_data_begin, data);
        waiting += !own->has_ended;
    }
    return waiting;
}

int main(int count, char **arguments)
{
    size_t data = (size_t)(star_data_end - star_data_begin);
    if (count > 1)
        star_read(arguments[1]);
    for (int pid = 0; pid < STAR_PROCESSORS; pid++) {
        star_processor *own = &star_processors[pid];
        own->data = malloc(data + 1);
        if (data)
            memcpy(own->data, star_data_begin, data);
        getcontext(&own->context);
        own->context.uc_stack.ss_sp = malloc(STAR_STACK);
        own->context.uc_stack.ss_size = STAR_STACK;
        if (!own->data || !own->context.uc_stack.ss_sp)
            abort();
        makecontext(&own->context, star_run_main, 0);
    }
    for (int waiting; (waiting = star_round(data)); star_rounds++) {
        if (waiting != STAR_PROCESSORS) {
            fprintf(stderr, "%d of %d processors are in an exchange\n", waiting, STAR_PROCESSORS);
            return 1;
        }
        for (unsigned number = 0; number < star_processors[0].exchange.count; number++)
            star_compute(number);
    }
    int code = 0;
    for (int pid = 0; pid < STAR_PROCESSORS; pid++) {
        printf("0x%x", pid);
        for (size_t i = 0; i < star_processors[pid].returned.count; i++)
            printf(",%d", (int)star_processors[pid].returned.words[i]);
        printf("\n");
        code = code ? code : star_processors[pid].code;
    }
    fprintf(stderr, "%u exchanges\n", star_rounds);
    return code;
}

#endif
