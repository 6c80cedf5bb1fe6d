//! The datapath of the soft core, step by step.

use super::InstructionState;
use hdl::prelude::*;

/// Constant added to the program counter word to get the address of the next instruction. Together
/// with the word's done bit it adds 4. See the [module](super).
const ADVANCE: u64 = 2;

/// The accumulator `a`, the [`Alu`] and its second [`Operand`], with their control in each step for
/// each kind of instruction.
#[derive(LogicBlock, Circuit, Default)]
pub struct Computation {
    pub clock: Signal<In, Clock>,
    /// Clears `a`.
    pub reset: Signal<In, Bit>,
    pub step: Signal<In, InstructionState>,
    pub instruction: Signal<In, Bits<32>>,
    /// Kind of the instruction, from [`Decoder`](super::Decoder).
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub jal: Signal<In, Bit>,
    pub jalr: Signal<In, Bit>,
    pub lui: Signal<In, Bit>,
    pub auipc: Signal<In, Bit>,
    pub register: Signal<In, Bit>,
    pub arithmetic: Signal<In, Bit>,
    pub shift: Signal<In, Bit>,
    /// The instruction has arrived; valid in step `Fetch`.
    pub fetched: Signal<In, Bit>,
    /// No bit is left to shift; valid in step `Shift`.
    pub shifted: Signal<In, Bit>,
    /// The access or the jump is misaligned.
    pub fault: Signal<In, Bit>,
    /// Word read from the registers.
    pub read: Signal<In, Bits<32>>,
    /// Accumulator.
    pub a: Signal<Out, Bits<32>>,
    pub sum: Signal<Out, Bits<32>>,
    /// Shift distance in bits; valid in step `Execute`.
    pub distance: Signal<Out, Bits<5>>,
    /// Branch condition before its inversion by `funct3`; valid in step `Execute`.
    pub decides: Signal<Out, Bit>,
    operand: Operand,
    alu: Alu,
    accumulator: Accumulator,
}

impl Logic for Computation {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, accumulator);
        let step = self.step.val();
        let word = self.instruction.val();
        let funct3 = word.get_bits::<3>(12);
        let fetch = step == InstructionState::Fetch;
        let operand = step == InstructionState::Operand;
        let execute = step == InstructionState::Execute;
        let shifting = step == InstructionState::Shift;
        let branch = self.branch.val();
        let lui = self.lui.val();
        let arithmetic = self.arithmetic.val();
        let relocates = self.jal.val() | self.auipc.val();
        let accesses = self.load.val() | self.store.val();
        let reset = self.reset.val();
        let a = self.accumulator.value.val();

        link!(self -> operand: step, instruction, register, branch, store, lui, jal, auipc);
        link!(self -> operand: fault, read);
        let second = self.operand.value.val();

        // When a turn begins, `a` still holds the result of the previous turn.
        self.alu.a.next = if fetch { ADVANCE.into() } else { a };
        self.alu.b.next = second;
        let tests = arithmetic & (funct3.get_bits::<2>(1) == 1);
        let subtracts = self.register.val() & word.get_bit(30) & (funct3 == 0);
        self.alu.subtract.next = execute & (branch | tests | subtracts);
        self.alu.without_sign.next = if branch { funct3.get_bit(1) } else { funct3.get_bit(0) };
        // `funct3` is 4 for exclusive or, 6 for or, 7 for and.
        let combines = execute & !lui;
        let either = combines & (branch | funct3.get_bit(0) | !funct3.get_bit(1));
        let inclusive = combines & !branch & (funct3.get_bits::<2>(1) == 3);
        self.alu.bitwise.next = bits::<2>(0).replace_bit(0, either).replace_bit(1, inclusive);
        let less = self.alu.less.val();

        self.accumulator.sets.next = (execute & tests) | reset;
        self.accumulator.less.next = less & !reset;
        self.accumulator.holds.next = (fetch & !self.fetched.val())
            | (execute & (relocates | self.shift.val() | accesses))
            | (shifting & self.shifted.val());
        self.accumulator.adds.next = fetch
            | (operand & relocates)
            | (execute & !lui & !(arithmetic & funct3.any()))
            | (step == InstructionState::Target)
            | (step == InstructionState::Link);
        link!(alu -> accumulator: sum, word);
        self.accumulator.shifts.next = shifting;
        self.accumulator.right.next = funct3.get_bit(2);
        self.accumulator.arithmetic.next = word.get_bit(30);
        // Instruction addresses are even, and multiples of four when fetched.
        self.accumulator.cleared.next = if fetch {
            bits::<2>(3)
        } else if execute & self.jalr.val() {
            bits::<2>(1)
        } else {
            bits::<2>(0)
        };

        self.a.next = a;
        link!(alu -> self: sum);
        self.distance.next = second.resized();
        self.decides.next = if funct3.get_bit(2) { less } else { self.alu.equal.val() };
    }
}

/// Selects the second operand of the ALU for each step: a register, an immediate of the
/// instruction, or a constant. Combinational.
#[derive(LogicBlock, Circuit, Default)]
pub struct Operand {
    pub step: Signal<In, InstructionState>,
    pub instruction: Signal<In, Bits<32>>,
    /// Kind of the instruction, from [`Decoder`](super::Decoder).
    pub register: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub lui: Signal<In, Bit>,
    pub jal: Signal<In, Bit>,
    pub auipc: Signal<In, Bit>,
    /// The access or the jump is misaligned.
    pub fault: Signal<In, Bit>,
    /// Word read from the registers.
    pub read: Signal<In, Bits<32>>,
    pub value: Signal<Out, Bits<32>>,
    immediate: Immediate,
    from_register: Signal<Local, Bit>,
}

impl Logic for Operand {
    #[kernel]
    fn update(&mut self) {
        let step = self.step.val();
        let word = self.instruction.val();
        let read = self.read.val();
        let register = self.register.val();
        let branch = self.branch.val();
        link!(self -> immediate: instruction);
        self.immediate.format.next = ImmediateFormat::Zero;
        self.from_register.next = true;
        match step {
            InstructionState::Operand => {
                self.from_register.next = word.get_bits::<5>(15).any();
                if self.jal.val() {
                    self.immediate.format.next = ImmediateFormat::J;
                    self.from_register.next = false;
                }
                if self.auipc.val() {
                    self.immediate.format.next = ImmediateFormat::U;
                    self.from_register.next = false;
                }
            }
            InstructionState::Execute => {
                self.from_register.next = word.get_bits::<5>(20).any() & (register | branch);
                if self.store.val() {
                    self.immediate.format.next = ImmediateFormat::S;
                } else if self.lui.val() {
                    self.immediate.format.next = ImmediateFormat::U;
                } else if !(register | branch) {
                    self.immediate.format.next = ImmediateFormat::I;
                }
            }
            InstructionState::Target => {
                self.from_register.next = false;
                if !self.fault.val() {
                    self.immediate.format.next = ImmediateFormat::B;
                }
            }
            InstructionState::Link => {
                self.from_register.next = false;
                self.immediate.format.next = ImmediateFormat::Four;
            }
            InstructionState::Shift => self.from_register.next = false,
            _ => {}
        }
        // The immediate is zero when a register is used. The two lowest bits of the program counter
        // are not part of the address.
        let recalls = (step == InstructionState::Recall) | (step == InstructionState::Jump);
        let takes_low = self.from_register.val() & !recalls;
        let low = if takes_low { read & 3 } else { 0.into() };
        let high = if self.from_register.val() { read & 0xFFFF_FFFC } else { 0.into() };
        self.value.next = high | low | self.immediate.value.val();
    }
}

/// Encoding of an immediate in an instruction (RISC-V Unprivileged ISA, "Immediate Encoding
/// Variants"), and two constants.
#[word]
pub enum ImmediateFormat {
    I,
    S,
    B,
    U,
    J,
    /// Constant 0.
    Zero,
    /// Constant 4, the length of an instruction in bytes.
    Four,
}

/// Extracts the immediate of an instruction and extends it to 32 bits. Combinational.
#[derive(LogicBlock, Circuit, Default)]
pub struct Immediate {
    pub instruction: Signal<In, Bits<32>>,
    pub format: Signal<In, ImmediateFormat>,
    pub value: Signal<Out, Bits<32>>,
    /// Bits 20 to 31.
    high: Signal<Local, Bits<12>>,
    /// Bits 12 to 19.
    middle: Signal<Local, Bits<8>>,
    bit_11: Signal<Local, Bit>,
    /// Bits 5 to 10.
    low: Signal<Local, Bits<6>>,
    /// Bits 1 to 4.
    lowest: Signal<Local, Bits<4>>,
    bit_0: Signal<Local, Bit>,
}

impl Logic for Immediate {
    #[kernel]
    fn update(&mut self) {
        let word = self.instruction.val();
        let sign = word.get_bit(31);
        self.high.next = if sign { bits::<12>(0xFFF) } else { 0.into() };
        self.middle.next = if sign { bits::<8>(0xFF) } else { 0.into() };
        self.bit_11.next = sign;
        self.low.next = word.get_bits::<6>(25);
        self.lowest.next = word.get_bits::<4>(21);
        self.bit_0.next = false;
        match self.format.val() {
            ImmediateFormat::I => self.bit_0.next = word.get_bit(20),
            ImmediateFormat::S => {
                self.lowest.next = word.get_bits::<4>(8);
                self.bit_0.next = word.get_bit(7);
            }
            ImmediateFormat::B => {
                self.bit_11.next = word.get_bit(7);
                self.lowest.next = word.get_bits::<4>(8);
            }
            ImmediateFormat::U => {
                self.high.next = word.get_bits::<12>(20);
                self.middle.next = word.get_bits::<8>(12);
                self.bit_11.next = false;
                self.low.next = 0.into();
                self.lowest.next = 0.into();
            }
            ImmediateFormat::J => {
                self.middle.next = word.get_bits::<8>(12);
                self.bit_11.next = word.get_bit(20);
            }
            ImmediateFormat::Zero | ImmediateFormat::Four => {
                self.high.next = 0.into();
                self.middle.next = 0.into();
                self.bit_11.next = false;
                self.low.next = 0.into();
                self.lowest.next = if self.format.val() == ImmediateFormat::Four {
                    bits::<4>(2)
                } else {
                    0.into()
                };
            }
        }
        self.value.next = (self.high.val().resized::<32>() << 20)
            | (self.middle.val().resized::<32>() << 12)
            | (self.bit_11.val().resized::<32>() << 11)
            | (self.low.val().resized::<32>() << 5)
            | (self.lowest.val().resized::<32>() << 1)
            | self.bit_0.val().resized::<32>();
    }
}

// The soft core's arithmetic unit, without shifts.

/// One adder for sums, differences, addresses and comparisons, and the bitwise operations.
/// Combinational.
///
/// Subtraction inverts `b` and sets the carry in. There is no carry out: the comparisons use the
/// signs.
#[derive(LogicBlock, Circuit, Default)]
pub struct Alu {
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    /// Invert `b` and set the carry in; also required for `less` and `equal`.
    pub subtract: Signal<In, Bit>,
    /// `less` compares unsigned words.
    pub without_sign: Signal<In, Bit>,
    /// Selects `word`: 0 `b`, 1 exclusive or, 2 or, 3 and.
    pub bitwise: Signal<In, Bits<2>>,
    pub sum: Signal<Out, Bits<32>>,
    pub word: Signal<Out, Bits<32>>,
    /// `a < b`; valid when subtracting.
    pub less: Signal<Out, Bit>,
    /// `a == b`; valid when subtracting, with the exclusive or selected.
    pub equal: Signal<Out, Bit>,
}

impl Logic for Alu {
    #[kernel]
    fn update(&mut self) {
        let a = self.a.val();
        let subtract = self.subtract.val();
        let b = if subtract { !self.b.val() } else { self.b.val() };
        // The lowest bit of the adder injects the carry in.
        let carry = subtract.resized::<33>();
        let wide = ((a.resized::<33>() << 1) | 1) + ((b.resized::<33>() << 1) | carry);
        let sum = wide.get_bits::<32>(1);
        self.sum.next = sum;
        // This form maps to one LUT per bit.
        let bitwise = self.bitwise.val();
        let low = if bitwise.get_bit(0) { a ^ b } else { b };
        let high = if bitwise.get_bit(0) { a & b } else { a | b };
        let word = if bitwise.get_bit(1) { high } else { low };
        self.word.next = word;
        self.equal.next = word.all();
        // `b` is inverted, so equal bits here mean that the signs differ.
        let signs_differ = a.get_bit(31) == b.get_bit(31);
        self.less.next =
            if signs_differ { a.get_bit(31) ^ self.without_sign.val() } else { sum.get_bit(31) };
    }
}

// The soft core's accumulator with its shifter.

/// The working register of the core.
///
/// The next value has this priority: 0 or 1 (`sets`), the old value (`holds`), otherwise the
/// computed value. The computed value is a sum (`adds`), a bitwise result, or the old value shifted
/// by one bit.
#[derive(LogicBlock, Circuit, Default)]
pub struct Accumulator {
    pub clock: Signal<In, Clock>,
    pub sets: Signal<In, Bit>,
    /// Value of bit 0 when `sets` is high.
    pub less: Signal<In, Bit>,
    pub holds: Signal<In, Bit>,
    pub adds: Signal<In, Bit>,
    pub sum: Signal<In, Bits<32>>,
    /// Bitwise result; zero when shifting.
    pub word: Signal<In, Bits<32>>,
    pub shifts: Signal<In, Bit>,
    /// Shift right.
    pub right: Signal<In, Bit>,
    /// Keep the sign when shifting right.
    pub arithmetic: Signal<In, Bit>,
    /// Mask of bits 0 and 1 of the computed value to clear.
    pub cleared: Signal<In, Bits<2>>,
    pub value: Signal<Out, Bits<32>>,
    a: Reg<Bits<32>>,
}

impl Logic for Accumulator {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, a);
        let a = self.a.q.val();
        let shifts = self.shifts.val();
        let right = self.right.val();
        let zero = bits::<32>(0);
        let left_by_one = if shifts & !right { a << 1 } else { zero };
        let sign = (a.get_bit(31) & self.arithmetic.val()).resized::<32>();
        let right_by_one = if shifts & right { (a >> 1) | (sign << 31) } else { zero };
        let computed = if self.adds.val() {
            self.sum.val()
        } else {
            self.word.val() | left_by_one | right_by_one
        };
        if self.sets.val() {
            self.a.d.next = self.less.val().resized();
        } else if !self.holds.val() {
            self.a.d.next = computed & !self.cleared.val().resized::<32>();
        }
        self.value.next = a;
    }
}
