/* CoreMark on the bench on which cores are compared: the performance run, of 2,000
 * bytes of data. Between start_time and stop_time the bench counts clock cycles.
 *
 * The last word that is stored to CHECK is the CRC of the run, and above it FAILED
 * unless CoreMark found all its CRCs right; a store to DONE ends the run.
 */
#include "coremark.h"

#define DONE (*(volatile ee_u32 *)0x00800000u)
#define CHECK (*(volatile ee_u32 *)0x00800004u)
#define COUNTER (*(volatile ee_u32 *)0x00800008u)

#define FAILED 0x10000u

/* Seeds 1 to 3 of the performance run, the iterations, and which algorithms: all. */
volatile ee_s32 seed1_volatile = 0;
volatile ee_s32 seed2_volatile = 0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS;
volatile ee_s32 seed5_volatile = 0;

ee_u32 default_num_contexts = 1;

/* In words, for the list in it is aligned. */
static ee_u32 data[(TOTAL_DATA_SIZE + 3) / 4];

static ee_u32 failed = FAILED;

void *portable_malloc(ee_size_t size)
{
    return size <= sizeof data ? data : NULL;
}

void portable_free(void *p)
{
    (void)p;
}

void start_time(void)
{
    COUNTER = 1;
}

void stop_time(void)
{
    COUNTER = 0;
}

CORE_TICKS get_time(void)
{
    return COUNTER;
}

/* As if the clock ran at 1 Hz: a run is to take ten seconds at least. */
secs_ret time_in_secs(CORE_TICKS ticks)
{
    return ticks;
}

/* Of what CoreMark prints, only whether it found all in order is of use: no call but
 * this tells it.
 */
int ee_printf(const char *format, ...)
{
    const char *valid = "Correct operation validated.";
    while (*valid && *valid == *format) {
        valid++;
        format++;
    }
    if (!*valid)
        failed = 0;
    return 0;
}

void portable_init(core_portable *p, int *argc, char *argv[])
{
    (void)argc;
    (void)argv;
    p->portable_id = 1;
}

void portable_fini(core_portable *p)
{
    const core_results *results
        = (const core_results *)((const char *)p - offsetof(core_results, port));
    CHECK = failed | results->crc;
    DONE = 1;
    for (;;)
        ;
}

/* What compilers call for a division; none of it is in the time that counts. */
ee_u32 __udivsi3(ee_u32 a, ee_u32 b);
ee_u32 __udivsi3(ee_u32 a, ee_u32 b)
{
    ee_u32 quotient = 0, rest = 0;
    for (int i = 31; i >= 0; i--) {
        rest = rest << 1 | (a >> i & 1);
        if (rest >= b) {
            rest -= b;
            quotient |= 1u << i;
        }
    }
    return quotient;
}
