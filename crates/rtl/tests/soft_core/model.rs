//! The reference model: one hart of `rrs-lib`, with the behaviour that `rrs-lib` leaves open.

use crate::soft_core::isa::{self, InstructionFormat};
use rrs_lib::instruction_executor::{InstructionException, InstructionExecutor};
use rrs_lib::{HartState, MemAccessSize, Memory};

/// Words of a memory. Addresses wrap, so every address selects a word.
pub const WORDS: usize = 1 << 12;

/// A store as the memory sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryStore {
    /// Address of the aligned word.
    pub address: u32,
    /// The written bytes. The other bytes are zero.
    pub data: u32,
    /// The bytes written, the lowest in bit 0.
    pub strobe: u32,
}

#[derive(Clone)]
pub struct WordMemory {
    pub words: Vec<u32>,
    pub store: Option<MemoryStore>,
    pub load: Option<u32>,
}

impl WordMemory {
    pub fn at(&self, address: u32) -> u32 {
        self.words[(address / 4) as usize % WORDS]
    }
}

/// Returns the byte mask of an access in its word.
fn mask(address: u32, size: MemAccessSize) -> u32 {
    let bytes = match size {
        MemAccessSize::Byte => 0xFF,
        MemAccessSize::HalfWord => 0xFFFF,
        MemAccessSize::Word => 0xFFFF_FFFF,
    };
    bytes << (8 * (address % 4))
}

impl Memory for WordMemory {
    fn read_mem(&mut self, address: u32, size: MemAccessSize) -> Option<u32> {
        self.load = Some(address & !3);
        Some((self.at(address) & mask(address, size)) >> (8 * (address % 4)))
    }

    fn write_mem(&mut self, address: u32, size: MemAccessSize, data: u32) -> bool {
        let mask = mask(address, size);
        let data = (data << (8 * (address % 4))) & mask;
        let word = &mut self.words[(address / 4) as usize % WORDS];
        *word = *word & !mask | data;
        let strobe = (0..4).map(|i| (mask >> (8 * i) & 1) << i).sum();
        self.store = Some(MemoryStore { address: address & !3, data, strobe });
        true
    }
}

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    Retired,
    Asleep,
    /// Halted with this cause.
    Halted(u32),
}

pub struct CoreModel {
    hart: HartState,
    pub memory: WordMemory,
    asleep: bool,
    /// The M extension is legal.
    pub multiplies: bool,
    /// The instruction of the last turn, if it was legal.
    pub last: Option<&'static isa::InstructionSpec>,
}

impl CoreModel {
    pub fn new(words: Vec<u32>) -> Self {
        assert_eq!(words.len(), WORDS);
        let mut hart = HartState::new();
        hart.pc = 0;
        CoreModel {
            hart,
            memory: WordMemory { words, store: None, load: None },
            asleep: false,
            multiplies: false,
            last: None,
        }
    }

    pub fn pc(&self) -> u32 {
        self.hart.pc
    }

    pub fn register(&self, i: usize) -> u32 {
        self.hart.registers[i]
    }

    /// Runs one turn.
    pub fn turn(&mut self, wake: bool) -> TurnEnd {
        self.memory.store = None;
        self.memory.load = None;
        self.last = None;
        if self.asleep && !wake {
            return TurnEnd::Asleep;
        }
        self.asleep = false;
        let pc = self.hart.pc;
        let word = self.memory.at(pc);
        let extension = isa::find_multiplication(word).filter(|_| self.multiplies);
        let Some(instruction) = isa::find(word).or(extension) else {
            return TurnEnd::Halted(2);
        };
        self.last = Some(instruction);
        match instruction.name {
            "ecall" => return TurnEnd::Halted(11),
            "ebreak" => return TurnEnd::Halted(3),
            "wfi" => self.asleep = true,
            _ => {}
        }
        // `rrs-lib` knows neither kind.
        if matches!(instruction.kind, InstructionFormat::System | InstructionFormat::Fence) {
            self.hart.pc = pc.wrapping_add(4);
            return TurnEnd::Retired;
        }
        let registers = self.hart.registers;
        match self.execute(word) {
            Ok(()) if self.hart.pc.is_multiple_of(4) => return TurnEnd::Retired,
            Ok(()) => {}
            Err(InstructionException::AlignmentFault(_)) => {
                self.hart.pc = pc;
                return TurnEnd::Halted(match instruction.kind {
                    InstructionFormat::Load => 4,
                    _ => 6,
                });
            }
            Err(e) => panic!("{}: {e:?}", instruction.name),
        }
        // A jump to an odd half-word address has no effect.
        self.hart.registers = registers;
        self.hart.pc = pc;
        TurnEnd::Halted(0)
    }

    /// Executes a step of `rrs-lib`, which overflows at the end of the address space. There the
    /// instruction is executed at an address 2^31 lower, which changes only values computed from
    /// its address.
    fn execute(&mut self, word: u32) -> Result<(), InstructionException> {
        let before = self.hart.pc;
        let moved = before == 0xFFFF_FFFC;
        if moved {
            self.hart.pc ^= 1 << 31;
        }
        let mut executor =
            InstructionExecutor { mem: &mut self.memory, hart_state: &mut self.hart };
        executor.hart_state.last_register_write = None;
        let done = rrs_lib::process_instruction(&mut executor, word);
        let jumped = done.expect("it is legal")?;
        if !jumped {
            self.hart.pc = self.hart.pc.wrapping_add(4);
        }
        let from_pc = matches!(word & 0x7F, 0x17 | 0x6F | 0x67);
        if moved {
            // Branch and `jal` targets and register results that depend on the address are moved
            // back.
            if word & 0x7F != 0x67 {
                self.hart.pc ^= 1 << 31;
            }
            if let (true, Some(i)) = (from_pc, self.hart.last_register_write) {
                self.hart.registers[i] ^= 1 << 31;
            }
        }
        Ok(())
    }
}
