//! The state machine of the soft core.

use super::{Cause, InstructionState};
use hdl::prelude::*;

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
                self.state.d.next = if stops {
                    InstructionState::Idle
                } else {
                    InstructionState::Execute
                };
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
                self.state.d.next = if fault {
                    InstructionState::Idle
                } else {
                    InstructionState::Link
                };
            }
            InstructionState::Link => {}
        }
        if begins {
            self.state.d.next = if self.go.val() {
                InstructionState::Fetch
            } else {
                InstructionState::Idle
            };
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
