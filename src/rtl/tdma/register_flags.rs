//! Which registers of a node are full.

use super::register_numbers::injection_register;
use super::SLOT_BITS;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A flip-flop for each register of the message memory: it holds a message.
///
/// The links and the bits of an address tell which register is the one for injection
/// ([`register_numbers`](super::register_numbers)).
#[derive(LogicBlock, Circuit, Default)]
pub struct RegisterFlags<const LINKS: usize, const BITS: usize, const REGISTERS: usize> {
    pub clock: Signal<In, Clock>,
    /// High for one clock cycle: a message has come into the register `own_flag`.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: what that register held is lost.
    pub spoil: Signal<In, Bit>,
    /// A receive register, one-hot.
    pub own_flag: Signal<In, Bits<REGISTERS>>,
    /// High for one clock cycle: the injection register is full now.
    pub inject: Signal<In, Bit>,
    /// High for one clock cycle: the register `freed` is free now.
    pub free: Signal<In, Bit>,
    pub freed: Signal<In, Bits<SLOT_BITS>>,
    /// Receive registers that are full.
    pub full: Signal<Out, Bits<REGISTERS>>,
    /// The injection register is full.
    pub injected: Signal<Out, Bit>,
    received: Reg<Bits<REGISTERS>>,
    injection: Reg<Bit>,
    flags: Signal<Local, Bits<REGISTERS>>,
    injection_flag: Signal<Local, Bit>,
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize> Logic
    for RegisterFlags<LINKS, BITS, REGISTERS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, received, injection);
        let own_flag = self.own_flag.val();
        let freed = self.freed.val();
        self.flags.next = self.received.q.val();
        self.injection_flag.next = self.injection.q.val() | self.inject.val();
        if self.store.val() {
            self.flags.next = self.flags.val() | own_flag;
        }
        if self.spoil.val() {
            self.flags.next = self.flags.val() & !own_flag;
        }
        if self.free.val() {
            for number in 0..REGISTERS {
                if freed == number as u64 {
                    self.flags.next = self.flags.val().replace_bit(number, false);
                }
            }
            if freed == injection_register(LINKS, BITS) as u64 {
                self.injection_flag.next = false;
            }
        }
        self.received.d.next = self.flags.val();
        self.injection.d.next = self.injection_flag.val();
        self.full.next = self.received.q.val();
        self.injected.next = self.injection.q.val();
    }
}
