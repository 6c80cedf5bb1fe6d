/* Runtime of StarC programs (docs/starc.md). `phasecube starc` translates a program to C that
 * includes this file and calls the functions here.
 *
 * All processors call the same functions with the same arguments, except their own values. An
 * exchange collects its communication first, and then executes it in ascending dimensions in one
 * superframe.
 *
 * On a node the runtime uses tdma.h and ctrl.h (star_node.h). With -DSTAR_SIM it runs all
 * processors on a PC, without a network (star_sim.h). */
#ifndef STAR_H
#define STAR_H

#include <stddef.h>
#include <stdint.h>

/* Machine that the program is translated for. */
#ifndef STAR_DIMENSIONS
#define STAR_DIMENSIONS 12
#endif
#define STAR_PROCESSORS (1 << STAR_DIMENSIONS)
#define STAR_PHASES (2 * STAR_DIMENSIONS)
#define STAR_MAX_PAYLOAD 80

/* The columns of the grid are the lower half of the address bits, in Gray code. */
#define STAR_COLUMN_BITS (STAR_DIMENSIONS / 2)
#define STAR_ROW_BITS (STAR_DIMENSIONS - STAR_COLUMN_BITS)
#define STAR_GRID_SIZE (1 << STAR_ROW_BITS)

/* Most calls in one exchange. */
#ifndef STAR_OPERATIONS
#define STAR_OPERATIONS 24
#endif

enum { NORTH, EAST, SOUTH, WEST };

/* Exit codes of the runtime. */
enum {
    STAR_EXIT_CAPACITY = 70, /* an exchange exceeds a superframe, or the payload of the machine */
    STAR_EXIT_MACHINE = 71,  /* translated for another number of dimensions, or other links */
    STAR_EXIT_DIMENSION = 72 /* nbr() across a dimension that does not exist */
};

/* Combines two values. Without `other`, stores the identity: 0, or the least or greatest value. */
typedef void (*star_combiner)(void *into, const void *other);

enum { STAR_NEIGHBOUR, STAR_REDUCE, STAR_SCAN, STAR_BROADCAST };

/* No dimension. */
#define STAR_NOWHERE 255u

/* One communication. */
typedef struct {
    uint8_t kind;
    uint8_t size;
    /* Dimensions across which a neighbour's value is sent and received. */
    uint8_t send, receive;
    /* Address of the processor xor the address of the source of a broadcast, or direction of news. */
    uint16_t differ;
    /* Exclusive scan, or news. */
    uint8_t exclusive;
    void *result;
    const void *value;
    star_combiner combine;
#ifndef STAR_WITHOUT_SCAN
    /* Combination of a growing block of processors. */
    uint64_t total;
#endif
} star_operation;

typedef struct {
    unsigned count;
    star_operation operations[STAR_OPERATIONS];
#ifndef STAR_WITHOUT_OVERLAP
    /* Room for the frames of an exchange that overlaps with computation, or NULL. */
    uint32_t *frames;
#endif
} star_ex_t;

/* Words of `frames` for a value of a number of bytes. */
#define STAR_FRAME_WORDS(size) (((size) + 3) / 4 + 1)

/* Functions of star_node.h or star_sim.h. */
static int star_pid(void);
static unsigned star_news_dimension(unsigned direction);
__attribute__((noreturn)) static void star_fail(int code);

#define STAR_MAYBE_UNUSED __attribute__((unused)) static

/* Position in the grid. */
STAR_MAYBE_UNUSED unsigned star_of_gray(unsigned code)
{
    for (unsigned shift = 8; shift; shift >>= 1)
        code ^= code >> shift;
    return code;
}

STAR_MAYBE_UNUSED int star_coord(int dim)
{
    return star_pid() >> dim & 1;
}

STAR_MAYBE_UNUSED int star_grid_row(void)
{
    return (int)star_of_gray((unsigned)star_pid() >> STAR_COLUMN_BITS);
}

STAR_MAYBE_UNUSED int star_grid_col(void)
{
    return (int)star_of_gray((unsigned)star_pid() & ((1u << STAR_COLUMN_BITS) - 1));
}

/* Returns the dimension of the step from a position in a ring of 2^bits, forwards or backwards.
 * Codes of adjacent positions differ in one bit. Returns STAR_NOWHERE in a ring of one. */
STAR_MAYBE_UNUSED unsigned star_ring_step(unsigned code, unsigned bits, int forwards)
{
    if (!bits)
        return STAR_NOWHERE;
    /* The step from an even position forwards, or from an odd one backwards, inverts bit 0. The
     * other step inverts the bit above the lowest 1, or the last bit. */
    unsigned odd = star_of_gray(code) & 1;
    if (odd != (unsigned)forwards)
        return 0;
    unsigned dim = 0;
    while (dim + 1 < bits)
        if (code >> dim++ & 1)
            break;
    return dim;
}

/* Returns the dimension across which the neighbour in a direction is. */
STAR_MAYBE_UNUSED unsigned star_find_news(unsigned direction)
{
    unsigned here = (unsigned)star_pid();
    int forwards = direction == SOUTH || direction == EAST;
    if (direction == EAST || direction == WEST)
        return star_ring_step(here & ((1u << STAR_COLUMN_BITS) - 1), STAR_COLUMN_BITS, forwards);
    unsigned dim = star_ring_step(here >> STAR_COLUMN_BITS, STAR_ROW_BITS, forwards);
    return dim + STAR_COLUMN_BITS;
}

/* Operations for each type: star_sum_int and so on. */
#define STAR_DEFINE(name, type, wide, least, most)                                                 \
    STAR_MAYBE_UNUSED void star_sum_##name(void *into, const void *other)                          \
    {                                                                                              \
        type *a = into;                                                                            \
        *a = other ? (type)((wide)*a + (wide) * (const type *)other) : 0;                          \
    }                                                                                              \
    STAR_MAYBE_UNUSED void star_min_##name(void *into, const void *other)                          \
    {                                                                                              \
        type *a = into, b = other ? *(const type *)other : most;                                   \
        if (!other || b < *a)                                                                      \
            *a = b;                                                                                \
    }                                                                                              \
    STAR_MAYBE_UNUSED void star_max_##name(void *into, const void *other)                          \
    {                                                                                              \
        type *a = into, b = other ? *(const type *)other : least;                                  \
        if (!other || b > *a)                                                                      \
            *a = b;                                                                                \
    }

#define STAR_DEFINE_INTEGER(name, type, wide, least, most)                                         \
    STAR_DEFINE(name, type, wide, least, most)                                                     \
    STAR_MAYBE_UNUSED void star_and_##name(void *into, const void *other)                          \
    {                                                                                              \
        type *a = into;                                                                            \
        *a = other ? (type)(*a & *(const type *)other) : (type)~(type)0;                           \
    }                                                                                              \
    STAR_MAYBE_UNUSED void star_or_##name(void *into, const void *other)                           \
    {                                                                                              \
        type *a = into;                                                                            \
        *a = other ? (type)(*a | *(const type *)other) : 0;                                        \
    }

#define STAR_INTEGERS(X)                                                                           \
    X(schar, signed char, unsigned, INT8_MIN, INT8_MAX)                                            \
    X(uchar, unsigned char, unsigned, 0, UINT8_MAX)                                                \
    X(char, char, unsigned, (char)-1 < 0 ? INT8_MIN : 0, (char)-1 < 0 ? INT8_MAX : (char)-1)       \
    X(short, short, unsigned, INT16_MIN, INT16_MAX)                                                \
    X(ushort, unsigned short, unsigned, 0, UINT16_MAX)                                             \
    X(int, int, unsigned, INT32_MIN, INT32_MAX)                                                    \
    X(uint, unsigned, unsigned, 0, UINT32_MAX)                                                     \
    X(long, long, unsigned long, -__LONG_MAX__ - 1, __LONG_MAX__)                                  \
    X(ulong, unsigned long, unsigned long, 0, ~0ul)                                                \
    X(llong, long long, unsigned long long, INT64_MIN, INT64_MAX)                                  \
    X(ullong, unsigned long long, unsigned long long, 0, UINT64_MAX)
#define STAR_FLOATS(X)                                                                             \
    X(float, float, float, -__builtin_inff(), __builtin_inff())                                    \
    X(double, double, double, -__builtin_inf(), __builtin_inf())

STAR_INTEGERS(STAR_DEFINE_INTEGER)
STAR_FLOATS(STAR_DEFINE)

#define STAR_INTEGER_CASES(operation)                                                              \
    signed char: star_##operation##_schar, unsigned char: star_##operation##_uchar,                \
    char: star_##operation##_char, short: star_##operation##_short,                                \
    unsigned short: star_##operation##_ushort, int: star_##operation##_int,                        \
    unsigned: star_##operation##_uint, long: star_##operation##_long,                              \
    unsigned long: star_##operation##_ulong, long long: star_##operation##_llong,                  \
    unsigned long long: star_##operation##_ullong, _Bool: star_##operation##_uchar
#define STAR_CASES(operation)                                                                      \
    STAR_INTEGER_CASES(operation), float: star_##operation##_float,                                \
        double: star_##operation##_double

#define STAR_SUM_OF(x) _Generic((x), STAR_CASES(sum))
#define STAR_MIN_OF(x) _Generic((x), STAR_CASES(min))
#define STAR_MAX_OF(x) _Generic((x), STAR_CASES(max))
#define STAR_AND_OF(x) _Generic((x), STAR_INTEGER_CASES(and))
#define STAR_OR_OF(x) _Generic((x), STAR_INTEGER_CASES(or))

/* Begins an exchange. */
STAR_MAYBE_UNUSED void star_ex_begin(star_ex_t *ex)
{
    ex->count = 0;
#ifndef STAR_WITHOUT_OVERLAP
    ex->frames = NULL;
#endif
}

#ifndef STAR_WITHOUT_OVERLAP
/* Lets an exchange with neighbours overlap with computation. `frames` has room for the frames of all
 * its values. */
STAR_MAYBE_UNUSED void star_ex_overlap(star_ex_t *ex, uint32_t *frames)
{
    ex->frames = frames;
}
#endif

STAR_MAYBE_UNUSED star_operation *star_ex_add(star_ex_t *ex, unsigned kind, void *result,
                                              const void *value, size_t size)
{
    if (ex->count == STAR_OPERATIONS || size > STAR_MAX_PAYLOAD)
        star_fail(STAR_EXIT_CAPACITY);
    star_operation *operation = &ex->operations[ex->count++];
    operation->kind = (uint8_t)kind;
    operation->size = (uint8_t)size;
    operation->result = result;
    operation->value = value;
    operation->combine = NULL;
    operation->exclusive = 0;
    return operation;
}

/* Adds the value of the neighbour across a dimension. */
STAR_MAYBE_UNUSED void star_ex_nbr(star_ex_t *ex, int dim, void *result, const void *value,
                                   size_t size)
{
    if (dim < 0 || dim >= STAR_DIMENSIONS)
        star_fail(STAR_EXIT_DIMENSION);
    star_operation *operation = star_ex_add(ex, STAR_NEIGHBOUR, result, value, size);
    operation->send = operation->receive = (uint8_t)dim;
}

/* Adds the value of the neighbour in a direction of the grid. The node sends its own value in the
 * opposite direction. */
STAR_MAYBE_UNUSED void star_ex_news(star_ex_t *ex, int direction, void *result, const void *value,
                                    size_t size)
{
    star_operation *operation = star_ex_add(ex, STAR_NEIGHBOUR, result, value, size);
#ifdef STAR_SIM
    operation->differ = (uint16_t)direction;
    operation->exclusive = 1;
#endif
    operation->receive = (uint8_t)star_news_dimension((unsigned)direction);
    operation->send = (uint8_t)star_news_dimension((unsigned)direction ^ 2u);
}

STAR_MAYBE_UNUSED void star_ex_combine(star_ex_t *ex, unsigned kind, star_combiner combine,
                                       int exclusive, void *result, const void *value, size_t size)
{
    star_operation *operation = star_ex_add(ex, kind, result, value, size);
    operation->combine = combine;
    operation->exclusive = (uint8_t)exclusive;
}

/* Adds the combination of all processors' values. `operation` is STAR_SUM, STAR_MIN, STAR_MAX,
 * STAR_AND or STAR_OR. */
#define star_ex_reduce(ex, operation, result, value, size)                                         \
    star_ex_combine(ex, STAR_REDUCE, operation##_OF(*(value)), 0, result, value, size)

/* Adds the combination of the values of the processors before this one, and of this one unless
 * `exclusive`. */
#define star_ex_scan(ex, operation, exclusive, result, value, size)                                \
    star_ex_combine(ex, STAR_SCAN, operation##_OF(*(value)), exclusive, result, value, size)

/* Adds the value of one processor, on all processors. */
STAR_MAYBE_UNUSED void star_ex_broadcast(star_ex_t *ex, int source, void *result,
                                         const void *value, size_t size)
{
    star_operation *operation = star_ex_add(ex, STAR_BROADCAST, result, value, size);
    operation->differ = (uint16_t)(star_pid() ^ source);
}

/* Whether a value of a type is extended with its sign to 32 bits. */
#define STAR_IS_SIGNED(x)                                                                          \
    _Generic((x), signed char: 1, short: 1, char: (char)-1 < 0, default: 0)

/* Host input and output: values of 32 bits. A longer value takes several. */
#define load_from_host(values, count) star_load((values), (count), sizeof *(values))
#define store_to_host(values, count)                                                               \
    star_store((values), (count), sizeof *(values), STAR_IS_SIGNED(*(values)))

/* The machine sets the clock of the phases. */
STAR_MAYBE_UNUSED void star_set_phase_rate(int hz)
{
    (void)hz;
}

/* The translated `main`. */
#ifdef STAR_MAIN_RETURNS
int star_main();
#else
void star_main();
#endif

#ifdef STAR_SIM
#include "star_sim.h"
#else
#include "star_node.h"
#endif

#endif
