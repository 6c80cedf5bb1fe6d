// A machine of an object for each node; after common.cpp.

// All threads wait for the last one.
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
static std::vector<uint32_t> links[@LINKS@];

static void mix_outputs(@PREFIX@& top, uint64_t& hash) {
@MIX@
}

static void run(size_t from, size_t to, bool every, Barrier& barrier) {
    for (uint64_t clock = 0; clock + 1 < schedule.size(); ++clock) {
        for (size_t n = from; n < to; ++n) {
@SNAPSHOT@
        }
        barrier.wait();
        const unsigned shared = schedule[clock];
        for (size_t n = from; n < to; ++n) {
            @PREFIX@& top = *nodes[n];
            Host& host = hosts[n];
@DRIVE@
            @CLOCK@ = 0;
            top.eval();
            if (every) mix_outputs(top, hashes[n]);
            if (@VALID@ && !every) {
                hashes[n] = mix(hashes[n], @DATA@);
                if (@LAST@) hashes[n] = mix(hashes[n], clock);
            }
            if (@TAKEN@) {
                ++host.next;
                @OFFER@ = host.valid();
            }
            @CLOCK@ = 1;
            top.eval();
        }
        barrier.wait();
    }
}

// The outputs after the last clock edge, all inputs as they would be then.
static void settle(size_t n, unsigned shared) {
    @PREFIX@& top = *nodes[n];
    Host& host = hosts[n];
@DRIVE@
    @CLOCK@ = 0;
    top.eval();
    mix_outputs(top, hashes[n]);
}

int main(int, char** arguments) {
    const size_t count = std::strtoul(arguments[1], nullptr, 10);
    const unsigned threads = unsigned(std::strtoul(arguments[2], nullptr, 10));
    const bool every = arguments[3][0] == '1';
    read_workload(arguments[4], count);
    for (auto& link : links) link.assign(count, 0);
    const auto context = std::make_unique<VerilatedContext>();
    for (size_t n = 0; n < count; ++n) {
        nodes.push_back(std::make_unique<@PREFIX@>(context.get()));
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

    if (!every) {
        for (size_t n = 0; n < count; ++n) {
@SNAPSHOT@
        }
        for (size_t n = 0; n < count; ++n) settle(n, schedule.back());
    }
    finish(seconds);
}
