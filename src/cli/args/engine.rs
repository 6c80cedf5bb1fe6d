use super::Choice;
use clap::Args;

/// What runs the circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// rust-hdl's own simulator.
    Reference,
    /// The plain evaluator of the netlist.
    Evaluator,
    /// The emitted Verilog in Verilator.
    Verilator,
}

impl Choice for Engine {
    const WHAT: &'static str = "engine";
    const READY: &'static [(&'static str, Self)] = &[
        ("reference", Self::Reference),
        ("evaluator", Self::Evaluator),
        ("verilator", Self::Verilator),
    ];
    const PLANNED: &'static [&'static str] = &["lockstep"];
}

#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// What runs the circuits: reference (rust-hdl's simulator), evaluator (the netlist) or
    /// verilator (the emitted Verilog)
    #[arg(long, value_name = "NAME", default_value = "evaluator", value_parser = Engine::parse)]
    pub engine: Engine,
}
