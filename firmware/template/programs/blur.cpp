/* Replaces the word of each node by the average of the four neighbours on the grid. */
#include "ctrl.h"
#include "grid.h"

namespace {

template <typename T> constexpr T average(T a, T b, T c, T d)
{
    return (a + b + c + d) / 4;
}

}

int main()
{
    const auto here = tdma_strapped_address();
    const auto dims = tdma_strapped_dims();
    tdma_init(here, dims);
    uint32_t word;
    while (ctrl_wait(&word, sizeof word) > 0) {
        const auto words = grid_exchange(here, dims, word);
        word = average(words.east, words.west, words.north, words.south);
        ctrl_send(&word, sizeof word);
    }
    return 0;
}
