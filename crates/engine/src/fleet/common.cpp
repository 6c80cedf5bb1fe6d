// Simulation of a whole machine. Arguments: number of nodes, number of threads, 1 if the fingerprint
// includes every clock cycle (otherwise 0), script file. Prints the seconds, the peak memory in bytes,
// and the fingerprint of each node.
#include "@PREFIX@.h"
#include <array>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

static uint64_t mix(uint64_t hash, uint64_t word) { return (hash ^ word) * @PRIME@; }

struct Change {
    uint64_t clock, input, value;
};

// Input changes, in order of time. The last entry is a sentinel at a time that is never reached.
struct Script {
    std::vector<Change> changes;
    size_t next = 0;
    template <class Set> void play(uint64_t clock, Set set) {
        for (; changes[next].clock == clock; ++next) set(changes[next].input, changes[next].value);
    }
};

static uint64_t clock_cycles;
// For each table and node, the node whose output it reads.
static std::vector<std::vector<uint32_t>> tables;
// Changes of the words that are the same for all nodes.
static Script alike;
// Changes of the inputs of each object.
static std::vector<Script> scripts;
static std::vector<uint64_t> hashes;
// For each node, the value of its valid signal in the last clock cycle. Always 0 if the signal does
// not toggle.
static std::vector<uint64_t> before;

// True if a node delivers a word in this clock cycle.
static bool is_word(size_t n, uint64_t valid) {
    const bool found = valid != before[n];
    if (@TOGGLES@) before[n] = valid;
    return found;
}

// Sets an input of an object by its index.
static void set(@PREFIX@& top, uint64_t input, uint64_t value) {
    switch (input) {
@SET@
    default: std::exit(3);
    }
}

// Sets all inputs to their initial value, zero.
static void start(@PREFIX@& top) {
@START@
}

static uint64_t number(FILE* file) {
    uint64_t value;
    if (std::fscanf(file, "%" SCNu64, &value) != 1) std::exit(3);
    return value;
}

static Script read_changes(FILE* file) {
    Script script;
    script.changes.resize(number(file));
    for (Change& change : script.changes) {
        change.clock = number(file);
        change.input = number(file);
        change.value = number(file);
    }
    script.changes.push_back({UINT64_MAX, 0, 0});
    return script;
}

static void read_script(const char* name, size_t count) {
    FILE* file = std::fopen(name, "r");
    if (!file) std::exit(3);
    clock_cycles = number(file);
    tables.resize(number(file));
    for (auto& table : tables) {
        table.resize(count);
        for (uint32_t& node : table) node = uint32_t(number(file));
    }
    alike = read_changes(file);
    scripts.resize(number(file));
    for (Script& script : scripts) script = read_changes(file);
    std::fclose(file);
    hashes.assign(count, @BASIS@);
    before.assign(count, 0);
}

// Peak resident memory of this process in bytes, or 0 if Linux does not report it. getrusage would
// include the memory of the parent process.
static unsigned long memory() {
    FILE* file = std::fopen("/proc/self/status", "r");
    unsigned long kilobytes = 0;
    char line[256];
    while (file && std::fgets(line, sizeof line, file))
        if (std::sscanf(line, "VmHWM: %lu", &kilobytes) == 1) break;
    if (file) std::fclose(file);
    return kilobytes * 1024;
}

[[noreturn]] static void finish(std::chrono::duration<double> seconds) {
    std::printf("%.6f %lu\n", seconds.count(), memory());
    for (uint64_t hash : hashes) std::printf("%016" PRIx64 "\n", hash);
    std::fflush(stdout);
    std::_Exit(0);
}
