//! Selection of the engine: `--engine` and `--threads`.

use super::{within, FlagChoice};
use crate::{EngineKind, MachineCircuit};
use clap::Args;
use engine::{EngineError, NodeEngine};
use lockstep::lanes::{Keep, LaneOptions};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

impl FlagChoice for EngineKind {
    const OPTION_NAME: &'static str = "engine";
    const ACCEPTED: &'static [(&'static str, Self)] = &[
        ("reference", Self::Reference),
        ("evaluator", Self::Evaluator),
        ("lockstep", Self::Lockstep),
        ("verilator", Self::Verilator),
    ];
    const RESERVED: &'static [&'static str] = &[];
}

/// Flags that select the engine.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Simulation")]
pub struct EngineFlags {
    /// Engine that runs the circuits: reference (rust-hdl's simulator), evaluator (the netlist),
    /// lockstep (the netlist of one node for all nodes at once, as machine code) or verilator (the
    /// emitted Verilog)
    #[arg(long, value_name = "NAME", default_value = "lockstep", value_parser = EngineKind::parser(), hide_possible_values = true)]
    pub engine: EngineKind,

    #[command(flatten)]
    pub lockstep: LockstepFlags,
}

/// Flags of the lockstep engine.
#[derive(Clone, Debug, Args)]
pub struct LockstepFlags {
    /// Threads of the lockstep engine, 1 to 256 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = within::<usize>(1, 256))]
    threads: Option<usize>,
}

impl LockstepFlags {
    pub fn options(&self) -> LaneOptions {
        let all = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        LaneOptions {
            threads: self.threads.unwrap_or_else(all),
            ..LaneOptions::default()
        }
    }
}

impl EngineFlags {
    /// Returns the options of the lockstep engine.
    pub fn options(&self) -> LaneOptions {
        self.lockstep.options()
    }

    /// Starts the selected engine with a machine. The engine also exposes the internal signals that
    /// the caller wants to observe.
    ///
    /// # Errors
    /// As [`EngineKind::start`].
    pub fn start(
        &self,
        circuit: &dyn MachineCircuit,
        keep: Keep,
        work_dir: &Path,
    ) -> Result<Box<dyn NodeEngine>, EngineError> {
        let options = LaneOptions {
            keep,
            ..self.options()
        };
        self.engine.start(circuit, &options, work_dir)
    }
}
