//! Probe on the core of one node.
//!
//! The core is the soft core of `rtl`. In the last clock cycle of a fetch the results of all earlier
//! instructions are in the register file, and the core has not read a register of the new one.
//! Therefore a debugger stops the machine in this clock cycle.

use engine::{NodeEngine, NodePortId};
use machine::program::NodeMemory;
use machine::{CONTEXT_WORDS, CORE_CONTEXT, CORE_DATA, CORE_REGISTERS};
use rtl::core::Cause;
use rtl::tdma::DATA_BASE;
use thiserror::Error;

/// Inner signals of a node that the probe reads. The lockstep engine must keep them.
pub const WATCHED: [&str; 4] =
    ["node.core.access.fetched", "node.core.address", CORE_CONTEXT, "node.core.access.a"];

/// The probe cannot be used on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the {engine} engine shows no soft core in the nodes of this machine; accepted: --firmware \
     without --core, and the lockstep engine"
)]
pub struct NoCore {
    /// Name of the engine.
    pub engine: &'static str,
}

/// Bit of word 0 that is set when the instruction at the program counter is done, without the bit
/// that marks a sleeping context.
const DONE: u32 = 2;

/// Signals of the core of one node.
pub struct CoreProbe {
    pub node: usize,
    fetched: NodePortId,
    address: NodePortId,
    current: NodePortId,
    accumulator: NodePortId,
    retired: NodePortId,
    asleep: NodePortId,
    halted: NodePortId,
    cause: NodePortId,
    instruction: NodePortId,
}

/// State of a core in which its registers are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreStop {
    /// The instruction at the program counter has been fetched.
    Fetched,
    Asleep,
    Halted(Cause),
}

impl CoreProbe {
    /// Probes a node of the machine in this engine.
    ///
    /// # Errors
    /// If the node has no soft core, or the engine does not show its signals.
    pub fn new(engine: &mut dyn NodeEngine, node: usize) -> Result<Self, NoCore> {
        let name = engine.name();
        let mut signal = |path: &str| engine.signal(path).ok_or(NoCore { engine: name });
        let [fetched, address, current, accumulator] = WATCHED;
        Ok(CoreProbe {
            node,
            fetched: signal(fetched)?,
            address: signal(address)?,
            current: signal(current)?,
            accumulator: signal(accumulator)?,
            retired: signal("retired")?,
            asleep: signal("asleep")?,
            halted: signal("halted")?,
            cause: signal("cause")?,
            instruction: signal("instruction")?,
        })
    }

    fn get(&self, engine: &mut dyn NodeEngine, port: NodePortId) -> u32 {
        engine.get(port, self.node) as u32
    }

    /// Returns the address of the instruction whose fetch ends in this clock cycle, if one does.
    pub fn fetched(&self, engine: &mut dyn NodeEngine) -> Option<u32> {
        (self.get(engine, self.fetched) == 1).then(|| self.get(engine, self.address))
    }

    /// Returns the instruction that completes in this clock cycle, if one does.
    pub fn retired(&self, engine: &mut dyn NodeEngine) -> Option<u32> {
        (self.get(engine, self.retired) == 1).then(|| self.get(engine, self.instruction))
    }

    /// Returns the address and the context of the instruction that completes in this clock cycle. A
    /// jump has already written its target to word 0 and has its own address in the accumulator.
    /// `None` if the engine cannot read memories.
    pub fn retired_address(&self, engine: &mut dyn NodeEngine) -> Option<(u32, u32)> {
        let context = self.context(engine);
        let word = engine.memory_word(CORE_REGISTERS, self.node, context * CONTEXT_WORDS)? as u32;
        let address = match word & DONE {
            0 => self.get(engine, self.accumulator),
            _ => word,
        };
        Some((address & !3, context as u32))
    }

    /// Returns the context that has the core.
    pub fn context(&self, engine: &mut dyn NodeEngine) -> usize {
        self.get(engine, self.current) as usize
    }

    /// Returns the state of the core, if its registers are complete in this clock cycle.
    pub fn stop(&self, engine: &mut dyn NodeEngine) -> Option<CoreStop> {
        if self.get(engine, self.halted) == 1 {
            let cause = self.get(engine, self.cause);
            return Cause::from_number(cause.into()).map(CoreStop::Halted);
        }
        if self.get(engine, self.fetched) == 1 {
            return Some(CoreStop::Fetched);
        }
        (self.get(engine, self.asleep) == 1).then_some(CoreStop::Asleep)
    }

    /// Reads the registers of a context; register 0 is the address of its next instruction. `None`
    /// if the engine cannot read memories.
    pub fn registers(&self, engine: &mut dyn NodeEngine, context: usize) -> Option<[u32; 32]> {
        let mut registers = [0; CONTEXT_WORDS];
        for (register, value) in registers.iter_mut().enumerate() {
            let word = context * CONTEXT_WORDS + register;
            *value = engine.memory_word(CORE_REGISTERS, self.node, word)? as u32;
        }
        registers[0] = registers[0].wrapping_add(DONE) & !3;
        Some(registers)
    }

    /// Sets a register other than 0.
    pub fn set_register(
        &self,
        engine: &mut dyn NodeEngine,
        context: usize,
        register: usize,
        value: u32,
    ) {
        let word = context * CONTEXT_WORDS + register;
        engine.set_memory_word(CORE_REGISTERS, self.node, word, value.into());
    }

    /// Reads the data memory.
    pub fn data(&self, engine: &mut dyn NodeEngine, memory: NodeMemory) -> Vec<u8> {
        let Some(path) = self.data_path(engine) else {
            return vec![];
        };
        let bytes = 0..memory.data() as usize;
        let mut byte = |offset| engine.memory_word(path, self.node, offset);
        bytes.map_while(|i| byte(i).map(|b| b as u8)).collect()
    }

    /// Sets a byte of the data memory, by its address.
    pub fn set_data(&self, engine: &mut dyn NodeEngine, address: u32, value: u8) {
        let offset = (address - DATA_BASE as u32) as usize;
        if let Some(path) = self.data_path(engine) {
            engine.set_memory_word(path, self.node, offset, value.into());
        }
    }

    fn data_path(&self, engine: &mut dyn NodeEngine) -> Option<&'static str> {
        let mut paths = CORE_DATA.into_iter();
        paths.find(|path| engine.memory_word(path, self.node, 0).is_some())
    }
}
