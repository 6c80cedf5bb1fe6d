/* Routing function of the paper tdma-hypercube, section "code", on the API of this machine, with
 * the minimal program around it.
 *
 * A node that receives a destination and a word from its host sends the word to the destination. It
 * treats a word from a link as addressed to itself, because the word has no destination. A word for
 * a neighbour arrives. A word for a more distant node ends at the first hop, because the function
 * forwards no destination. */
#include "ctrl.h"
#include "tdma.h"

static unsigned dims;
static uint16_t here;

static void route_message(uint16_t dest, const uint32_t *payload)
{
    uint16_t delta = here ^ dest;
    for (unsigned dim = 0; dim < dims; dim++) {
        if (delta & 1u << dim) {
            tdma_wait_for_phase(2 * dim + (here >> dim & 1));
            tdma_send(dim, payload, sizeof *payload);
            return;
        }
    }
}

int main(void)
{
    here = tdma_strapped_address();
    dims = tdma_strapped_dims();
    tdma_init(here, dims);
    uint32_t dest, word;
    if (ctrl_wait(&dest, sizeof dest) && ctrl_wait(&word, sizeof word))
        route_message((uint16_t)dest, &word);
    /* A message without conflicts needs less than two superframes. */
    for (unsigned phase = 0; phase < 4 * dims; phase++) {
        for (unsigned dim = 0; dim < dims; dim++)
            if (tdma_recv(dim, &word, sizeof word) >= 0)
                ctrl_send(&word, sizeof word);
        tdma_next_phase();
    }
    return 0;
}
