/* Discrete Fourier transform of one complex number per node, in fixed point.
 *
 * The host sends a schedule of the bit reversal, as for `permute`, then real and imaginary part of
 * x[here]. It receives both parts of X[here] / N, where
 *
 *     X[m] = sum over k of x[k] exp(-2 pi i k m / N), N nodes
 *
 * x[k] is at most 32,000 in magnitude. Each number travels along the schedule to the node with the
 * bit-reversed address. A schedule of no steps means that it is already there. Then there is one
 * exchange per dimension, ascending (decimation in time), in one superframe. Each exchange halves
 * the numbers, so that nothing overflows. The numbers are rounded to 16 bits, and both parts fit in
 * one word. Before an exchange the node whose bit is 1 rotates its number by CORDIC (Volder, 1959).
 * This node sends second, so it has one more phase for the rotation. */
#include "ctrl.h"
#include "permute.h"

enum { STEPS = 14, FRACTION = 13 };

/* Compensates the gain of 1 / 0.607253 of all CORDIC steps together. */
static __attribute__((noinline)) int32_t shorten(int32_t x)
{
    x = (x >> 1) + (x >> 3) - (x >> 6) - (x >> 9) - (x >> 12) + (x >> 14);
    return (x + (1 << (FRACTION - 1))) >> FRACTION;
}

/* Returns the next word from the host, or 0 if there is none. */
static int32_t next_word(void)
{
    int32_t part = 0;
    ctrl_wait(&part, sizeof part);
    return part;
}

/* Packs both parts into one word. */
static uint32_t pair(int32_t re, int32_t im)
{
    return (uint32_t)im << 16 | (uint16_t)re;
}

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    uint32_t steps[PERMUTE_STEPS / 4];
    struct tdma_schedule schedule;
    if (permute_given(&schedule, dims, steps))
        ctrl_exit(1);
    int32_t re = next_word(), im = next_word();
    uint32_t word = tdma_permute(&schedule, pair(re, im));
    re = (int16_t)word;
    im = (int32_t)word >> 16;
    /* Angle; 2^32 is a full turn. */
    uint32_t angle = 0;
    for (unsigned dim = 0; dim < dims; dim++) {
        unsigned second = here >> dim & 1;
        if (second && angle) {
            /* Clockwise: a quarter turn first, so that the steps cover the rest. Step n turns by
             * the arc tangent of 2^-n. */
            static const int32_t turns[STEPS] = {
                0x20000000, 0x12E4051E, 0x09FB385B, 0x051111D4, 0x028B0D43, 0x0145D7E1, 0x00A2F61E,
                0x00517C55, 0x0028BE53, 0x00145F2F, 0x000A2F98, 0x000517CC, 0x00028BE6, 0x000145F3,
            };
            int32_t left = (int32_t)(angle - (1u << 30));
            int32_t x = im << FRACTION, y = -re << FRACTION;
            for (unsigned step = 0; step < STEPS; step++) {
                int32_t dx = y >> step, dy = x >> step, turn = turns[step];
                if (left < 0) {
                    x -= dx;
                    y += dy;
                    left += turn;
                } else {
                    x += dx;
                    y -= dy;
                    left -= turn;
                }
            }
            re = shorten(x);
            im = shorten(y);
        }
        word = collective_exchange(dim, pair(re, im));
        if (second) {
            re = -re;
            im = -im;
        }
        re = (re + (int16_t)word + 1) >> 1;
        im = (im + ((int32_t)word >> 16) + 1) >> 1;
        angle = angle >> 1 | second << 30;
    }
    int32_t part = re;
    ctrl_send(&part, sizeof part);
    part = im;
    ctrl_send(&part, sizeof part);
    ctrl_exit(0);
}
