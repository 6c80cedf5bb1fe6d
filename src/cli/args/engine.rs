use super::Choice;
use clap::Args;
use lockstep::lanes::Options;
use std::num::NonZeroUsize;
use std::thread;

/// What runs the circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// rust-hdl's own simulator.
    Reference,
    /// The plain evaluator of the netlist.
    Evaluator,
    /// One node's netlist in many lanes, as machine code.
    Lockstep,
    /// The emitted Verilog in Verilator.
    Verilator,
}

impl Choice for Engine {
    const WHAT: &'static str = "engine";
    const READY: &'static [(&'static str, Self)] = &[
        ("reference", Self::Reference),
        ("evaluator", Self::Evaluator),
        ("lockstep", Self::Lockstep),
        ("verilator", Self::Verilator),
    ];
    const PLANNED: &'static [&'static str] = &[];
}

#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// What runs the circuits: reference (rust-hdl's simulator), evaluator (the netlist),
    /// lockstep (the netlist of one node for all nodes at once, as machine code) or verilator
    /// (the emitted Verilog)
    #[arg(long, value_name = "NAME", default_value = "lockstep", value_parser = Engine::parse)]
    pub engine: Engine,

    /// Threads of the lockstep engine; by default as many as there are processors
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

impl EngineArgs {
    /// How the lockstep engine runs.
    pub fn options(&self) -> Options {
        let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Options {
            threads: self.threads.unwrap_or_else(all).get(),
            ..Options::default()
        }
    }
}
