//! The ports of an engine by their names.

use phasecube::engine::Engine;

pub fn put(engine: &mut dyn Engine, input: &str, value: u64) {
    let port = engine.port(input);
    engine.set_u64(port, value);
}

pub fn see(engine: &mut dyn Engine, output: &str) -> u64 {
    let port = engine.port(output);
    engine.get_u64(port)
}

/// A list of bits, the first of them lowest.
pub fn put_all(engine: &mut dyn Engine, input: &str, bits: u64, count: usize) {
    for i in 0..count {
        put(engine, &format!("{input}[{i}]"), bits >> i & 1);
    }
}

/// A list of bits, the first of them lowest.
pub fn see_all(engine: &mut dyn Engine, output: &str, count: usize) -> u64 {
    (0..count).fold(0, |bits, i| {
        bits | see(engine, &format!("{output}[{i}]")) << i
    })
}
