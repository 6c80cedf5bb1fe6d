//! Simulator of `rust-hdl` as an engine.

use super::{ports, CircuitEngine, EngineError, EnginePort, PortId};
use hdl::lower::{lower, Circuit};
use num_bigint::BigUint;

/// Number of rounds after which a circuit counts as oscillating. Deep hierarchies need one round
/// for every level and for every step of a combinational path.
pub const MAX_ROUNDS: u32 = 1000;

/// `rust-hdl`'s own simulator in a direct loop, as the reference.
///
/// A round updates the whole block, so unnecessary rounds are avoided. An input that keeps its
/// value does not require a round. The clock rises and falls everywhere at once. The falling edge
/// shares its rounds with the next inputs, because no block reacts to it.
pub struct ReferenceEngine {
    block: Box<dyn Circuit>,
    ports: Vec<EnginePort>,
    /// Last value of each port that was set.
    set: Vec<Option<BigUint>>,
    /// Level of the clock.
    high: bool,
    /// True if the block has settled for the inputs and that level.
    settled: bool,
}

impl ReferenceEngine {
    /// Takes ownership of the block and settles it.
    ///
    /// The block is lowered only to get the list of its ports.
    ///
    /// # Errors
    /// If the block leaves the subset or does not settle.
    pub fn new(block: impl Circuit + 'static) -> Result<Self, EngineError> {
        ReferenceEngine::boxed(Box::new(block))
    }

    /// Takes a block of unknown type.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn boxed(block: Box<dyn Circuit>) -> Result<Self, EngineError> {
        let ports = ports(&lower(&*block)?);
        ReferenceEngine::with_ports(block, ports)
    }

    /// Makes `count` equal blocks for a machine. Only the first is lowered.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn copies(
        count: usize,
        block: impl Fn() -> Box<dyn Circuit>,
    ) -> Result<Vec<Box<dyn CircuitEngine>>, EngineError> {
        let ports = ports(&lower(&*block())?);
        let copy = |_| -> Result<Box<dyn CircuitEngine>, EngineError> {
            Ok(Box::new(ReferenceEngine::with_ports(
                block(),
                ports.clone(),
            )?))
        };
        (0..count).map(copy).collect()
    }

    fn with_ports(
        mut block: Box<dyn Circuit>,
        ports: Vec<EnginePort>,
    ) -> Result<Self, EngineError> {
        block.connect_all();
        let mut reference = ReferenceEngine {
            block,
            set: vec![None; ports.len()],
            ports,
            high: false,
            settled: false,
        };
        reference.settle()?;
        Ok(reference)
    }

    /// Settles the block for the inputs and this level of the clock.
    fn settle_with(&mut self, clock: bool) -> Result<(), EngineError> {
        self.high = clock;
        self.block.drive_clock(clock);
        self.settled = (0..MAX_ROUNDS).any(|_| {
            self.block.update_all();
            !self.block.has_changed()
        });
        match self.settled {
            true => Ok(()),
            false => Err(EngineError::Unsettled { rounds: MAX_ROUNDS }),
        }
    }
}

impl CircuitEngine for ReferenceEngine {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn ports(&self) -> &[EnginePort] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        let set = &mut self.set[port.0];
        if set.as_ref() == Some(value) {
            return;
        }
        let name = &self.ports[port.0].name;
        assert!(
            self.block.poke(name, value),
            "`{name}` is not an input whose type is a word"
        );
        *set = Some(value.clone());
        self.settled = false;
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        match self.settled {
            true => Ok(()),
            false => self.settle_with(false),
        }
    }

    fn get(&mut self, port: PortId) -> BigUint {
        let name = &self.ports[port.0].name;
        self.block
            .peek(name)
            .unwrap_or_else(|| panic!("`{name}` is not a port"))
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        if self.high || !self.settled {
            self.settle_with(false)?;
        }
        self.settle_with(true)
    }
}
