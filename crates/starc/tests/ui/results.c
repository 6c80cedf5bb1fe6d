/* Translated from StarC by phasecube starc. */
#define STAR_DIMENSIONS 12
#define STAR_OPERATIONS 6
#include "star.h"
struct state { float heat;      int8_t  near[2]; };
static const int table[2] = {1, 2};
STAR_LOCAL  struct state  s;
STAR_LOCAL  float  f, g;
STAR_LOCAL  struct state  t;
void star_main() {
    STAR_LOCAL static int calls;
    calls = 0;
    s.heat = 0;
    s.near[0] = f = 1.5f;
    float left;float right;struct state other;{ star_ex_t star_ex;
__typeof__(((void)0, (s.near[0]))) star_v1 = (s.near[0]), star_r1;
__typeof__(((void)0, (table[1]))) star_v5 = (table[1]), star_r5;
star_ex_begin(&star_ex);
star_ex_nbr(&star_ex, 0, &(left), &(f), sizeof(f));
star_ex_nbr(&star_ex, 1, &star_r1, &(star_v1), sizeof(star_v1));
star_ex_nbr(&star_ex, 2, &(other), &(s), sizeof(s));
star_ex_nbr(&star_ex, 3, &(t.near[1]), &(s.near[0]), sizeof(s.near[0]));
star_ex_news(&star_ex, WEST, &(g), &(f), sizeof(f));
star_ex_reduce(&star_ex, STAR_MAX, &star_r5, &(star_v5), sizeof(star_v5));
star_ex_execute(&star_ex);
right = star_r1;
calls += star_r5 ; }
    { STAR_LOCAL static star_ex_t star_ex;
STAR_LOCAL static __typeof__(((void)0, (s.near[1]))) star_v0;
_Static_assert(__builtin_types_compatible_p(__typeof__(other.near[10 - 10]), __typeof__(star_v0)), "exchange_async: the result needs the type of the value");
star_ex_begin(&star_ex); STAR_LOCAL static uint32_t star_frames[STAR_FRAME_WORDS(sizeof(star_v0))]; star_ex_overlap(&star_ex, star_frames);
star_v0 = (s.near[1]);
star_ex_nbr(&star_ex, 10, &(other.near[10 - 10]), &(star_v0), sizeof(star_v0));
star_ex_start(&star_ex); }
    f = left + right;
    star_ex_wait();
    { star_ex_t star_ex;
__typeof__(((void)0, (f))) star_v0 = (f), star_r0;
__typeof__(((void)0, (s.heat / 2))) star_v2 = (s.heat / 2), star_r2;
star_ex_begin(&star_ex);
star_ex_scan(&star_ex, STAR_SUM, 1, &star_r0, &(star_v0), sizeof(star_v0));
star_ex_scan(&star_ex, STAR_MIN, 0, &(left), &(other.heat), sizeof(other.heat));
star_ex_broadcast(&star_ex, calls, &star_r2, &(star_v2), sizeof(star_v2));
star_ex_execute(&star_ex);
f = star_r0;
right = star_r2; }
}
