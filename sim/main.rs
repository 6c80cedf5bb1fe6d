//! The tests of whole machines, one module per area. `sim/README.md` lists the property that each
//! area tests, and its tier.

mod board;
mod channel_loads;

/// The ledger of the papers' claims is complete, and its verdicts are computed. A check that
/// contradicts the ledger is reported.
mod claims {
    mod command;
    mod ledger;
    mod verdicts;
}

mod cm1;
mod command_line;
mod compare;
mod compiled;
mod cube;
mod equivalence;
mod firmware;
mod first_frame;
mod foreign_block;
mod foreign_network;
mod functional;
mod host;
mod hosted;
mod kit;
mod metacube;
mod model;
mod model_adaptive;
mod model_golden;
mod model_metacube;
mod panel;
mod proofs;

/// Published material: packages for the registry, and Verilog headers. Texts cite only
/// files of this repository, files describe themselves, and kernels are not too long.
mod published {
    mod citations;
    mod comments;
    mod diagrams;
    mod headers;
    mod kernels;
    mod links;
    mod own_design;
    mod packages;
}

mod random_kernels;
mod refused;
mod rotation;
mod rust_hdl_faults;
mod simulate;

/// Helpers for several areas.
mod support {
    pub mod array_runs;
    pub mod browser;
    pub mod byte_runs;
    pub mod cm1_bus;
    pub mod cube_runs;
    pub mod lockstep_vs_evaluator;
    pub mod pictures;
    pub mod programs;
    pub mod scratch;
    pub mod starc;
    pub mod whole_runs;
}

mod sweep;
mod torus;

/// The emitted Verilog as text: a person can read what changed (`golden`), names are
/// declared before their use (`declared`), digests do not depend on names
/// (`canonical`), all simulators print the same lines (`prints`), and Verilator, yosys
/// and slang report nothing (`lint`).
mod verilog_text {
    mod canonical;
    mod declared;
    mod diff;
    mod golden;
    mod lint;
    mod prints;
    mod vectors;
}

mod waves;
