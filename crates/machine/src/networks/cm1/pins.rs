//! Engine ports between the CM-1's chips and their processors.

use super::Cm1Shape;
use engine::{EngineError, NodeEngine, NodePortId, SharedPortId};

/// Pins that the processors of a machine use, and observed outputs: the ports of
/// [`Chip`](rtl::cm1::Chip) for each chip.
pub(super) struct Cm1Pins<'a> {
    engine: &'a mut dyn NodeEngine,
    start: SharedPortId,
    drain: SharedPortId,
    open_bank: SharedPortId,
    send: NodePortId,
    /// Last values sent. Inputs are set only when they change.
    sent: Vec<u64>,
    flip: NodePortId,
    pub acknowledge: NodePortId,
    pub deliver: NodePortId,
    pub parity_error: NodePortId,
    pub returned: NodePortId,
    pub occupied: NodePortId,
    pub exit: NodePortId,
    pub ejecting: NodePortId,
    pub cube_out: NodePortId,
}

impl<'a> Cm1Pins<'a> {
    /// Finds the pins of the machine in the engine.
    ///
    /// # Panics
    /// If the engine has no machine of this shape.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: Cm1Shape) -> Self {
        assert_eq!(engine.nodes(), shape.chips());
        Cm1Pins {
            start: engine.shared_port("start"),
            drain: engine.shared_port("drain"),
            open_bank: engine.shared_port("open_bank"),
            send: engine.port("send"),
            sent: vec![0; shape.chips()],
            flip: engine.port("flip"),
            acknowledge: engine.port("acknowledge"),
            deliver: engine.port("deliver"),
            parity_error: engine.port("parity_error"),
            returned: engine.port("returned"),
            occupied: engine.port("occupied"),
            exit: engine.port("exit"),
            ejecting: engine.port("ejecting"),
            cube_out: engine.port("cube_out"),
            engine,
        }
    }

    pub fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    pub fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.clock()
    }

    pub fn start(&mut self) -> bool {
        self.engine.get_shared(self.start) == 1
    }

    pub fn set_drain(&mut self, drain: bool) {
        self.engine.set_shared(self.drain, drain.into());
    }

    /// Selects the open bank of virtual processors.
    pub fn set_bank(&mut self, bank: u64) {
        self.engine.set_shared(self.open_bank, bank);
    }

    /// Sets the outputs of the processors of a chip.
    pub fn set_send(&mut self, chip: usize, bits: u64) {
        if self.sent[chip] != bits {
            self.sent[chip] = bits;
            self.engine.set(self.send, chip, bits);
        }
    }

    /// Inverts the arriving bits of a chip on these wires.
    pub fn set_flip(&mut self, chip: usize, wires: u64) {
        self.engine.set(self.flip, chip, wires);
    }

    /// Returns the words of a port of all chips.
    pub fn words(&mut self, port: NodePortId) -> Vec<u64> {
        let mut words = vec![];
        self.engine.get_all(port, &mut words);
        words
    }
}
