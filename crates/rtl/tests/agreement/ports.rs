//! Access to the ports of an engine by name.

use engine::CircuitEngine;

pub fn put(engine: &mut dyn CircuitEngine, input: &str, value: u64) {
    let port = engine.port(input);
    engine.set_u64(port, value);
}

pub fn see(engine: &mut dyn CircuitEngine, output: &str) -> u64 {
    let port = engine.port(output);
    engine.get_u64(port)
}

/// Sets a list of bits, the lowest bit first.
pub fn put_all(engine: &mut dyn CircuitEngine, input: &str, bits: u64, count: usize) {
    for i in 0..count {
        put(engine, &format!("{input}[{i}]"), bits >> i & 1);
    }
}

/// Reads a list of bits, the lowest bit first.
pub fn see_all(engine: &mut dyn CircuitEngine, output: &str, count: usize) -> u64 {
    (0..count).fold(0, |bits, i| {
        bits | see(engine, &format!("{output}[{i}]")) << i
    })
}
