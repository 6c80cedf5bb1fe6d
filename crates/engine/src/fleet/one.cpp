// Machine that is one object. Follows common.cpp. The object creates its own threads.

int main(int, char** arguments) {
    const size_t count = std::strtoul(arguments[1], nullptr, 10);
    const bool every = arguments[3][0] == '1';
    read_script(arguments[4], count);
    if (scripts.size() != 1) std::exit(3);
    const auto context = std::make_unique<VerilatedContext>();
    const auto object = std::make_unique<@PREFIX@>(context.get());
    @PREFIX@& top = *object;
@PINS@
    const auto settle = [&](uint64_t clock) {
        scripts[0].play(clock, [&](uint64_t input, uint64_t value) { set(top, input, value); });
        @CLOCK@ = 0;
        top.eval();
    };
    const auto mix_outputs = [&] {
        for (size_t n = 0; n < count; ++n) {
@MIX@
        }
    };
    start(top);
    top.eval();

    const auto start = std::chrono::steady_clock::now();
    for (uint64_t clock = 0; clock < clock_cycles; ++clock) {
        settle(clock);
        if (every) mix_outputs();
        for (size_t n = 0; n < count && !every; ++n) {
            if (is_word(n, @VALID@)) {
                hashes[n] = mix(hashes[n], @DATA@);
                if (@LAST@) hashes[n] = mix(hashes[n], clock);
            }
        }
        @CLOCK@ = 1;
        top.eval();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    if (!every) {
        settle(clock_cycles);
        mix_outputs();
    }
    finish(seconds);
}
