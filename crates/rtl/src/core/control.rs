//! The state machine of the soft core.

use hdl::prelude::*;
use serde::{Serialize, Serializer};
use std::fmt;

const MISALIGNED_JUMP: u64 = Cause::MisalignedJump as u64;
const ILLEGAL_INSTRUCTION: u64 = Cause::IllegalInstruction as u64;
const BREAKPOINT: u64 = Cause::Breakpoint as u64;
const MISALIGNED_LOAD: u64 = Cause::MisalignedLoad as u64;
const MISALIGNED_STORE: u64 = Cause::MisalignedStore as u64;
const ENVIRONMENT_CALL: u64 = Cause::EnvironmentCall as u64;

/// Sequences the [`InstructionState`]s of the soft core and determines when and how a turn ends.
#[derive(LogicBlock, Circuit, Default)]
pub struct Control {
    pub clock: Signal<In, Clock>,
    /// Aborts the current turn and prevents the next one.
    pub reset: Signal<In, Bit>,
    /// The next turn may begin.
    pub go: Signal<In, Bit>,
    pub instruction: Signal<In, Bits<32>>,
    /// Kind of the instruction, from [`Decoder`](super::Decoder).
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub jal: Signal<In, Bit>,
    pub jalr: Signal<In, Bit>,
    pub shift: Signal<In, Bit>,
    pub stops: Signal<In, Bit>,
    pub illegal: Signal<In, Bit>,
    pub ecall: Signal<In, Bit>,
    /// State of the bus, from [`Access`](super::Access).
    pub sleeping: Signal<In, Bit>,
    pub fetched: Signal<In, Bit>,
    pub misaligned: Signal<In, Bit>,
    /// The access completes in this clock cycle.
    pub ready: Signal<In, Bit>,
    /// Shift distance and branch condition, from [`Computation`](super::Computation).
    pub distance: Signal<In, Bits<5>>,
    pub decides: Signal<In, Bit>,
    pub step: Signal<Out, InstructionState>,
    /// The access or the jump is misaligned; valid after step `Execute`.
    pub fault: Signal<Out, Bit>,
    /// No bit is left to shift.
    pub shifted: Signal<Out, Bit>,
    /// The next turn begins if `go` is high.
    pub begins: Signal<Out, Bit>,
    /// The turn ends with a completed instruction.
    pub retired: Signal<Out, Bit>,
    /// The turn ends because the instruction cannot be executed.
    pub halted: Signal<Out, Bit>,
    /// Reason for the halt; valid while `halted` is high.
    pub cause: Signal<Out, Bits<4>>,
    state: Reg<InstructionState>,
    /// Bits left to shift.
    count: Reg<Bits<5>>,
    misses: Reg<Bit>,
    /// The branch is taken.
    taken: Reg<Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for Control {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, misses, taken);
        let step = self.state.q.val();
        let fault = self.misses.q.val();
        let operand = step == InstructionState::Operand;
        let jump = step == InstructionState::Jump;
        let branch = self.branch.val();
        let jumps = self.jal.val() | self.jalr.val();
        let shift = self.shift.val();
        let stops = self.stops.val();
        let misaligned = self.misaligned.val();
        let shifted = !self.count.q.val().any();

        // The instruction completes.
        self.ends.next =
            ((step == InstructionState::Shift) & shifted) | (step == InstructionState::Link);
        if step == InstructionState::Execute {
            let accesses = self.load.val() | self.store.val();
            self.ends.next =
                !(shift | jumps | branch | misaligned) & !(accesses & !self.ready.val());
        }
        if step == InstructionState::Recall {
            self.ends.next = branch & !self.taken.q.val();
        }
        let ends = self.ends.val();
        let begins = (step == InstructionState::Idle) | ends | self.sleeping.val();

        match step {
            InstructionState::Idle => {}
            InstructionState::Fetch => {
                if self.fetched.val() {
                    self.state.d.next = InstructionState::Operand;
                }
            }
            InstructionState::Operand => {
                self.misses.d.next = false;
                self.state.d.next =
                    if stops { InstructionState::Idle } else { InstructionState::Execute };
            }
            InstructionState::Execute => {
                self.count.d.next = self.distance.val();
                self.misses.d.next = misaligned;
                if shift {
                    self.state.d.next = InstructionState::Shift;
                }
                if jumps {
                    self.state.d.next = InstructionState::Jump;
                }
                self.taken.d.next = self.decides.val() ^ self.instruction.val().get_bit(12);
                if branch | misaligned {
                    self.state.d.next = InstructionState::Recall;
                }
            }
            InstructionState::Shift => {
                self.count.d.next = self.count.q.val() - 1;
            }
            InstructionState::Recall => {
                self.state.d.next = InstructionState::Target;
                if branch {
                    self.misses.d.next = self.instruction.val().get_bit(8);
                }
            }
            InstructionState::Target => self.state.d.next = InstructionState::Jump,
            InstructionState::Jump => {
                self.state.d.next =
                    if fault { InstructionState::Idle } else { InstructionState::Link };
            }
            InstructionState::Link => {}
        }
        if begins {
            self.state.d.next =
                if self.go.val() { InstructionState::Fetch } else { InstructionState::Idle };
        }
        if self.reset.val() {
            self.state.d.next = InstructionState::Idle;
        }

        self.step.next = step;
        self.fault.next = fault;
        self.shifted.next = shifted;
        self.begins.next = begins;
        self.retired.next = ends;
        self.halted.next = (operand & stops) | (jump & fault);
        self.cause.next = if self.load.val() {
            MISALIGNED_LOAD.into()
        } else if self.store.val() {
            MISALIGNED_STORE.into()
        } else {
            MISALIGNED_JUMP.into()
        };
        if operand {
            self.cause.next = if self.illegal.val() {
                ILLEGAL_INSTRUCTION.into()
            } else if self.ecall.val() {
                ENVIRONMENT_CALL.into()
            } else {
                BREAKPOINT.into()
            };
        }
    }
}

// The instruction decoder.

// Bits 0 to 6 of an instruction (RISC-V Unprivileged ISA, table of base opcodes).
const LOAD: usize = 0b0000011;
const MISC_MEM: usize = 0b0001111;
const OP_IMM: usize = 0b0010011;
const AUIPC: usize = 0b0010111;
const STORE: usize = 0b0100011;
const OP: usize = 0b0110011;
const LUI: usize = 0b0110111;
const BRANCH: usize = 0b1100011;
const JALR: usize = 0b1100111;
const JAL: usize = 0b1101111;
const SYSTEM: usize = 0b1110011;

/// Decodes the kind of an instruction. Combinational.
///
/// The instruction set is RV32I with `ecall`, `ebreak` and `wfi`. Every other encoding is illegal.
/// `fence` and `fence.i` are decoded by opcode and `funct3` only. For a legal instruction at most
/// one kind is high; `arithmetic`, `shift`, `has_result` and `stops` overlap with other kinds. For
/// an illegal instruction any output may be high.
#[derive(LogicBlock, Circuit, Default)]
pub struct Decoder {
    pub instruction: Signal<In, Bits<32>>,
    pub load: Signal<Out, Bit>,
    pub store: Signal<Out, Bit>,
    pub branch: Signal<Out, Bit>,
    pub jal: Signal<Out, Bit>,
    pub jalr: Signal<Out, Bit>,
    pub lui: Signal<Out, Bit>,
    pub auipc: Signal<Out, Bit>,
    /// Arithmetic with two registers.
    pub register: Signal<Out, Bit>,
    /// Arithmetic with two registers, or with one and an immediate.
    pub arithmetic: Signal<Out, Bit>,
    /// A shift, which is also `arithmetic`.
    pub shift: Signal<Out, Bit>,
    /// The instruction writes a register: `arithmetic` and others, without loads.
    pub has_result: Signal<Out, Bit>,
    pub wfi: Signal<Out, Bit>,
    pub ecall: Signal<Out, Bit>,
    pub ebreak: Signal<Out, Bit>,
    pub illegal: Signal<Out, Bit>,
    /// The core halts at the instruction: `illegal`, `ecall` or `ebreak`.
    pub stops: Signal<Out, Bit>,
    /// The opcode belongs to RV32I.
    known: Signal<Local, Bit>,
}

impl Logic for Decoder {
    #[kernel]
    fn update(&mut self) {
        let word = self.instruction.val();
        let funct3 = word.get_bits::<3>(12);

        self.known.next = false;
        match word.get_bits::<7>(0).index() {
            LOAD | MISC_MEM | OP_IMM | AUIPC | STORE | OP | LUI => self.known.next = true,
            BRANCH | JALR | JAL | SYSTEM => self.known.next = true,
            _ => {}
        }
        // The fewest bits that distinguish the legal opcodes.
        let o2 = word.get_bit(2);
        let o3 = word.get_bit(3);
        let o4 = word.get_bit(4);
        let o5 = word.get_bit(5);
        let o6 = word.get_bit(6);
        let load = !o5 & !o4 & !o2;
        self.load.next = load;
        let store = !o6 & o5 & !o4;
        self.store.next = store;
        let branch = o6 & !o4 & !o2;
        self.branch.next = branch;
        let jal = o6 & o3;
        self.jal.next = jal;
        let jalr = o6 & !o3 & o2;
        self.jalr.next = jalr;
        let lui = !o6 & o5 & o2;
        self.lui.next = lui;
        let auipc = !o5 & o4 & o2;
        self.auipc.next = auipc;
        let register = !o6 & o5 & o4 & !o2;
        self.register.next = register;
        let immediate = !o5 & o4 & !o2;
        let arithmetic = register | immediate;
        self.arithmetic.next = arithmetic;
        let shifts = funct3.get_bits::<2>(0) == 1;
        self.shift.next = arithmetic & shifts;
        self.has_result.next = arithmetic | lui | auipc | jal | jalr;
        self.wfi.next = o6 & o4 & word.get_bit(28);
        let ecall = o6 & o4 & !word.get_bit(20);
        self.ecall.next = ecall;
        let ebreak = o6 & o4 & word.get_bit(20) & !word.get_bit(28);
        self.ebreak.next = ebreak;

        let jumps = jalr & funct3.any();
        let branches = branch & !funct3.get_bit(2) & funct3.get_bit(1);
        let wide = funct3.get_bit(1) & funct3.get_bit(0);
        let stores = store & (funct3.get_bit(2) | wide);
        let unsigned_word = funct3.get_bit(1) & funct3.get_bit(2);
        let loads = load & (unsigned_word | wide);
        let fences = !o6 & o3 & (funct3.get_bit(2) | funct3.get_bit(1));
        // Bit 30 selects `sub` and arithmetic shifts, and must otherwise be zero.
        let others = word.get_bits::<5>(25).any() | word.get_bit(31);
        let may_differ = (shifts & funct3.get_bit(2)) | (register & !funct3.any());
        let arithmetics =
            (register | (immediate & shifts)) & (others | (word.get_bit(30) & !may_differ));
        // All zero except the bits that distinguish `ecall` (0), `ebreak` (1) and `wfi` (0x105).
        let zeros = !word.get_bits::<13>(7).any()
            & !word.get_bit(21)
            & !word.get_bits::<5>(23).any()
            & !word.get_bits::<3>(29).any();
        let code = (word.get_bit(28) == word.get_bit(22)) & (word.get_bit(20) | !word.get_bit(28));
        let systems = o6 & o4 & !(zeros & code);
        let illegal =
            !self.known.val() | jumps | branches | stores | loads | fences | arithmetics | systems;
        self.illegal.next = illegal;
        self.stops.next = illegal | ecall | ebreak;
    }
}

/// Reason why a core cannot execute an instruction. The numbers are the codes of `mcause` in the
/// RISC-V Privileged ISA. Only the guard of a simulated node finds the accesses outside its
/// memories and stack overflows ([`SoftNode`](crate::tdma::SoftNode)). The core itself accepts
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A jump or taken branch to an address that is not a multiple of four. `jalr` first clears bit
    /// 0 of the address.
    MisalignedJump = 0,
    /// A jump to a word that holds no instruction, past the end of the program.
    JumpOutside = 1,
    IllegalInstruction = 2,
    /// `ebreak`.
    Breakpoint = 3,
    MisalignedLoad = 4,
    LoadOutside = 5,
    MisalignedStore = 6,
    StoreOutside = 7,
    /// `ecall`.
    EnvironmentCall = 11,
    /// A store below the stack. RISC-V reserves the number.
    StackOverflow = 14,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 10] = [
        Cause::MisalignedJump,
        Cause::JumpOutside,
        Cause::IllegalInstruction,
        Cause::Breakpoint,
        Cause::MisalignedLoad,
        Cause::LoadOutside,
        Cause::MisalignedStore,
        Cause::StoreOutside,
        Cause::EnvironmentCall,
        Cause::StackOverflow,
    ];

    /// Returns the cause with this number, if there is one.
    pub fn from_number(number: u64) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| *cause as u64 == number)
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::MisalignedJump => "misaligned jump",
            Cause::JumpOutside => "jump outside the program",
            Cause::IllegalInstruction => "illegal instruction",
            Cause::Breakpoint => "ebreak",
            Cause::MisalignedLoad => "misaligned load",
            Cause::LoadOutside => "load outside the memory",
            Cause::MisalignedStore => "misaligned store",
            Cause::StoreOutside => "store outside the memory",
            Cause::EnvironmentCall => "ecall",
            Cause::StackOverflow => "stack overflow",
        })
    }
}

/// State of the core within an instruction. Each takes one clock cycle, except `Idle`, `Fetch`,
/// `Execute` of a load or store, and `Shift`.
#[word]
pub enum InstructionState {
    /// Waits for `go`.
    Idle,
    /// Reads the instruction, and `a` becomes its address. In the first clock cycle the result of
    /// the previous turn is written to its register.
    Fetch,
    /// Writes the address to the program counter, and `a` becomes the first operand.
    Operand,
    /// `a` becomes the result. Loads and stores access memory.
    Execute,
    /// Shifts `a` by one bit.
    Shift,
    /// `a` becomes the address of the instruction. A branch that is not taken ends.
    Recall,
    /// `a` becomes the target of a branch.
    Target,
    /// Writes the target to the program counter, and `a` becomes the address of the instruction.
    Jump,
    /// `a` becomes the return address of a jump. After a branch this step lets the target be read
    /// again.
    Link,
}
