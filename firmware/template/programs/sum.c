/* Adds the words of all nodes. Each node returns the sums, one for each word of its input. */
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    unsigned dims = tdma_strapped_dims();
    tdma_init(tdma_strapped_address(), dims);
    uint32_t word;
    while (ctrl_wait(&word, sizeof word) > 0) {
        word = collective_reduce(dims, collective_add, word);
        ctrl_send(&word, sizeof word);
    }
    return 0;
}
