/* Translated from StarC by phasecube starc. */
#define STAR_DIMENSIONS 12
#define STAR_OPERATIONS 3
#define STAR_WITHOUT_NEWS 1
#define STAR_WITHOUT_REDUCE 1
#define STAR_WITHOUT_SCAN 1
#define STAR_WITHOUT_BROADCAST 1
#define STAR_WITHOUT_OVERLAP 1
#include "star.h"
// Strings, comments and macros with words of StarC; shadowed names.
#define SWAP(d, to, from) \
    exchange { to = nbr(d, from); } // a comment
#define TEXT "exchange { where (x) }"
#define ALL for (int i = 0; i < 3; i++)
#define JOIN(a, b) a##b
#if 0
This isn't C, and its apostrophe does not matter. exchange {
#endif
int where(int x) { return x; }
void star_main() {
         int  x = '"', y, JOIN(z, 1);
    const char *text = "pvar<int> x; /* " TEXT; /* where (x) { */
    { star_ex_t star_ex;
star_ex_begin(&star_ex);
star_ex_nbr(&star_ex, 0, &(y), &(x), sizeof(x));
star_ex_execute(&star_ex); }
    ALL { y += i; }
    { int x = 3; x = where(x); }
    y = where(x) + text[0];
    { int pid = 3; pid++; y = pid; }
    y >>= 1; y = y >> 2;
    { star_ex_t star_ex;
__typeof__(((void)0, (x + 0))) star_v0 = (x + 0), star_r0;
__typeof__(((void)0, (x + 1))) star_v1 = (x + 1), star_r1;
__typeof__(((void)0, (x + 2))) star_v2 = (x + 2), star_r2;
star_ex_begin(&star_ex);
star_ex_nbr(&star_ex, 2, &star_r0, &(star_v0), sizeof(star_v0));
star_ex_nbr(&star_ex, 2, &star_r1, &(star_v1), sizeof(star_v1));
star_ex_nbr(&star_ex, 2, &star_r2, &(star_v2), sizeof(star_v2));
star_ex_execute(&star_ex);
y = star_r0;
y = star_r1;
y = star_r2; }
}
