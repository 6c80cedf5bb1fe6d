//! Engines that run a circuit, behind one trait.
//!
//! A clock cycle is the same for all engines. Inputs are set, the combinational logic settles, and
//! outputs can be read. Then the rising clock edge changes all cells at once.

pub mod agree;
mod circuit_engines;
mod fleet;
mod node_engines;
pub mod recording;
mod reference;
mod wiring;

use ::lockstep::design::{Design, SignalKind};
pub use agree::{InputScript, Stimulus};
pub use circuit_engines::{EvaluatorEngine, VerilatorEngine};
pub use fleet::{Fleet, FleetResult, FleetRun};
pub use node_engines::{
    ByNode, LockstepEngine, NodeEngine, NodePortId, ObservedEngine, Observer, SharedPortId,
};
use num_bigint::BigUint;
pub use recording::{InputChange, InputRecorder, InputRecording, Player, Replay, WordStream};
pub use reference::{
    BlockCircuit, BlockCircuitBuilder, ReferenceEngine, ReferenceMachine, TooLarge, MAX_ROUNDS,
    REFERENCE_NODES,
};
use thiserror::Error;
pub use wiring::{Feed, InputWiring, OutputBit};

/// Port of the top module, except the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnginePort {
    pub name: String,
    /// Width in bits.
    pub width: u32,
    pub input: bool,
}

/// Ports of the top module, in order of declaration.
pub fn ports(design: &Design) -> Vec<EnginePort> {
    design
        .top()
        .ports()
        .map(|(_, signal)| EnginePort {
            name: signal.name.clone(),
            width: signal.width(),
            input: signal.kind == SignalKind::Input,
        })
        .collect()
}

/// Index into [`CircuitEngine::ports`], or an inner signal from [`CircuitEngine::signal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub usize);

#[derive(Debug, Error)]
pub enum EngineError {
    #[error(
        "the circuit does not settle in {rounds} rounds, because a combinational loop oscillates"
    )]
    Unsettled { rounds: u32 },
    #[error(transparent)]
    Lower(#[from] hdl::lower::LowerErrors),
    #[error(transparent)]
    Flatten(#[from] ::lockstep::netlist::FlattenError),
    #[error(transparent)]
    Lanes(#[from] ::lockstep::lanes::LanesError),
    #[error(transparent)]
    Tool(#[from] toolchain::ToolError),
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A part of the circuit has no block of rust-hdl.
    #[error(
        "the reference engine simulates blocks of rust-hdl, and {0} is a netlist; accepted: \
         --engine lockstep, evaluator or verilator"
    )]
    NoBlock(String),
    /// The engine has no model of this machine. Contains a sentence for the user.
    #[error("{0}")]
    NoModel(&'static str),
    /// An [`Observer`] could not store its data.
    #[error("{0}")]
    Observer(Box<dyn std::error::Error + Send + Sync>),
}

/// Engine that runs a circuit.
pub trait CircuitEngine {
    /// Name of the engine on the command line.
    fn name(&self) -> &'static str;

    fn ports(&self) -> &[EnginePort];

    /// Inner signal by its hierarchical name (`nodes[3].uart.tx`), to be read like a port. `None`
    /// if it does not exist, or if the engine shows ports only.
    fn signal(&mut self, _path: &str) -> Option<PortId> {
        None
    }

    /// Sets an input from the present clock cycle on. The value fits the port.
    fn set(&mut self, port: PortId, value: &BigUint);

    /// Settles the combinational logic.
    fn settle(&mut self) -> Result<(), EngineError>;

    /// Settled value of a port.
    fn get(&mut self, port: PortId) -> BigUint;

    /// Applies the rising clock edge and leaves the circuit settled.
    fn clock(&mut self) -> Result<(), EngineError>;

    /// Returns the port with this name.
    ///
    /// # Panics
    /// If it does not exist. The caller knows the names of a circuit's ports.
    fn port(&self, name: &str) -> PortId {
        let found = self.ports().iter().position(|p| p.name == name);
        PortId(found.unwrap_or_else(|| panic!("the circuit has no port `{name}`")))
    }

    /// Sets an input of up to 64 bits.
    fn set_u64(&mut self, port: PortId, value: u64) {
        self.set(port, &BigUint::from(value));
    }

    /// Settled value of a port of up to 64 bits.
    fn get_u64(&mut self, port: PortId) -> u64 {
        let value = self.get(port);
        value.iter_u64_digits().next().unwrap_or(0)
    }
}
