//! The simulator of `rust-hdl` as an engine.

use super::{ports, Engine, EngineError, Port, PortId};
use hdl::lower::{lower, Circuit};
use num_bigint::BigUint;

/// Rounds after which a circuit is taken to oscillate; deep hierarchies need
/// one round for every level and for every step of a combinational path.
pub const ROUNDS: u32 = 1000;

/// `rust-hdl`'s own simulator, in a direct loop: the reference.
///
/// A round goes through the whole block, so none is done in vain: an input that keeps its value
/// unsettles nothing, the clock rises and falls everywhere at once, and it falls in the rounds in which the
/// next inputs come, as no block does anything when it falls.
pub struct Reference {
    block: Box<dyn Circuit>,
    ports: Vec<Port>,
    /// The last value of each port that was set.
    set: Vec<Option<BigUint>>,
    /// The level of the clock.
    high: bool,
    /// All follows the inputs and that level.
    settled: bool,
}

impl Reference {
    /// Takes the block over and settles it.
    ///
    /// The block is lowered for the list of its ports only.
    ///
    /// # Errors
    /// If the block leaves the subset or does not settle.
    pub fn new(block: impl Circuit + 'static) -> Result<Self, EngineError> {
        Reference::boxed(Box::new(block))
    }

    /// The same of a block whose type is not known.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn boxed(block: Box<dyn Circuit>) -> Result<Self, EngineError> {
        let ports = ports(&lower(&*block)?);
        Reference::with_ports(block, ports)
    }

    /// So many equal blocks, for a machine of them: only the first is lowered.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn copies(
        count: usize,
        block: impl Fn() -> Box<dyn Circuit>,
    ) -> Result<Vec<Box<dyn Engine>>, EngineError> {
        let ports = ports(&lower(&*block())?);
        let copy = |_| -> Result<Box<dyn Engine>, EngineError> {
            Ok(Box::new(Reference::with_ports(block(), ports.clone())?))
        };
        (0..count).map(copy).collect()
    }

    fn with_ports(mut block: Box<dyn Circuit>, ports: Vec<Port>) -> Result<Self, EngineError> {
        block.connect_all();
        let mut reference = Reference {
            block,
            set: vec![None; ports.len()],
            ports,
            high: false,
            settled: false,
        };
        reference.settle()?;
        Ok(reference)
    }

    /// Lets everything follow the inputs and this level of the clock.
    fn settle_with(&mut self, clock: bool) -> Result<(), EngineError> {
        self.high = clock;
        self.block.drive_clock(clock);
        self.settled = (0..ROUNDS).any(|_| {
            self.block.update_all();
            !self.block.has_changed()
        });
        match self.settled {
            true => Ok(()),
            false => Err(EngineError::Unsettled { rounds: ROUNDS }),
        }
    }
}

impl Engine for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn ports(&self) -> &[Port] {
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
