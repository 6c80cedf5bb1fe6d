//! The open-drain wire: its truth table.

use crate::agreement::engines;
use rtl::tdma::OpenDrainWire;

#[test]
pub fn a_wire_is_high_unless_someone_pulls() {
    for mut engine in engines::both(OpenDrainWire::default) {
        let [a, b, level] = ["pull_a", "pull_b", "level"].map(|name| engine.port(name));
        for (pull_a, pull_b, expected) in [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1)] {
            engine.set_u64(a, pull_a);
            engine.set_u64(b, pull_b);
            engine.settle().unwrap();
            assert_eq!(engine.get_u64(level), expected, "{}", engine.name());
        }
    }
}
