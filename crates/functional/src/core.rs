//! The core of a node: executes instructions in the clock cycles of the soft core.
//!
//! An instruction runs as a whole. If it does not end before the next synchronisation point
//! (`phase.rs`), it is executed again after that, from its first clock cycle. The result is the same,
//! because each change of a register or buffer is stored with its clock cycle.

use crate::bus::BusAccess;
use crate::instruction::{Instruction, Kind};
use crate::node::{Common, Halt, Node, Transfer, TransferState};
use crate::phase::PhaseClock;
use rtl::core::Cause;
use rtl::tdma::{DATA_BASE, PORT_BASE};

/// Clock cycles from the beginning of a turn until the instruction is in its register: two for a
/// fetch from the program store, five from the data memory.
const FETCH: u64 = 2;
const FETCH_DATA: u64 = 5;

/// End of an attempt to execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The instruction has ended, or a transfer has begun.
    Over,
    /// The instruction does not end in time, or waits for the message memory.
    Waits,
}

/// Bit of an address that selects the registers of the node, and the one for the data memory.
const PORT_BIT: u32 = PORT_BASE as u32;
const DATA_BIT: u32 = DATA_BASE as u32;

impl Node {
    /// Simulates the clock cycles before `until`. If `stops` is set, stops at the first one from
    /// `now` on in which the node shows something to its host, and returns it.
    pub fn run(
        &mut self,
        common: &Common,
        clock: &PhaseClock,
        (now, until): (u64, u64),
        stops: bool,
    ) -> Option<u64> {
        loop {
            if stops {
                let shown = self.shown_at(now);
                if shown.is_some_and(|t| t < until) {
                    return shown;
                }
            }
            if self.time >= until {
                break;
            }
            if self.halt.is_some() {
                self.time = until;
            } else if self.transfer.is_some() {
                self.step_transfer(common, clock, until);
            } else if self.sleeps(common, until) {
                continue;
            } else if self.turn(common, clock, until) == Turn::Waits {
                break;
            }
        }
        None
    }

    /// Handles a turn of a context that sleeps, or all of them up to the next event. Returns false
    /// if the context is awake.
    fn sleeps(&mut self, common: &Common, until: u64) -> bool {
        let context = self.state.context;
        if !self.state.asleep[context] {
            return false;
        }
        let t = self.time;
        if context == 1 {
            if self.is_due(t, t) {
                self.state.asleep[1] = false;
                return false;
            }
            self.state.context = 0;
            self.time = t + 1;
            return true;
        }
        if self.wakes(t) {
            self.state.asleep[0] = false;
            return false;
        }
        if common.background.is_some() && self.is_due(t, t) {
            self.state.context = 1;
            self.time = t + 1;
            return true;
        }
        // The phase is decided. Until the next synchronisation point only the memory can wake the core.
        self.time = match self.open.0 > t {
            true => self.open.0.min(until),
            false => until,
        };
        true
    }

    /// Executes an instruction.
    fn turn(&mut self, common: &Common, clock: &PhaseClock, until: u64) -> Turn {
        let (begin, context) = (self.time, self.state.context);
        let pc = self.state.next_pc[context];
        let (instruction, execute) = self.fetch(common, pc, begin);
        let registers = &self.state.registers[context];
        let a = registers[instruction.rs1 as usize];
        let b = registers[instruction.rs2 as usize];
        let (result, next, end) = match instruction.kind {
            Kind::Immediate(operation) => {
                let b = instruction.immediate;
                let end = execute + operation.clock_cycles(b);
                (operation.apply(a, b), pc.wrapping_add(4), end)
            }
            Kind::Register(operation) => {
                let end = execute + operation.clock_cycles(b);
                (operation.apply(a, b), pc.wrapping_add(4), end)
            }
            Kind::Lui => (instruction.immediate, pc.wrapping_add(4), execute + 1),
            Kind::Auipc => {
                let value = pc.wrapping_add(instruction.immediate);
                (value, pc.wrapping_add(4), execute + 1)
            }
            Kind::Branch(condition) => {
                if !condition.holds(a, b) {
                    return self.end(common, until, instruction, pc.wrapping_add(4), execute + 2);
                }
                let target = pc.wrapping_add(instruction.immediate);
                if target & 2 != 0 {
                    return self.halt(until, instruction, Cause::MisalignedJump, execute + 3);
                }
                return self.end(common, until, instruction, target, execute + 5);
            }
            Kind::Jal | Kind::Jalr => {
                let target = match instruction.kind {
                    Kind::Jal => pc.wrapping_add(instruction.immediate),
                    _ => a.wrapping_add(instruction.immediate) & !1,
                };
                if target & 2 != 0 {
                    return self.halt(until, instruction, Cause::MisalignedJump, execute + 3);
                }
                (pc.wrapping_add(4), target, execute + 3)
            }
            Kind::Load | Kind::Store => {
                return self.access(common, clock, until, instruction, (a, b), execute)
            }
            Kind::Fence => {
                return self.end(common, until, instruction, pc.wrapping_add(4), execute + 1)
            }
            Kind::Wfi => {
                let turn = self.end(common, until, instruction, pc.wrapping_add(4), execute + 1);
                if turn == Turn::Over {
                    self.state.asleep[context] = true;
                }
                return turn;
            }
            Kind::Illegal | Kind::EnvironmentCall | Kind::Breakpoint => {
                let cause = match instruction.kind {
                    Kind::Illegal if common.guard.is_some() && instruction.word == 0 => {
                        Cause::JumpOutside
                    }
                    Kind::Illegal => Cause::IllegalInstruction,
                    Kind::EnvironmentCall => Cause::EnvironmentCall,
                    _ => Cause::Breakpoint,
                };
                return self.halt(until, instruction, cause, execute - 1);
            }
        };
        if end > until {
            return Turn::Waits;
        }
        if instruction.rd != 0 {
            self.state.registers[context][instruction.rd as usize] = result;
        }
        self.end(common, until, instruction, next, end)
    }

    /// Returns the instruction at an address, and the clock cycle in which it executes.
    pub fn fetch(&self, common: &Common, pc: u32, begin: u64) -> (Instruction, u64) {
        let index = ((pc & common.program_mask) >> 2) as usize;
        let is_program = match common.guard {
            Some(limits) => pc < limits.program,
            None => pc & (PORT_BIT | DATA_BIT) == 0,
        };
        if is_program {
            if let Some(instruction) = common.instructions.get(index) {
                return (*instruction, begin + FETCH + 1);
            }
        }
        let in_data = common.guard.is_none() && pc & (PORT_BIT | DATA_BIT) == DATA_BIT;
        let (word, clock_cycles) = match in_data {
            true => (self.data_word(common, pc), FETCH_DATA),
            false => (0, FETCH),
        };
        let instruction = Instruction::decode(word, common.multiplies);
        (instruction, begin + clock_cycles + 1)
    }

    /// Ends an instruction, so that the next turn begins in clock cycle `end`.
    pub fn end(
        &mut self,
        common: &Common,
        until: u64,
        instruction: Instruction,
        next_pc: u32,
        end: u64,
    ) -> Turn {
        if end > until {
            return Turn::Waits;
        }
        let due = common.background.is_some() && self.is_due(self.time, end - 1);
        self.end_turn(instruction, next_pc, end, due);
        Turn::Over
    }

    /// Ends an instruction. `due` is true if context 1 had a phase to decide during the turn.
    pub fn end_turn(&mut self, instruction: Instruction, next_pc: u32, end: u64, due: bool) {
        let context = self.state.context;
        self.state.last_pc[context] = self.state.next_pc[context];
        self.state.next_pc[context] = next_pc;
        self.instruction = instruction.word;
        self.retired = end;
        self.time = end;
        // Context 1 keeps the core until it sleeps.
        if context == 0 && due {
            self.state.context = 1;
        }
    }

    /// Halts the core in clock cycle `t`.
    fn halt(&mut self, until: u64, instruction: Instruction, cause: Cause, t: u64) -> Turn {
        if t >= until {
            return Turn::Waits;
        }
        let context = self.state.context;
        self.state.last_pc[context] = self.state.next_pc[context];
        self.instruction = instruction.word;
        self.halt = Some(Halt { cause, visible: t + 2 });
        self.time = until;
        Turn::Over
    }

    /// Executes a load or store from clock cycle `execute` on. `base` and `value` are its registers.
    fn access(
        &mut self,
        common: &Common,
        clock: &PhaseClock,
        until: u64,
        instruction: Instruction,
        (base, value): (u32, u32),
        execute: u64,
    ) -> Turn {
        let store = instruction.kind == Kind::Store;
        let exact = base.wrapping_add(instruction.immediate);
        let misaligned = match instruction.size & 3 {
            0 => 0,
            1 => exact & 1,
            _ => exact & 3,
        };
        if misaligned != 0 {
            let cause = match store {
                true => Cause::MisalignedStore,
                false => Cause::MisalignedLoad,
            };
            return self.halt(until, instruction, cause, execute + 3);
        }
        let address = exact & !3;
        if let Some(cause) = self.wrong_access(common, instruction, address) {
            return self.halt(until, instruction, cause, execute);
        }
        let lanes = match store {
            true => Some(store_lanes(instruction.size, exact & 3, value)),
            false => None,
        };
        let access = BusAccess { address, lanes, begin: execute };
        let next_pc = self.state.next_pc[self.state.context].wrapping_add(4);
        let (word, end) = if address & PORT_BIT != 0 {
            return self.access_port(common, clock, until, instruction, access);
        } else if address & DATA_BIT != 0 {
            let end = execute + 5;
            if end > until {
                return Turn::Waits;
            }
            match lanes {
                Some((word, strobe)) => {
                    self.store_data(common, address, word, strobe);
                    (0, end)
                }
                None => (self.data_word(common, address), end),
            }
        } else {
            (common.program_word(address), execute + 2)
        };
        if end > until {
            return Turn::Waits;
        }
        self.load(instruction, exact, word);
        self.end(common, until, instruction, next_pc, end)
    }

    /// Writes the value of a load to its register.
    pub fn load(&mut self, instruction: Instruction, exact: u32, word: u32) {
        if instruction.kind == Kind::Load && instruction.rd != 0 {
            let value = loaded(instruction.size, exact & 3, word);
            self.state.registers[self.state.context][instruction.rd as usize] = value;
        }
    }

    /// Returns why the guard halts the core at this access.
    fn wrong_access(
        &self,
        common: &Common,
        instruction: Instruction,
        address: u32,
    ) -> Option<Cause> {
        let limits = common.guard?;
        let store = instruction.kind == Kind::Store;
        let by_stack = instruction.rs1 == 2 && self.state.context == 0;
        if store && by_stack && address < DATA_BIT + limits.data {
            return Some(Cause::StackOverflow);
        }
        let in_program = address < limits.program && !store;
        let in_data = (DATA_BIT..=DATA_BIT + common.data_mask).contains(&address);
        let in_port = matches!(address & 0xFFFF_FF80, PORT_BIT | 0xFFFF_FF00);
        match in_program || in_data || in_port {
            true => None,
            false if store => Some(Cause::StoreOutside),
            false => Some(Cause::LoadOutside),
        }
    }

    /// Word of the data memory.
    pub fn data_word(&self, common: &Common, address: u32) -> u32 {
        let at = (address & common.data_mask & !3) as usize;
        let bytes = self.state.data[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes)
    }

    fn store_data(&mut self, common: &Common, address: u32, word: u32, strobe: u8) {
        let at = (address & common.data_mask & !3) as usize;
        for (i, byte) in word.to_le_bytes().into_iter().enumerate() {
            if strobe >> i & 1 == 1 {
                self.state.data[at + i] = byte;
            }
        }
    }

    /// Begins a transfer with the host, which takes the rest of the instruction.
    pub fn begin_transfer(&mut self, until: u64, access: BusAccess, command: u32) -> Turn {
        if access.begin >= until {
            return Turn::Waits;
        }
        self.transfer = Some(Transfer {
            state: TransferState::Idle,
            started: self.time,
            command,
            index: 0,
            left: 0,
            byte: 0,
        });
        self.time = access.begin;
        Turn::Over
    }
}

/// Returns a word with the value in each of its lanes of this size, and a bit for each byte to write.
fn store_lanes(size: u8, offset: u32, value: u32) -> (u32, u8) {
    match size & 3 {
        0 => ((value & 0xFF).wrapping_mul(0x0101_0101), 1 << offset),
        1 => ((value & 0xFFFF).wrapping_mul(0x0001_0001), 3 << offset),
        _ => (value, 15),
    }
}

/// Returns the value of a load from the aligned word.
fn loaded(size: u8, offset: u32, word: u32) -> u32 {
    let shifted = word >> (8 * offset);
    match size {
        0 => shifted as u8 as i8 as u32,
        1 => shifted as u16 as i16 as u32,
        4 => shifted & 0xFF,
        5 => shifted & 0xFFFF,
        _ => shifted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::FunctionalMachine;
    use interconnect::traffic::SplitMix64;
    use rrs_lib::instruction_executor::InstructionExecutor;
    use rrs_lib::memories::VecMemory;
    use rrs_lib::HartState;
    use rtl::tdma::{CoreMemory, EnginePlan, PhasePlan};

    /// Bytes of data of the tested node.
    const DATA: u32 = 64;

    fn common(word: u32) -> Common {
        Common::new(&FunctionalMachine {
            dims: 1,
            plan: EnginePlan {
                acked: true,
                round_robin: true,
                pool: false,
                payload: 6,
                phase: PhasePlan {
                    frame_open: 100,
                    frame_close: 1000,
                    answer_open: 1024,
                    answer_close: 1200,
                    phase: 1232,
                },
            },
            program: vec![word],
            memory: CoreMemory { program_bits: 9, data_bits: 6 },
            multiplies: true,
            background: None,
            guard: None,
            led: false,
        })
    }

    /// Random word of an instruction that changes registers, data or the program counter. x8 is the
    /// address of the data.
    fn word(random: &mut impl FnMut(u32) -> u32) -> u32 {
        let rd = random(32) << 7;
        let rs2 = random(32) << 20;
        let (rs1, funct3) = (random(32) << 15, random(8) << 12);
        let offset = random(DATA / 4) * 4 + random(4);
        let word = match random(9) {
            0 => random(4096) << 20 | rs1 | [0, 2, 3, 4, 6, 7][random(6) as usize] << 12 | 0x13,
            1 => random(2) << 30 | rs1 | 0x5013 | random(32) << 20,
            2 => rs2 | rs1 | funct3 | random(2) << 25 | 0x33,
            3 => rs2 | rs1 | [0, 5][random(2) as usize] << 12 | 1 << 30 | 0x33,
            4 => {
                let (size, mask) = [(0, 0), (1, 1), (2, 3), (4, 0), (5, 1)][random(5) as usize];
                (offset & !mask) << 20 | 8 << 15 | size << 12 | 3
            }
            5 => {
                let (size, mask) = [(0, 0), (1, 1), (2, 3)][random(3) as usize];
                let offset = offset & !mask;
                let at = offset >> 5 << 25 | (offset & 31) << 7;
                return at | random(32) << 20 | 8 << 15 | size << 12 | 0x23;
            }
            6 => {
                let condition = [0, 1, 4, 5, 6, 7][random(6) as usize] << 12;
                return random(2) << 31
                    | random(16) << 8 & 0xC00
                    | rs1
                    | condition
                    | 0x63
                    | random(32) << 20;
            }
            7 => random(1 << 20) << 12 | 0x37,
            _ => random(1 << 20) << 12 | 0x17,
        };
        word | rd
    }

    /// Compares registers, data and program counter after one instruction with `rrs-lib`.
    #[test]
    fn instructions_agree_with_another_simulator() {
        let mut generator = SplitMix64::new(1);
        let mut random = |below: u32| generator.below(below.into()) as u32;
        let mut compared = 0;
        for _ in 0..20_000 {
            let word = word(&mut random);
            let common = common(word);
            let mut node = Node::new(0, &common);
            let mut hart = HartState::new();
            let mut memory = VecMemory::new(vec![0; DATA as usize / 4]);
            for register in 1..32 {
                let value = match random(4) {
                    0 => [0, 1, u32::MAX, 1 << 31, i32::MAX as u32][random(5) as usize],
                    _ => random(1 << 16) << 16 | random(1 << 16),
                };
                node.state.registers[0][register] = value;
                hart.registers[register] = value;
            }
            node.state.registers[0][8] = DATA_BIT;
            hart.registers[8] = 0;
            for byte in 0..DATA as usize {
                node.state.data[byte] = random(256) as u8;
                memory.mem[byte / 4] |= u32::from(node.state.data[byte]) << (8 * (byte % 4));
            }
            let opcode = word & 0x7F;
            let uses = |field: u32| word >> field & 31 == 8;
            if uses(15) && !matches!(opcode, 3 | 0x23) || uses(20) {
                continue;
            }
            let clock = PhaseClock::new(1);
            if node.turn(&common, &clock, 1000) != Turn::Over || node.halt.is_some() {
                continue;
            }
            let mut executor = InstructionExecutor { hart_state: &mut hart, mem: &mut memory };
            let jumps = rrs_lib::process_instruction(&mut executor, word)
                .expect("rrs-lib knows the instruction")
                .expect("no exception");
            let pc = if jumps { hart.pc } else { 4 };
            assert_eq!(node.state.next_pc[0], pc, "{word:08X}");
            compared += 1;
            for register in (1..32).filter(|register| *register != 8) {
                let found = node.state.registers[0][register];
                assert_eq!(found, hart.registers[register], "{word:08X}, x{register}");
            }
            for (at, wanted) in memory.mem.iter().enumerate() {
                assert_eq!(node.data_word(&common, 4 * at as u32), *wanted, "{word:08X}");
            }
        }
        assert!(compared > 10_000, "{compared}");
    }
}
