//! The second operand of the soft core's ALU.

use super::{Immediate, ImmediateFormat, InstructionState};
use hdl::prelude::*;

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
        link!(self, immediate, instruction);
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
        let high = if self.from_register.val() {
            read & 0xFFFF_FFFC
        } else {
            0.into()
        };
        self.value.next = high | low | self.immediate.value.val();
    }
}
