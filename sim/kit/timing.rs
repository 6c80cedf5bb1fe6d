//! The timing diagram matches the circuit.

use hdl::lower::lower;
use phasecube::engine::{CircuitEngine, EvaluatorEngine};
use phasecube::kit::pin_mux;
use phasecube::rtl::tdma::PinMux;
use serde_json::Value;

/// Returns a signal of the diagram, one value for each clock cycle.
fn wave(diagram: &Value, name: &str) -> Vec<u64> {
    let groups = diagram["signal"].as_array().unwrap().iter();
    let signals = groups.flat_map(|group| match group.as_array() {
        Some(signals) => signals.as_slice(),
        None => std::slice::from_ref(group),
    });
    let signal = signals
        .into_iter()
        .find(|signal| signal["name"] == name)
        .unwrap();
    let (mut value, mut words) = (0, signal["data"].as_array().into_iter().flatten());
    let waves = signal["wave"].as_str().unwrap().chars();
    waves
        .map(|sign| {
            value = match sign {
                '.' => value,
                '0' => 0,
                '1' => 1,
                _ => words.next().unwrap().as_str().unwrap().parse().unwrap(),
            };
            value
        })
        .collect()
}

#[test]
fn every_drawn_output_matches_the_circuit() {
    let kit = pin_mux::files(4);
    let file = kit.iter().find(|file| file.name == "timing.json").unwrap();
    let diagram: Value = serde_json::from_str(&file.text).unwrap();
    let design = lower(&PinMux::<2>::default()).unwrap();
    let mut mux = EvaluatorEngine::new(&design).unwrap();
    let [dim, drive, tx, rx0, rx1] =
        ["dim", "drive", "tx", "pin_rx[0]", "pin_rx[1]"].map(|name| wave(&diagram, name));
    let [pin0, pin1, rx] = ["pin_tx[0]", "pin_tx[1]", "rx"].map(|name| wave(&diagram, name));
    assert!(dim.len() > 20);
    for i in 0..dim.len() {
        let drawn = (pin0[i], pin1[i], rx[i]);
        let pull = mux.get_u64(mux.port("pull"));
        let is = (1 - (pull & 1), 1 - (pull >> 1), mux.get_u64(mux.port("rx")));
        assert_eq!(drawn, is, "column {i}");
        let level = rx0[i] | rx1[i] << 1;
        for (name, value) in [
            ("dim", dim[i]),
            ("drive", drive[i]),
            ("tx", tx[i]),
            ("level", level),
        ] {
            mux.set_u64(mux.port(name), value);
        }
        mux.clock().unwrap();
    }
}

/// Returns a line of the drawing, with two characters for each clock cycle.
fn drawn(name: &str, values: &[u64]) -> String {
    let mut line = format!("    {name:<11} ");
    let mut before = values[0];
    for &value in values {
        line += match (before, value) {
            (1, 1) => "--",
            (1, 0) => "\\_",
            (0, 0) => "__",
            _ => "/-",
        };
        before = value;
    }
    line + "\n"
}

/// The README contains the same diagram as text.
#[test]
fn the_drawing_in_the_readme_is_the_diagram() {
    let kit = pin_mux::files(4);
    let text = |name| &kit.iter().find(|file| file.name == name).unwrap().text;
    let diagram: Value = serde_json::from_str(text("timing.json")).unwrap();
    for name in [
        "drive",
        "tx",
        "pin_rx[0]",
        "pin_rx[1]",
        "pin_tx[0]",
        "pin_tx[1]",
        "rx",
    ] {
        let line = drawn(name, &wave(&diagram, name));
        assert!(text("README.md").contains(&line), "{line}");
    }
}
