//! Generates the sources around a module. A Verilog wrapper renames its ports to p0, p1 ... A C++
//! program implements the binary protocol.
//!
//! The protocol consists of 32-bit words in the machine's byte order, because both ends run on the
//! machine:
//! ```text
//! request: cycles, then each input in order of the ports, ceil(width / 32) words, low word first
//! reply:   each output in the same way, as seen in the last of these cycles before its clock edge
//! ```
//! Each cycle has four steps. The program sets the inputs, evaluates the module with the clock low,
//! and takes the outputs. Then the clock rises and falls. With 0 cycles, or without a clock, the
//! last step is left out: the request only reads the outputs.
//!
//! The falling edge is evaluated together with the next inputs, unless the module reacts to it. If
//! a cycle has the inputs of a preceding read, it starts with its rising edge.

use super::port_spec::PortSpec;
use std::fmt::Write;

/// Name of the wrapper module and of its file.
pub const WRAPPER: &str = "phasecube_harness";
/// Prefix of the generated C++ classes.
pub const PREFIX: &str = "Vharness";

/// Wrapper module. An escaped name is the same name as the unescaped one, and may contain any
/// character.
pub fn wrapper(top: &str, ports: &[PortSpec]) -> String {
    let declared: Vec<String> = ports
        .iter()
        .enumerate()
        .map(|(i, port)| {
            let direction = if port.input { "input" } else { "output" };
            format!("    {direction} wire [{}:0] p{i}", port.width - 1)
        })
        .collect();
    let numbered = || ports.iter().enumerate();
    let connected: Vec<String> = numbered()
        .filter(|(_, port)| !port.inside)
        .map(|(i, port)| format!("        .\\{} (p{i})", port.name))
        .collect();
    let inside: String = numbered()
        .filter(|(_, port)| port.inside)
        .map(|(i, port)| format!("    assign p{i} = dut.{};\n", port.name))
        .collect();
    format!(
        "module {WRAPPER} (\n{}\n);\n    \\{top} dut (\n{}\n    );\n{inside}endmodule\n",
        declared.join(",\n"),
        connected.join(",\n")
    )
}

/// C++ program. `clock` is the index of the clock port, which is not part of a request. `falls` is
/// true if the module reacts to the falling clock edge.
pub fn program(ports: &[PortSpec], clock: Option<usize>, falls: bool) -> String {
    let mut take = String::new();
    let mut give = String::new();
    for (i, port) in ports.iter().enumerate() {
        if Some(i) == clock {
            continue;
        }
        let _ = if port.input {
            writeln!(take, "    in = take(top.p{i}, in);")
        } else {
            writeln!(give, "    out = give(top.p{i}, out);")
        };
    }
    let edge = match clock {
        Some(i) if falls => format!("top.p{i} = 1; top.eval(); top.p{i} = 0; top.eval();"),
        Some(i) => format!("top.p{i} = 1; top.eval(); top.p{i} = 0;"),
        None => String::new(),
    };
    let is_input = |i: usize, port: &PortSpec| port.input && Some(i) != clock;
    let words = |wanted: bool| -> usize {
        ports
            .iter()
            .enumerate()
            .filter(|(i, port)| is_input(*i, port) == wanted && Some(*i) != clock)
            .map(|(_, port)| port.words())
            .sum()
    };
    PROGRAM
        .replace("@PREFIX@", PREFIX)
        .replace("@IN@", &words(true).to_string())
        .replace("@OUT@", &words(false).to_string())
        .replace("@TAKE@", take.trim_end())
        .replace("@GIVE@", give.trim_end())
        .replace("@EDGE@", &edge)
}

const PROGRAM: &str = r#"#include "@PREFIX@.h"
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unistd.h>
#include <vector>

static const size_t IN = 1 + @IN@, OUT = @OUT@;

template <class T> static const uint32_t* take(T& port, const uint32_t* in) {
    uint64_t value = *in++;
    if (sizeof(T) > 4) value |= uint64_t(*in++) << 32;
    port = T(value);
    return in;
}
template <std::size_t N> static const uint32_t* take(VlWide<N>& port, const uint32_t* in) {
    for (std::size_t i = 0; i < N; ++i) port[i] = in[i];
    return in + N;
}
template <class T> static uint32_t* give(const T& port, uint32_t* out) {
    *out++ = uint32_t(port);
    if (sizeof(T) > 4) *out++ = uint32_t(uint64_t(port) >> 32);
    return out;
}
template <std::size_t N> static uint32_t* give(const VlWide<N>& port, uint32_t* out) {
    for (std::size_t i = 0; i < N; ++i) out[i] = port[i];
    return out + N;
}

static void set(@PREFIX@& top, const uint32_t* in) {
@TAKE@
    (void)in;
}
static void get(@PREFIX@& top, uint32_t* out) {
@GIVE@
    (void)out;
}
static void edge(@PREFIX@& top) { @EDGE@ }

static void send(int fd, const uint32_t* words, size_t count) {
    const char* data = reinterpret_cast<const char*>(words);
    for (size_t left = count * 4; left;) {
        const ssize_t n = write(fd, data, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(3);
        data += n;
        left -= size_t(n);
    }
}

int main() {
    // What the module prints goes to stderr: stdout belongs to the protocol.
    const int replies = dup(1);
    dup2(2, 1);
    const auto context = std::make_unique<VerilatedContext>();
    const auto top = std::make_unique<@PREFIX@>(context.get());
    std::vector<uint32_t> in(IN * (1 + (1 << 14) / IN)), out, inputs(IN);
    bool looked = false;  // evaluated with these inputs since the last edge
    size_t have = 0;      // bytes
    for (;;) {
        char* const data = reinterpret_cast<char*>(in.data());
        const ssize_t n = read(0, data + have, in.size() * 4 - have);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        have += size_t(n);
        const size_t requests = have / (IN * 4);
        out.resize(requests * OUT);
        for (size_t r = 0; r < requests; ++r) {
            const uint32_t* const request = in.data() + r * IN;
            if (!looked || memcmp(inputs.data(), request + 1, (IN - 1) * 4) != 0) {
                memcpy(inputs.data(), request + 1, (IN - 1) * 4);
                set(*top, request + 1);
                top->eval();
            }
            looked = request[0] == 0;
            if (looked) get(*top, out.data() + r * OUT);
            for (uint32_t left = request[0]; left; --left) {
                if (left < request[0]) top->eval();
                if (left == 1) get(*top, out.data() + r * OUT);
                edge(*top);
                if (context->gotFinish()) {
                    top->final();
                    send(replies, out.data(), (left == 1 ? r + 1 : r) * OUT);
                    return 4;
                }
            }
        }
        send(replies, out.data(), out.size());
        have -= requests * IN * 4;
        memmove(data, data + requests * IN * 4, have);
    }
    top->final();
    return 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn ports() -> Vec<PortSpec> {
        vec![
            PortSpec::input("clock", 1),
            PortSpec::input("a", 65),
            PortSpec::output("q.x", 8),
        ]
    }

    // Claim: names are escaped, so a port may have any name.
    #[test]
    fn wrapper_connects_by_name() {
        let text = wrapper("mux", &ports());
        assert!(text.contains("input wire [64:0] p1"));
        assert!(text.contains("\\mux dut"));
        assert!(text.contains(".\\q.x (p2)"));
    }

    // Claim: the clock is not part of a request. A port of 65 bits takes three words.
    #[test]
    fn program_counts_words() {
        let text = program(&ports(), Some(0), false);
        assert!(text.contains("IN = 1 + 3, OUT = 1;"));
        assert!(text.contains("{ top.p0 = 1; top.eval(); top.p0 = 0; }"));
        let falling = program(&ports(), Some(0), true);
        assert!(falling.contains("top.p0 = 0; top.eval(); }"));
        assert!(!text.contains("take(top.p0"));
        let text = program(&ports(), None, false);
        assert!(text.contains("IN = 1 + 4, OUT = 1;") && text.contains("take(top.p0"));
    }
}
