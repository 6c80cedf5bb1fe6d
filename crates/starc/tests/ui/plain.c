/* Plain C, with names that StarC also uses. */
#include <stdint.h>
#define where while
struct pvar { int exchange; };
static int nbr(int d, int v) { return d < v; }
int pid(void);
int main(void)
{
    struct pvar pvar = {.exchange = 3};
    int exchange = pvar.exchange < 3 ? nbr(1, 2) : 0;
    for (; exchange; exchange--)
        pvar.exchange >>= 1;
    return pvar.exchange + nbr(0, exchange);
}
