//! Parts of a soft node around its core that only simulated nodes have: the choice between two
//! contexts, and the guard of the core's accesses.

use super::DIVIDER_BITS;
use crate::core::Cause;
use hdl::prelude::*;

/// Byte offset of PORT_BACKGROUND, which [`NodePort`](super::NodePort) ignores.
const BACKGROUND_OFFSET: u64 = 0x64;

/// Chooses between two contexts of a core. Context 0 runs the program. Context 1 gets the core when
/// a phase is still undecided after `patience` clock cycles and the message memory is open, until it
/// sleeps.
///
/// While the program holds context 1 back by writing 1 to the register PORT_BACKGROUND, as at reset,
/// context 1 does not start. A read of the register returns the number of the context.
#[derive(LogicBlock, Circuit, Default)]
pub struct ContextSwitch {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The message memory is open to the core.
    pub open: Signal<In, Bit>,
    /// The software has written its decision for the phase.
    pub decided: Signal<In, Bit>,
    /// The core accesses the registers of the node, with this address.
    pub request: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    /// The access is a write of this data.
    pub write: Signal<In, Bit>,
    pub data: Signal<In, Bit>,
    /// Context 1 has the core.
    pub second: Signal<In, Bit>,
    /// The core sleeps.
    pub asleep: Signal<In, Bit>,
    /// The core stops in this clock cycle.
    pub stops: Signal<In, Bit>,
    /// The core has stopped.
    pub stopped: Signal<In, Bit>,
    /// Next context. The context of a stopped core is the one that stopped.
    pub context: Signal<Out, Bit>,
    /// Context 1 has a phase to decide.
    pub due: Signal<Out, Bit>,
    /// Bit 0 of the value that the core reads is 1 because of the register.
    pub reads_one: Signal<Out, Bit>,
    enabled: Parameter<Bit>,
    patience: Parameter<Bits<DIVIDER_BITS>>,
    /// Clock cycles left in which context 1 does not start.
    waiting: Reg<Bits<DIVIDER_BITS>>,
    /// The program allows context 1 to start.
    released: Reg<Bit>,
    /// Context 1 has the core or gets it next.
    serving: Reg<Bit>,
    stopped_context: Reg<Bit>,
}

impl ContextSwitch {
    /// Makes a switch that waits for this number of clock cycles, or one that never leaves
    /// context 0.
    ///
    /// # Panics
    /// If the number exceeds the length of the longest phase.
    pub fn new(patience: Option<u64>) -> Self {
        let waits = patience.unwrap_or(0);
        assert!(waits < 1 << DIVIDER_BITS, "{waits} clock cycles");
        ContextSwitch {
            enabled: Parameter::new(patience.is_some()),
            patience: Parameter::new(waits.into()),
            ..Default::default()
        }
    }
}

impl Logic for ContextSwitch {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting, released, serving, stopped_context);
        let enabled = self.enabled.val();
        let second = self.second.val();
        let selected = enabled
            & self.request.val()
            & (self.address.val().get_bits::<7>(0) == BACKGROUND_OFFSET);
        self.reads_one.next = selected & second;
        if selected & self.write.val() {
            self.released.d.next = !self.data.val();
        }
        if self.begin.val() {
            self.waiting.d.next = self.patience.val();
        } else if self.waiting.q.val().any() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        let due = enabled
            & self.released.q.val()
            & self.open.val()
            & !self.decided.val()
            & !self.waiting.q.val().any();
        self.due.next = due;
        // Without a second context synthesis removes the registers.
        let serves = enabled & (due | (self.serving.q.val() & !(second & self.asleep.val())));
        self.serving.d.next = serves;
        if self.stops.val() {
            self.stopped_context.d.next = enabled & second;
        }
        self.context.next = if self.stopped.val() { self.stopped_context.q.val() } else { serves };
    }
}

/// Limits that a guard checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardLimits {
    /// Bytes of the program.
    pub program: u32,
    /// Bytes of statically allocated data. The stack begins after them.
    pub data: u32,
}

/// Address of the data memory of a node.
pub const DATA_BASE: u64 = 0x1000_0000;

/// First address of the registers of a node.
pub const PORT_BASE: u64 = 0x4000_0000;

/// First address of the registers that a single load or store instruction reaches.
const PORT_NEAR: u64 = 0xFFFF_FF00;

const LOAD_OUTSIDE: u64 = Cause::LoadOutside as u64;
const STORE_OUTSIDE: u64 = Cause::StoreOutside as u64;
const STACK_OVERFLOW: u64 = Cause::StackOverflow as u64;

/// Checks the accesses of a core. Wrong are a fetch outside the program, a load or store outside the
/// three memories of a node, a store to the program, and a store relative to the stack pointer below
/// the stack.
#[derive(LogicBlock, Circuit, Default)]
pub struct AccessGuard {
    pub clock: Signal<In, Clock>,
    /// Bus of the core.
    pub request: Signal<In, Bit>,
    pub ready: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    /// The access is a store.
    pub store: Signal<In, Bit>,
    /// Instruction fetched last.
    pub instruction: Signal<In, Bits<32>>,
    /// The instruction ends.
    pub ends: Signal<In, Bit>,
    /// The core runs its second context, whose stack is in the static data.
    pub second: Signal<In, Bit>,
    /// The load or store is wrong, for this reason.
    pub wrong: Signal<Out, Bit>,
    pub cause: Signal<Out, Bits<4>>,
    /// The fetch is outside the program.
    pub strays: Signal<Out, Bit>,
    enabled: Parameter<Bit>,
    /// Ends of program and data memory, and the first byte of the stack.
    program_end: Parameter<Bits<32>>,
    data_end: Parameter<Bits<32>>,
    stack_begin: Parameter<Bits<32>>,
    /// The instruction of this turn has been fetched.
    executing: Reg<Bit>,
    outside: Signal<Local, Bit>,
    overflows: Signal<Local, Bit>,
}

impl AccessGuard {
    /// Makes a guard for a data memory of `2^data_bits` bytes, or one that accepts everything.
    pub fn new(limits: Option<GuardLimits>, data_bits: usize) -> Self {
        let Some(limits) = limits else {
            return AccessGuard::default();
        };
        AccessGuard {
            enabled: Parameter::new(true),
            program_end: Parameter::new(u64::from(limits.program).into()),
            data_end: Parameter::new((DATA_BASE + (1 << data_bits)).into()),
            stack_begin: Parameter::new((DATA_BASE + u64::from(limits.data)).into()),
            ..Default::default()
        }
    }
}

impl Logic for AccessGuard {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, executing);
        let enabled = self.enabled.val();
        let executing = self.executing.q.val();
        let address = self.address.val();
        let store = self.store.val();
        let in_program = (address < self.program_end.val()) & !store;
        let in_data = (address >= DATA_BASE) & (address < self.data_end.val());
        let page = address & 0xFFFF_FF80;
        let in_port = (page == PORT_BASE) | (page == PORT_NEAR);
        let accesses = enabled & executing & self.request.val();
        let by_stack = self.instruction.val().get_bits::<5>(15) == 2;
        self.overflows.next =
            accesses & store & by_stack & !self.second.val() & (address < self.stack_begin.val());
        self.outside.next = accesses & !in_program & !in_data & !in_port;
        self.wrong.next = self.overflows.val() | self.outside.val();
        self.cause.next = if self.overflows.val() {
            STACK_OVERFLOW.into()
        } else if store {
            STORE_OUTSIDE.into()
        } else {
            LOAD_OUTSIDE.into()
        };
        self.strays.next = enabled & !executing & (address >= self.program_end.val());
        if self.ends.val() {
            self.executing.d.next = false;
        } else if self.request.val() & self.ready.val() {
            self.executing.d.next = true;
        }
    }
}

/// Brightness of the LED of a node, 0 to 255: the register at offset 0x68 of the port. It is
/// write-only, and 0 at the start.
///
/// Without an LED `led` is 0, and synthesis removes the register.
#[derive(LogicBlock, Circuit, Default)]
pub struct LedRegister {
    pub clock: Signal<In, Clock>,
    /// A store to a register of the port completes.
    pub store: Signal<In, Bit>,
    /// Address of the store.
    pub address: Signal<In, Bits<32>>,
    pub write_data: Signal<In, Bits<32>>,
    pub led: Signal<Out, Bits<8>>,
    brightness: Reg<Bits<8>>,
    has_led: Parameter<Bit>,
}

/// Offset of the register in words.
const LED: u64 = 0x68 >> 2;

impl LedRegister {
    /// Makes the register of a node with or without an LED.
    pub fn new(has_led: bool) -> Self {
        LedRegister { has_led: Parameter::new(has_led), ..Default::default() }
    }
}

impl Logic for LedRegister {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, brightness);
        let to_led = self.address.val().get_bits::<5>(2) == LED;
        if self.has_led.val() & self.store.val() & to_led {
            self.brightness.d.next = self.write_data.val().resized();
        }
        self.led.next = self.brightness.q.val();
    }
}
