// Arguments: nodes, threads, whether every clock cycle is in the fingerprint, script file.
// Prints seconds, bytes of memory, and the fingerprint of each node.
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

// What is set, in order of time; the last change is one that never comes.
struct Script {
    std::vector<Change> changes;
    size_t next = 0;
    template <class Set> void play(uint64_t clock, Set set) {
        for (; changes[next].clock == clock; ++next) set(changes[next].input, changes[next].value);
    }
};

static uint64_t clock_cycles;
// By table the node that each node has a line of.
static std::vector<std::vector<uint32_t>> tables;
// The words that all nodes have alike.
static Script alike;
// By object.
static std::vector<Script> scripts;
static std::vector<uint64_t> hashes;
// By node, what said in the last clock cycle that there is a word; 0 where it does not toggle.
static std::vector<uint64_t> before;

// Whether a node hands over a word in this clock cycle.
static bool is_word(size_t n, uint64_t valid) {
    const bool found = valid != before[n];
    if (@TOGGLES@) before[n] = valid;
    return found;
}

// Sets an input of an object by its place.
static void set(@PREFIX@& top, uint64_t input, uint64_t value) {
    switch (input) {
@SET@
    default: std::exit(3);
    }
}

// All inputs as they are before anything is set: zero.
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

// The most resident memory of this process, in bytes; 0 where Linux does not tell. Not
// getrusage: that counts what the process that started this one had.
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
