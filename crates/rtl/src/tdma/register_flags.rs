//! Which registers of a node are full, and which one a message comes into.

use super::register_layout::check_memory;
use super::register_numbers::{
    injection_register, last_register, receive_register, receive_registers,
};
use super::{CROSSED_BITS, DIM_BITS, SLOT_BITS};
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A flip-flop for each register of the message memory: it holds a message.
///
/// The links and the bits of an address tell which register is the one for injection, and
/// which a message comes into ([`register_numbers`](super::register_numbers)).
#[derive(LogicBlock, Circuit, Default)]
pub struct RegisterFlags<const LINKS: usize, const BITS: usize, const REGISTERS: usize> {
    pub clock: Signal<In, Clock>,
    /// All registers are free now.
    pub reset: Signal<In, Bit>,
    /// The link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// The receive register for such a message. When none is received, the register that
    /// keeps the state of the link.
    pub own: Signal<Out, Bits<SLOT_BITS>>,
    /// It is full.
    pub own_full: Signal<Out, Bit>,
    /// High for one clock cycle: a message has come into it.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: what it held is lost.
    pub spoil: Signal<In, Bit>,
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
    own_flag: Signal<Local, Bits<REGISTERS>>,
    flags: Signal<Local, Bits<REGISTERS>>,
    injection_flag: Signal<Local, Bit>,
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize>
    RegisterFlags<LINKS, BITS, REGISTERS>
{
    /// Of registers with `2^offset_bits` bytes each, in a memory of `2^address_bits`.
    ///
    /// # Panics
    /// If `REGISTERS` is not as many as there are, their numbers are too large, or the
    /// memory too small.
    pub fn new(offset_bits: usize, address_bits: usize) -> Self {
        let (registers, last) = (receive_registers(LINKS, BITS), last_register(LINKS, BITS));
        assert_eq!(REGISTERS, registers, "numbers of registers");
        assert!(
            last < (1 << SLOT_BITS) - 1,
            "a register's number is up to 30"
        );
        check_memory(last + 1, offset_bits, address_bits);
        Self::default()
    }
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize> Logic
    for RegisterFlags<LINKS, BITS, REGISTERS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, received, injection);
        let own = receive_register::<LINKS, BITS>(self.dim.val(), self.crossed.val());
        self.own_flag.next = 0.into();
        for number in 0..REGISTERS {
            if own == number as u64 {
                self.own_flag.next = bits::<REGISTERS>(1 << number);
            }
        }
        let own_flag = self.own_flag.val();
        self.own.next = own;
        self.own_full.next = (self.received.q.val() & own_flag).any();
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
        if self.reset.val() {
            self.received.d.next = 0.into();
            self.injection.d.next = false;
        }
        self.full.next = self.received.q.val();
        self.injected.next = self.injection.q.val();
    }
}
