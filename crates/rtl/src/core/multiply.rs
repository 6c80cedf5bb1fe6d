//! Multiplication and division for the soft core: the M extension, bit by bit.

use super::{Access, Computation, ContextRegisters, Control, Decoder, InstructionState};
use hdl::prelude::*;

/// Multiplies or divides two words in 32 steps.
///
/// Two registers, `high` and `low`, hold the state. In a multiplication `low` holds the rest of the
/// multiplier `a`, and each step adds `b` to `high` if the lowest bit is 1, and shifts both right.
/// In a division they shift left, and each step subtracts the divisor `b` from `high` if the
/// difference is not negative. A signed division divides absolute values. One conditional negation
/// makes the absolute value at the start, and gives the result its sign.
///
/// The results of a division by zero and of the overflow are those of the RISC-V Unprivileged ISA,
/// "M Extension": the quotient -1 with the dividend as remainder, and -2^31 with the remainder 0.
#[derive(LogicBlock, Circuit, Default)]
pub struct MultiplyDivide {
    pub clock: Signal<In, Clock>,
    /// `funct3` of the instruction; the same from `start` to the last clock cycle of `result`.
    pub operation: Signal<In, Bits<3>>,
    /// `a` and `b` are the operands.
    pub start: Signal<In, Bit>,
    /// Next of the 32 steps.
    pub advance: Signal<In, Bit>,
    /// The step is the last one.
    pub last: Signal<In, Bit>,
    /// Multiplier or dividend; valid with `start`.
    pub a: Signal<In, Bits<32>>,
    /// Multiplicand or divisor; the same from `start` to `last`.
    pub b: Signal<In, Bits<32>>,
    /// Result; valid after the last step.
    pub result: Signal<Out, Bits<32>>,
    high: Reg<Bits<32>>,
    low: Reg<Bits<32>>,
    /// The result is to be negated.
    negates: Reg<Bit>,
}

impl Logic for MultiplyDivide {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, high, low, negates);
        let operation = self.operation.val();
        let bit_0 = operation.get_bit(0);
        let bit_1 = operation.get_bit(1);
        let divides = operation.get_bit(2);
        let signed_division = divides & !bit_0;
        let start = self.start.val();
        let last = self.last.val();
        let a = self.a.val();
        let b = self.b.val();
        let high = self.high.q.val();
        let low = self.low.q.val();

        // `mulh` takes two words with signs, `mulhsu` one.
        let signed_product = !divides & bit_0 & !bit_1;
        let signed_multiplier = !divides & (bit_0 ^ bit_1);
        let b_negative = b.get_bit(31) & (signed_product | signed_division);

        // The highest bit of a multiplier with a sign counts negative.
        let adds = divides | low.get_bit(0);
        let subtracts = if divides { !b_negative } else { last & signed_multiplier & adds };
        let shifted = (high << 1) | low.get_bit(31).resized::<32>();
        let x = if divides {
            shifted.resized::<33>()
        } else {
            high.resized::<33>() | ((high.get_bit(31) & signed_product).resized::<33>() << 32)
        };
        let wide = b.resized::<33>() | (b_negative.resized::<33>() << 32);
        let y = if adds { wide } else { 0.into() };
        let y = if subtracts { !y } else { y };
        // The lowest bit of the adder injects the carry in.
        let sum =
            ((x.resized::<34>() << 1) | 1) + ((y.resized::<34>() << 1) | subtracts.resized::<34>());
        let sum = sum.get_bits::<33>(1);
        // The remainder is below 2^31 before each step: step k leaves less than 2^k of the dividend.
        let fits = !sum.get_bit(32);

        if start {
            self.high.d.next = 0.into();
        } else if self.advance.val() {
            self.high.d.next = if !divides {
                sum.get_bits::<32>(1)
            } else if fits {
                sum.get_bits::<32>(0)
            } else {
                shifted
            };
        }

        let upper = if divides { bit_1 } else { bit_0 | bit_1 };
        let plain = if start {
            a
        } else if upper {
            high
        } else {
            low
        };
        let negates = if start { signed_division & a.get_bit(31) } else { self.negates.q.val() };
        let mask = if negates { bits::<32>(0xFFFF_FFFF) } else { 0.into() };
        let value = (plain ^ mask) + negates.resized::<32>();
        self.result.next = value;

        if start {
            self.low.d.next = value;
            let quotient = !bit_1;
            let opposite = quotient & b.get_bit(31);
            self.negates.d.next = signed_division & (a.get_bit(31) ^ opposite) & (bit_1 | b.any());
        } else if self.advance.val() {
            self.low.d.next = if divides {
                (low << 1) | fits.resized::<32>()
            } else {
                (low >> 1) | (sum.get_bit(0).resized::<32>() << 31)
            };
        }
    }
}

/// Opcode and `funct7` of the M extension.
const OP: u64 = 0b011_0011;
const MULDIV: u64 = 1;

/// Steps of an instruction, minus one.
const STEPS: u64 = 31;

/// [`SoftCore`](super::SoftCore) with the M extension of RISC-V.
///
/// Ports and behaviour are those of the soft core. An instruction of the M extension takes 36 clock
/// cycles, as long as a shift by 31. The control sequences it as a shift, and the result replaces
/// the accumulator in the clock cycle in which it is written to its register.
#[derive(LogicBlock, Circuit, Default)]
pub struct MultiplyingCore<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub context: Signal<In, Bits<CONTEXT_BITS>>,
    pub go: Signal<In, Bit>,
    pub wake: Signal<In, Bit>,
    pub current: Signal<Out, Bits<CONTEXT_BITS>>,
    pub retired: Signal<Out, Bit>,
    pub asleep: Signal<Out, Bit>,
    pub halted: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    pub instruction: Signal<Out, Bits<32>>,
    pub program_counter: Signal<Out, Bits<32>>,
    pub request: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub write_strobe: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
    pub read_data: Signal<In, Bits<32>>,
    decoder: Decoder,
    computation: Computation,
    access: Access,
    registers: ContextRegisters<CONTEXT_BITS, ADDRESS_BITS>,
    control: Control,
    unit: MultiplyDivide,
    /// The instruction that ended one clock cycle ago has its result in `unit`.
    delivers: Reg<Bit>,
}

impl<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> Logic
    for MultiplyingCore<CONTEXT_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, computation, access, registers, control, unit);
        dff_setup!(self, clock, delivers);
        link!(self -> control: reset, go, ready);
        link!(control -> self: retired, halted, cause);
        link!(self -> access: reset, wake, ready, read_data);
        link!(access -> self: instruction);
        link!(access -> self: request, address, write_data, write_strobe);
        link!(self -> registers: reset, context, read_data);
        link!(registers -> self: current);
        link!(self -> computation: reset);
        self.asleep.next = self.access.sleeping.val();
        self.program_counter.next = self.registers.read.val() & 0xFFFF_FFFC;

        // The instruction and its kind. One of the M extension is sequenced as a shift.
        let word = self.access.instruction.val();
        let multiplies = (word.get_bits::<7>(0) == OP) & (word.get_bits::<7>(25) == MULDIV);
        let shift = self.decoder.shift.val() | multiplies;
        let stops = self.decoder.stops.val() & !multiplies;
        link!(access -> decoder: instruction);
        link!(access -> computation: instruction);
        link!(access -> registers: instruction);
        link!(access -> control: instruction);
        link!(decoder -> access: load, store, jal, jalr);
        link!(decoder -> computation: load, store, branch, jal, jalr);
        link!(decoder -> computation: lui, auipc, register, arithmetic);
        self.computation.shift.next = shift;
        link!(decoder -> registers: has_result, wfi);
        self.registers.stops.next = stops;
        link!(decoder -> control: load, store, branch, jal, jalr, ecall);
        self.control.shift.next = shift;
        self.control.stops.next = stops;
        self.control.illegal.next = self.decoder.illegal.val() & !multiplies;

        // The step.
        link!(control -> computation: step, shifted, fault);
        link!(control -> access: step);
        link!(control -> registers: step, begins, retired -> ends);

        // Register and memory words through the datapath.
        link!(registers -> computation: read);
        link!(registers -> access: read);
        link!(computation -> access: a, sum);
        link!(computation -> control: decides);
        self.control.distance.next =
            if multiplies { STEPS.into() } else { self.computation.distance.val() };
        link!(access -> computation: fetched);
        link!(access -> registers: fetched, loads, loaded);
        link!(access -> control: sleeping, fetched, misaligned);

        // The unit. The registers show the second operand until the last step.
        let starts = multiplies & (self.control.step.val() == InstructionState::Execute);
        let advances = multiplies & (self.control.step.val() == InstructionState::Shift);
        let last = self.control.shifted.val();
        self.registers.waits.next = self.access.waits.val() | starts | (advances & !last);
        self.unit.operation.next = word.get_bits::<3>(12);
        self.unit.start.next = starts;
        self.unit.advance.next = advances;
        self.unit.last.next = last;
        link!(computation -> unit: a);
        self.unit.b.next =
            if word.get_bits::<5>(20).any() { self.registers.read.val() } else { 0.into() };
        self.delivers.d.next = advances & last;
        self.registers.a.next = if self.delivers.q.val() & !self.reset.val() {
            self.unit.result.val()
        } else {
            self.computation.a.val()
        };
    }
}
