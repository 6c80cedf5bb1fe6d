/* The discrete Fourier transform of one complex number per node, in fixed point.
 *
 * The host brings a schedule of the bit reversal, as to `permute`, then real and imaginary
 * part of x[here], and gets those of X[here] / N, where
 *
 *     X[m] = sum over k of x[k] exp(-2 pi i k m / N), N nodes
 *
 * x[k] is at most 32,000 in magnitude. Each number goes along the schedule to the node whose
 * address is its own read from right to left; a schedule of no steps says that it is there. Then
 * there is an exchange per dimension, ascending (decimation in time): one superframe. Each
 * halves the numbers, so that nothing overflows; they are rounded to 16 bits, and both parts go
 * in one word. Before an exchange the node whose bit is 1 rotates its number by CORDIC (Volder,
 * 1959): it sends second, so it has a phase more for that. */
#include "ctrl.h"
#include "permute.h"

enum { STEPS = 14, FRACTION = 13 };

/* All steps together lengthen by 1 / 0.607253. */
static __attribute__((noinline)) int32_t shorten(int32_t x)
{
    x = (x >> 1) + (x >> 3) - (x >> 6) - (x >> 9) - (x >> 12) + (x >> 14);
    return (x + (1 << (FRACTION - 1))) >> FRACTION;
}

/* 0 if there is no more. */
static int32_t given(void)
{
    int32_t part = 0;
    ctrl_wait(&part, sizeof part);
    return part;
}

/* Both in one word. */
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
    int32_t re = given(), im = given();
    uint32_t word = tdma_permute(&schedule, pair(re, im));
    re = (int16_t)word;
    im = (int32_t)word >> 16;
    /* A turn is 2^32. */
    uint32_t angle = 0;
    for (unsigned dim = 0; dim < dims; dim++) {
        unsigned second = here >> dim & 1;
        if (second && angle) {
            /* Clockwise: a quarter first, so that the steps reach. Step n turns by the arc
             * tangent of 2^-n. */
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
