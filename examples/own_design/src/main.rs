//! Tools for the level meter: `cargo run -- list`.

use hdl::prelude::lower;
use level_meter::LevelMeter;
use phasecube::cli::{designs_main, OwnCircuit, OwnDesigns};
use phasecube::proofs::{MutantChange, ProofCase, ProofMutant, Property};
use phasecube::toolchain::ProofMethod;
use std::process::ExitCode;

const CIRCUITS: &[OwnCircuit] =
    &[OwnCircuit { name: "level-meter", design: || lower(&LevelMeter::default()) }];

const PEAK: Property = Property {
    name: "peak",
    sentence: "After a sample, the peak is at least the level of this sample, unless it is reset.",
    file: "peak.sv",
    text: include_str!("../proofs/peak.sv"),
    cases: &[ProofCase {
        sizes: "8 bits",
        circuits: &[|| lower(&LevelMeter::default())],
        defines: &[],
    }],
    method: ProofMethod::Induction(1),
    mutants: &[
        ProofMutant {
            description: "the peak takes lower levels too",
            change: MutantChange::Verilog { from: "level > next", to: "level < next" },
        },
        ProofMutant {
            description: "the peak rises without a sample",
            change: MutantChange::Verilog {
                from: "next = next - 8'd1;",
                to: "next = next + 8'd1;",
            },
        },
    ],
    mutants_within: 8,
    quick: true,
};

fn main() -> ExitCode {
    designs_main(&OwnDesigns {
        circuits: CIRCUITS,
        properties: &[PEAK],
        licence: "MIT OR Apache-2.0",
    })
}
