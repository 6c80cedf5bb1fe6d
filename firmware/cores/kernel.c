/* Mixed integer work that compares cores (`phasecube cost --cores`). It sorts a list, multiplies
 * matrices, runs a state machine over a text, and computes a CRC of the results. The work resembles
 * CoreMark, but its figures are not comparable with CoreMark's.
 *
 * The last word stored to CHECK is the CRC. A store to DONE ends the run. */
#include <stdint.h>

#define DONE (*(volatile uint32_t *)0x00800000u)
#define CHECK (*(volatile uint32_t *)0x00800004u)

/* Number of repetitions of the work. The trial counts the clock cycles of all repetitions. */
#define RUNS 8

/* Defined in start.S. */
uint32_t __mulsi3(uint32_t a, uint32_t b);

/* Adds a word to the CRC; eight bits of the word are processed. */
static uint32_t crc_byte(uint32_t crc, uint32_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++)
        crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    return crc;
}

struct item {
    struct item *next;
    int16_t key;
    int16_t value;
};

#define ITEMS 24
static struct item items[ITEMS];

/* Sorts a list by insertion, and traverses it. */
static uint32_t list(uint32_t seed)
{
    struct item *first = 0;
    for (int i = 0; i < ITEMS; i++) {
        seed = (seed ^ 0x2A91Cu) + seed + 0x9E3779B9u;
        struct item *item = &items[i];
        item->key = (int16_t)seed;
        item->value = (int16_t)i;
        struct item **place = &first;
        while (*place && (*place)->key < item->key)
            place = &(*place)->next;
        item->next = *place;
        *place = item;
    }
    uint32_t sum = 0;
    for (struct item *item = first; item; item = item->next)
        if (item->value & 1)
            sum += sum ^ (uint32_t)item->key;
    return sum;
}

#define SIZE 6
static int16_t left[SIZE][SIZE], right[SIZE][SIZE];

static uint32_t matrix(uint32_t seed)
{
    uint32_t all = 0;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            left[i][j] = (int16_t)((seed + (uint32_t)(i ^ j)) & 0x3F);
            right[i][j] = (int16_t)((seed ^ (uint32_t)(i + j)) & 0x7F);
        }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            int32_t sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += (int32_t)__mulsi3((uint32_t)left[i][k], (uint32_t)right[k][j]);
            all += all ^ (uint32_t)sum;
        }
    return all;
}

static const char text[] = "5012,+0.7e3,-110.25,x9,0x1F,.5,1e-4,--1,874.2e+2,T0.3,+122,-87,1.0.0,";

enum state { START, SIGN, DIGITS, FRACTION, EXPONENT, WRONG, STATES };

static uint32_t machine(void)
{
    uint32_t seen[STATES] = { 0 };
    enum state state = START;
    for (const char *at = text; *at; at++) {
        char c = *at;
        if (c == ',') {
            seen[state]++;
            state = START;
            continue;
        }
        int digit = c >= '0' && c <= '9';
        switch (state) {
        case START:
        case SIGN:
            if (digit)
                state = DIGITS;
            else if (c == '.')
                state = FRACTION;
            else if (state == START && (c == '+' || c == '-'))
                state = SIGN;
            else
                state = WRONG;
            break;
        case DIGITS:
            state = digit ? DIGITS : c == '.' ? FRACTION : c == 'e' ? EXPONENT : WRONG;
            break;
        case FRACTION:
            state = digit ? FRACTION : c == 'e' ? EXPONENT : WRONG;
            break;
        case EXPONENT:
            state = digit || c == '+' || c == '-' ? EXPONENT : WRONG;
            break;
        default:
            break;
        }
    }
    uint32_t sum = 0;
    for (int i = 0; i < STATES; i++)
        sum += sum + seen[i];
    return sum;
}

int main(void)
{
    uint32_t crc = 0;
    for (uint32_t run = 0; run < RUNS; run++) {
        crc = crc_byte(crc, list(run));
        crc = crc_byte(crc, matrix(run));
        crc = crc_byte(crc, machine());
    }
    CHECK = crc;
    DONE = 1;
    for (;;)
        ;
}
