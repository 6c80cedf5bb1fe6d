// A machine that is one object; after common.cpp. Threads are the object's own.

int main(int, char** arguments) {
    const size_t count = std::strtoul(arguments[1], nullptr, 10);
    const bool every = arguments[3][0] == '1';
    read_workload(arguments[4], count);
    const auto context = std::make_unique<VerilatedContext>();
    const auto top = std::make_unique<@PREFIX@>(context.get());
@PINS@
@CONSTANTS@
    const auto settle = [&] {
        for (size_t n = 0; n < count; ++n) {
            *host_valid[n] = hosts[n].valid();
            *host_data[n] = hosts[n].byte(*host_index[n]);
        }
        @CLOCK@ = 0;
        top->eval();
    };
    const auto mix_outputs = [&] {
        for (size_t n = 0; n < count; ++n) {
@MIX@
        }
    };
    top->eval();

    const auto start = std::chrono::steady_clock::now();
    for (uint64_t clock = 0; clock + 1 < schedule.size(); ++clock) {
        settle();
        if (every) mix_outputs();
        for (size_t n = 0; n < count; ++n) {
            if (*out_valid[n] && !every) {
                hashes[n] = mix(hashes[n], *out_data[n]);
                if (*out_last[n]) hashes[n] = mix(hashes[n], clock);
            }
            if (*host_taken[n]) {
                ++hosts[n].next;
                *host_valid[n] = hosts[n].valid();
            }
        }
        @CLOCK@ = 1;
        top->eval();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    if (!every) {
        settle();
        mix_outputs();
    }
    finish(seconds);
}
