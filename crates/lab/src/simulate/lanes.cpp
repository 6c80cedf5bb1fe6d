// Lanes of a design, each an object of its own. Arguments: number of lanes, number of threads, clock
// cycles, and a file with the inputs of each lane and the programs. Prints the seconds of the start
// and of the run, and the signature of each lane.
#include "@PREFIX@.h"
#include "@PREFIX@___024root.h"
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

// A number from the file.
static uint64_t number(FILE* file) {
    uint64_t value;
    if (std::fscanf(file, "%" SCNx64, &value) != 1) std::exit(3);
    return value;
}

// Sets an input to a word from the file, in parts of 32 bits.
template <class T> static void take(T& port, FILE* file) {
    uint64_t value = number(file);
    if (sizeof(T) > 4) value |= number(file) << 32;
    port = T(value);
}
template <std::size_t N> static void take(VlWide<N>& port, FILE* file) {
    for (std::size_t i = 0; i < N; ++i) port[i] = uint32_t(number(file));
}

// 64 bits of an output, from bit 64 * i up.
template <class T> static uint64_t part(const T& port, std::size_t) { return uint64_t(port); }
template <std::size_t N> static uint64_t part(const VlWide<N>& port, std::size_t i) {
    return port[2 * i] | (2 * i + 1 < N ? uint64_t(port[2 * i + 1]) << 32 : 0);
}

static uint64_t turned(uint64_t word, unsigned by) { return by ? word << by | word >> (64 - by) : word; }

// The signature after a clock cycle.
static uint64_t next(uint64_t state, [[maybe_unused]] const @PREFIX@& top) {
    uint64_t word = state << 1 | uint64_t(__builtin_parityll(state & 0xD000000000000000));
@SIGN@
    return word;
}

static void set_inputs([[maybe_unused]] @PREFIX@& top, [[maybe_unused]] FILE* file) {
@TAKE@
}

static void load([[maybe_unused]] @PREFIX@& top, [[maybe_unused]] const std::vector<uint64_t>& program) {
@LOAD@
}

static std::vector<std::unique_ptr<@PREFIX@>> lanes;
static std::vector<uint64_t> signatures;

// Lanes are independent, so each runs to its end while its state is in the cache.
static void run(size_t from, size_t to, uint64_t clock_cycles) {
    for (size_t lane = from; lane < to; ++lane) {
        @PREFIX@& top = *lanes[lane];
        uint64_t signature = 0;
        for (uint64_t clock = 0; clock < clock_cycles; ++clock) {
            top.@CLOCK@ = @IDLE@;
            top.eval();
            signature = next(signature, top);
            top.@CLOCK@ = @ACTIVE@;
            top.eval();
        }
        signatures[lane] = signature;
    }
}

static double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main(int, char** arguments) {
    const size_t count = std::strtoul(arguments[1], nullptr, 10);
    const unsigned threads = unsigned(std::strtoul(arguments[2], nullptr, 10));
    const uint64_t clock_cycles = std::strtoull(arguments[3], nullptr, 10);
    auto start = std::chrono::steady_clock::now();
    FILE* file = std::fopen(arguments[4], "r");
    if (!file) std::exit(3);
    std::vector<std::vector<uint64_t>> programs(number(file));
    for (auto& program : programs) {
        program.resize(number(file));
        for (uint64_t& word : program) word = number(file);
    }
    const auto context = std::make_unique<VerilatedContext>();
    for (size_t lane = 0; lane < count; ++lane) {
        lanes.push_back(std::make_unique<@PREFIX@>(context.get()));
        @PREFIX@& top = *lanes.back();
        set_inputs(top, file);
        // Initial blocks run in the first evaluation.
        top.@CLOCK@ = @IDLE@;
        top.eval();
        if (!programs.empty()) load(top, programs[lane % programs.size()]);
    }
    std::fclose(file);
    signatures.assign(count, 0);
    const double start_seconds = since(start);

    start = std::chrono::steady_clock::now();
    std::vector<std::thread> crew;
    for (unsigned t = 1; t < threads; ++t)
        crew.emplace_back(run, count * t / threads, count * (t + 1) / threads, clock_cycles);
    run(0, count / threads, clock_cycles);
    for (auto& thread : crew) thread.join();
    std::printf("%.6f %.6f\n", start_seconds, since(start));
    for (uint64_t signature : signatures) std::printf("%016" PRIx64 "\n", signature);
    std::fflush(stdout);
    std::_Exit(0);
}
