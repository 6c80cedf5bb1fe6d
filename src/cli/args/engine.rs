//! What runs the circuits: `--engine` and `--threads`.

use super::{within, Choice};
use crate::cli::Failure;
use crate::machine::MAX_REFERENCE_DIMS;
use anyhow::anyhow;
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
#[command(next_help_heading = "Simulation")]
pub struct EngineArgs {
    /// What runs the circuits: reference (rust-hdl's simulator), evaluator (the netlist),
    /// lockstep (the netlist of one node for all nodes at once, as machine code) or verilator
    /// (the emitted Verilog)
    #[arg(long, value_name = "NAME", default_value = "lockstep", value_parser = Engine::parse)]
    pub engine: Engine,

    /// Threads of the lockstep engine, up to 256; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = within::<usize>(1, 256))]
    pub threads: Option<usize>,
}

impl EngineArgs {
    /// # Errors
    /// If the engine does not run machines on this cube.
    pub fn check(&self, dims: u32) -> Result<(), Failure> {
        match self.engine == Engine::Reference && dims > MAX_REFERENCE_DIMS {
            true => Err(Failure::BadInput(anyhow!(
                "the reference engine runs cubes of up to {MAX_REFERENCE_DIMS} dimensions, not {dims}; \
                 accepted: a smaller --dims, or another --engine"
            ))),
            false => Ok(()),
        }
    }

    /// How the lockstep engine runs.
    pub fn options(&self) -> Options {
        let all = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Options {
            threads: self.threads.unwrap_or_else(all),
            ..Options::default()
        }
    }
}
