use super::Choice;
use clap::Args;

/// What runs the circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// rust-hdl's own simulator.
    Reference,
    /// The plain evaluator of the netlist.
    Evaluator,
}

impl Choice for Engine {
    const WHAT: &'static str = "engine";
    const READY: &'static [(&'static str, Self)] = &[
        ("reference", Self::Reference),
        ("evaluator", Self::Evaluator),
    ];
    const PLANNED: &'static [&'static str] = &["lockstep", "verilator"];
}

#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// What runs the circuits: reference (rust-hdl's simulator) or evaluator (the netlist)
    #[arg(long, value_name = "NAME", default_value = "evaluator", value_parser = Engine::parse)]
    pub engine: Engine,
}
