// Arguments: nodes, threads, whether every clock cycle is in the fingerprint, workload file.
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

struct Host {
    std::vector<std::vector<uint8_t>> queue;
    size_t next = 0;
    bool valid() const { return next < queue.size(); }
    uint8_t byte(size_t index) const {
        return valid() && index < queue[next].size() ? queue[next][index] : 0;
    }
};

static std::vector<Host> hosts;
static std::vector<uint64_t> hashes;
// What all nodes see of the phase clock, clock cycle by clock cycle.
static std::vector<uint8_t> schedule;

static unsigned long number(FILE* file) {
    unsigned long value;
    if (std::fscanf(file, "%lu", &value) != 1) std::exit(3);
    return value;
}

static void read_workload(const char* name, size_t count) {
    FILE* file = std::fopen(name, "r");
    if (!file) std::exit(3);
    schedule.resize(number(file));
    for (uint8_t& word : schedule) word = uint8_t(number(file));
    hosts.resize(count);
    for (Host& host : hosts) {
        host.queue.resize(number(file));
        for (auto& message : host.queue) {
            message.resize(number(file));
            for (uint8_t& byte : message) byte = uint8_t(number(file));
        }
    }
    std::fclose(file);
    hashes.assign(count, @BASIS@);
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
