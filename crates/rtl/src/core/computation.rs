//! The datapath of the soft core, step by step.

use super::{Accumulator, Alu, InstructionState, Operand};
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

        link!(
            self,
            operand,
            step,
            instruction,
            register,
            branch,
            store,
            lui,
            jal,
            auipc
        );
        link!(self, operand, fault, read);
        let second = self.operand.value.val();

        // When a turn begins, `a` still holds the result of the previous turn.
        self.alu.a.next = if fetch { ADVANCE.into() } else { a };
        self.alu.b.next = second;
        let tests = arithmetic & (funct3.get_bits::<2>(1) == 1);
        let subtracts = self.register.val() & word.get_bit(30) & (funct3 == 0);
        self.alu.subtract.next = execute & (branch | tests | subtracts);
        self.alu.without_sign.next = if branch {
            funct3.get_bit(1)
        } else {
            funct3.get_bit(0)
        };
        // `funct3` is 4 for exclusive or, 6 for or, 7 for and.
        let combines = execute & !lui;
        let either = combines & (branch | funct3.get_bit(0) | !funct3.get_bit(1));
        let inclusive = combines & !branch & (funct3.get_bits::<2>(1) == 3);
        self.alu.bitwise.next = bits::<2>(0)
            .replace_bit(0, either)
            .replace_bit(1, inclusive);
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
        join!(self, alu, accumulator, sum, word);
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
        link!(self, alu, sum);
        self.distance.next = second.resized();
        self.decides.next = if funct3.get_bit(2) {
            less
        } else {
            self.alu.equal.val()
        };
    }
}
