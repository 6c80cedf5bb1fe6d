use super::Cm1Shape;
use crate::engine::{Engine, EngineError, PortId};

/// The pins of a machine that its processors use, and what is watched. Lists
/// are by chip, or by processor, as of [`Cm1Cube`](crate::rtl::cm1::Cm1Cube).
pub trait Pins {
    /// As [`Engine::settle`].
    ///
    /// # Errors
    /// If the circuit does not settle.
    fn settle(&mut self) -> Result<(), EngineError>;

    /// As [`Engine::clock`].
    ///
    /// # Errors
    /// If the circuit does not settle.
    fn clock(&mut self) -> Result<(), EngineError>;

    fn set_drain(&mut self, drain: bool);
    fn set_send(&mut self, processor: usize, bit: bool);
    /// Inverts the bits on these wires out of the chip.
    fn set_flip(&mut self, chip: usize, wires: u32);
    fn start(&mut self) -> bool;
    fn acknowledge(&mut self, processor: usize) -> bool;
    fn deliver(&mut self, processor: usize) -> bool;
    fn parity_error(&mut self, processor: usize) -> bool;
    fn returned(&mut self, processor: usize) -> bool;
    fn occupied(&mut self, chip: usize) -> bool;
    fn exit(&mut self, chip: usize) -> u16;
    fn ejecting(&mut self, chip: usize) -> u16;
    fn cube_out(&mut self, chip: usize) -> u32;
}

/// The pins of a [`Cm1Cube`](crate::rtl::cm1::Cm1Cube) in an engine.
pub struct EnginePins<'a> {
    engine: &'a mut dyn Engine,
    start: PortId,
    drain: PortId,
    send: Vec<PortId>,
    /// What was sent last: inputs are set only when they change.
    sent: Vec<bool>,
    acknowledge: Vec<PortId>,
    deliver: Vec<PortId>,
    parity_error: Vec<PortId>,
    returned: Vec<PortId>,
    occupied: Vec<PortId>,
    exit: Vec<PortId>,
    ejecting: Vec<PortId>,
    cube_out: Vec<PortId>,
    flip: Vec<PortId>,
}

impl<'a> EnginePins<'a> {
    pub fn new(engine: &'a mut dyn Engine, shape: Cm1Shape) -> Self {
        let first = |name: &str| engine.port(&format!("{name}[0]"));
        // The elements of a list of ports stand together.
        let list = |name: &str, length: usize| -> Vec<PortId> {
            let PortId(first) = first(name);
            (first..first + length).map(PortId).collect()
        };
        let chips = |name: &str| list(name, shape.chips());
        let all = shape.chips() * shape.processors();
        let processors = |name: &str| list(name, all);
        EnginePins {
            start: engine.port("start"),
            drain: engine.port("drain"),
            send: processors("send"),
            sent: vec![false; all],
            acknowledge: processors("acknowledge"),
            deliver: processors("deliver"),
            parity_error: processors("parity_error"),
            returned: processors("returned"),
            occupied: chips("occupied"),
            exit: chips("exit"),
            ejecting: chips("ejecting"),
            cube_out: chips("cube_out"),
            flip: chips("flip"),
            engine,
        }
    }

    fn bit(&mut self, port: PortId) -> bool {
        self.engine.get_u64(port) == 1
    }
}

impl Pins for EnginePins<'_> {
    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.clock()
    }

    fn set_drain(&mut self, drain: bool) {
        self.engine.set_u64(self.drain, drain.into());
    }

    fn set_send(&mut self, processor: usize, bit: bool) {
        if self.sent[processor] != bit {
            self.sent[processor] = bit;
            self.engine.set_u64(self.send[processor], bit.into());
        }
    }

    fn set_flip(&mut self, chip: usize, wires: u32) {
        self.engine.set_u64(self.flip[chip], wires.into());
    }

    fn start(&mut self) -> bool {
        self.bit(self.start)
    }

    fn acknowledge(&mut self, processor: usize) -> bool {
        self.bit(self.acknowledge[processor])
    }

    fn deliver(&mut self, processor: usize) -> bool {
        self.bit(self.deliver[processor])
    }

    fn parity_error(&mut self, processor: usize) -> bool {
        self.bit(self.parity_error[processor])
    }

    fn returned(&mut self, processor: usize) -> bool {
        self.bit(self.returned[processor])
    }

    fn occupied(&mut self, chip: usize) -> bool {
        self.bit(self.occupied[chip])
    }

    fn exit(&mut self, chip: usize) -> u16 {
        self.engine.get_u64(self.exit[chip]) as u16
    }

    fn ejecting(&mut self, chip: usize) -> u16 {
        self.engine.get_u64(self.ejecting[chip]) as u16
    }

    fn cube_out(&mut self, chip: usize) -> u32 {
        self.engine.get_u64(self.cube_out[chip]) as u32
    }
}
