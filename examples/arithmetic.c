/* Clock cycles of multiplication, division and floating-point numbers on the core of a node:
 *
 *     phasecube run --dims 1 --firmware examples/arithmetic.c --data none --memory 16K,1K --node 0
 *
 * With --multiply the core has instructions for multiplication and division. */

#include "ctrl.h"
#include "node_port.h"
#include "tdma.h"

static volatile int32_t a = -123456789, b = 54321, word;
static volatile int64_t product;
static volatile float x = 3.14159f, y = -271.828f, number;

/* Clock cycles since the phase began. */
static uint32_t now(void)
{
    return port_read(PORT_CYCLE_COUNTER);
}

/* Prints the clock cycles of an operation: those of a statement with it, less those of a statement with
 * the same loads and stores, whose own operation takes `known` clock cycles. */
#define MEASURE(name, result, with, without, known)                                                \
    do {                                                                                           \
        tdma_next_phase();                                                                         \
        result = without; /* The addresses are in registers from here on. */                       \
        uint32_t begin = now();                                                                    \
        result = without;                                                                          \
        uint32_t middle = now();                                                                   \
        result = with;                                                                             \
        uint32_t end = now();                                                                      \
        ctrl_print(name ": %d\n", (end - middle) - (middle - begin) + known);                      \
    } while (0)

int main(void)
{
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    MEASURE("addition", word, a + b, a ^ b, 4);
    MEASURE("multiplication", word, a * b, a ^ b, 4);
    MEASURE("multiplication, 64 bits", product, (int64_t)a * b, (uint32_t)(a ^ b), 4);
    MEASURE("division", word, a / b, a ^ b, 4);
    MEASURE("remainder", word, a % b, a ^ b, 4);
    MEASURE("float addition", number, x + y, (x, y), 0);
    MEASURE("float multiplication", number, x * y, (x, y), 0);
    MEASURE("float division", number, x / y, (x, y), 0);
    MEASURE("float of an integer", number, (float)a, x, 0);
    return 0;
}
