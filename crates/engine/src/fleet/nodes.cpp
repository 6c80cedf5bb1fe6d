// Machine with one object for each node. Follows common.cpp.

// Barrier: each thread waits until all have arrived.
class Barrier {
    const unsigned threads;
    std::atomic<unsigned> waiting{0}, round{0};
public:
    explicit Barrier(unsigned threads) : threads(threads) {}
    void wait() {
        const unsigned now = round.load();
        if (waiting.fetch_add(1) + 1 == threads) {
            waiting.store(0);
            round.store(now + 1);
            return;
        }
        for (unsigned spins = 0; round.load() == now; ++spins)
            if (spins > 1000) std::this_thread::yield();
    }
};

static std::vector<std::unique_ptr<@PREFIX@>> nodes;
static std::vector<uint@BITS@_t> links[@LINKS@];

// Words that are the same for all nodes. Each thread has its own copy.
struct Alike {
    Script script = alike;
    uint64_t words[@WORDS@] = {};
    void play(uint64_t clock) {
        script.play(clock, [&](uint64_t word, uint64_t value) { words[word] = value; });
    }
};

static void snapshot([[maybe_unused]] size_t n) {
@SNAPSHOT@
}

static void settle([[maybe_unused]] size_t n, uint64_t clock, [[maybe_unused]] const uint64_t* shared) {
    @PREFIX@& top = *nodes[n];
    scripts[n].play(clock, [&](uint64_t input, uint64_t value) { set(top, input, value); });
@DRIVE@
    @CLOCK@ = 0;
    top.eval();
}

static void mix_outputs(@PREFIX@& top, uint64_t& hash) {
@MIX@
}

static void run(size_t from, size_t to, bool every, Barrier& barrier) {
    Alike alike;
    for (uint64_t clock = 0; clock < clock_cycles; ++clock) {
        for (size_t n = from; n < to; ++n) snapshot(n);
        barrier.wait();
        alike.play(clock);
        for (size_t n = from; n < to; ++n) {
            settle(n, clock, alike.words);
            @PREFIX@& top = *nodes[n];
            if (every) mix_outputs(top, hashes[n]);
            if (!every && is_word(n, @VALID@)) {
                hashes[n] = mix(hashes[n], @DATA@);
                if (@LAST@) hashes[n] = mix(hashes[n], clock);
            }
            @CLOCK@ = 1;
            top.eval();
        }
        barrier.wait();
    }
}

int main(int, char** arguments) {
    const size_t count = std::strtoul(arguments[1], nullptr, 10);
    const unsigned threads = unsigned(std::strtoul(arguments[2], nullptr, 10));
    const bool every = arguments[3][0] == '1';
    read_script(arguments[4], count);
    if (scripts.size() != count) std::exit(3);
    for (auto& link : links) link.assign(count, 0);
    const auto context = std::make_unique<VerilatedContext>();
    for (size_t n = 0; n < count; ++n) {
        nodes.push_back(std::make_unique<@PREFIX@>(context.get()));
        start(*nodes[n]);
        nodes[n]->eval();
    }

    const auto start = std::chrono::steady_clock::now();
    Barrier barrier(threads);
    std::vector<std::thread> crew;
    for (unsigned t = 1; t < threads; ++t)
        crew.emplace_back(run, count * t / threads, count * (t + 1) / threads, every,
                          std::ref(barrier));
    run(0, count / threads, every, barrier);
    for (auto& thread : crew) thread.join();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    // Outputs after the last clock edge. No input changes after that edge.
    if (!every) {
        Alike alike;
        for (uint64_t clock = 0; clock <= clock_cycles; ++clock) alike.play(clock);
        for (size_t n = 0; n < count; ++n) snapshot(n);
        for (size_t n = 0; n < count; ++n) {
            settle(n, clock_cycles, alike.words);
            mix_outputs(*nodes[n], hashes[n]);
        }
    }
    finish(seconds);
}
