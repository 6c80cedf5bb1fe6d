//! Kits are directories of plain Verilog that work without this project: the pin mux, which is
//! written by hand, and any circuit of the [catalogue](machine::catalog) with its test bench. The
//! module also has the header of all published Verilog.

mod bench;
pub mod pin_mux;

pub use bench::{clock_cycles, default_stimulus, kit, KitError};
use hdl::verilog::Publication;

/// Name of the project, which begins the name of each published module.
const PROJECT: &str = "phasecube";

/// Circuit of this project, at the clock of its FPGA designs.
pub fn publication() -> Publication {
    Publication {
        prefix: format!("{PROJECT}_").parse().expect("the beginning of a name"),
        licence: env!("CARGO_PKG_LICENSE").into(),
        clock_mhz: 25,
        generator: (PROJECT.into(), env!("CARGO_PKG_VERSION").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::agree::{compare, trace_with};
    use engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine};
    use lockstep::design::Design;
    use machine::catalog::{CircuitSource, CATALOG};
    use num_bigint::BigUint;

    /// Clock cycles of the comparison. The reference takes milliseconds for one cycle of a large
    /// block.
    const CYCLES: usize = 100;

    /// Runs an engine on the stimulus of the published test bench.
    fn trace(design: &Design, engine: &mut dyn CircuitEngine) -> Vec<Vec<BigUint>> {
        let ports = engine.ports().to_vec();
        let found = trace_with(engine, default_stimulus(design, &ports), CYCLES);
        found.unwrap_or_else(|e| panic!("{}, {}: {e}", design.top().name, engine.name()))
    }

    /// The reference and the evaluator agree on every block of the catalogue.
    #[test]
    fn every_block_behaves_as_its_netlist() {
        let mut compared = 0;
        for entry in CATALOG {
            let CircuitSource::Single(circuit) = entry.source else {
                continue;
            };
            let mut reference = ReferenceEngine::boxed(circuit(entry.default_dims)).unwrap();
            let design = entry.default_design().unwrap();
            let mut evaluator = EvaluatorEngine::new(&design).unwrap();
            let outputs = reference.ports().iter().filter(|port| !port.input);
            let outputs: Vec<String> = outputs.map(|port| port.name.clone()).collect();
            let expected = trace(&design, &mut reference);
            let found = trace(&design, &mut evaluator);
            let engines = (("reference", &expected), ("evaluator", &found));
            let same = compare(&outputs, engines.0, engines.1);
            same.unwrap_or_else(|e| panic!("{}: {e}", entry.name));
            compared += 1;
        }
        assert!(compared > 80, "{compared} blocks");
    }
}
