//! The occupancy flags of the message buffers, and the choice of the receive buffer.

use super::buffer_layout::check_memory;
use super::buffer_numbers::{injection_buffer, last_buffer, receive_buffer, receive_buffers};
use super::{CROSSED_BITS, DIM_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Keeps one flip-flop per buffer of the message memory: the buffer holds a message.
///
/// The number of links and the address width determine the injection buffer and the buffer for an
/// incoming message ([`buffer_numbers`](super::buffer_numbers)).
#[derive(LogicBlock, Circuit, Default)]
pub struct BufferFlags<const LINKS: usize, const BITS: usize, const REGISTERS: usize> {
    pub clock: Signal<In, Clock>,
    /// Empties all buffers.
    pub reset: Signal<In, Bit>,
    /// Link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// Receive buffer for the incoming message. When none is received, the buffer that stores the
    /// state of the link.
    pub own: Signal<Out, Bits<SLOT_BITS>>,
    /// Buffer `own` is full.
    pub own_full: Signal<Out, Bit>,
    /// High for one clock cycle: a message has arrived in buffer `own`.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: the content of buffer `own` is lost.
    pub spoil: Signal<In, Bit>,
    /// High for one clock cycle: the injection buffer is now full.
    pub inject: Signal<In, Bit>,
    /// High for one clock cycle: buffer `freed` is now free.
    pub free: Signal<In, Bit>,
    pub freed: Signal<In, Bits<SLOT_BITS>>,
    /// Receive buffers that are full.
    pub full: Signal<Out, Bits<REGISTERS>>,
    /// The injection buffer is full.
    pub injected: Signal<Out, Bit>,
    received: Reg<Bits<REGISTERS>>,
    injection: Reg<Bit>,
    own_flag: Signal<Local, Bits<REGISTERS>>,
    flags: Signal<Local, Bits<REGISTERS>>,
    injection_flag: Signal<Local, Bit>,
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize>
    BufferFlags<LINKS, BITS, REGISTERS>
{
    /// Makes the flags of buffers with `2^offset_bits` bytes each, in a memory of `2^address_bits`
    /// bytes.
    ///
    /// # Panics
    /// If `REGISTERS` is not the number of receive buffers, if the numbers are too large, or if the
    /// memory is too small.
    pub fn new(offset_bits: usize, address_bits: usize) -> Self {
        let (registers, last) = (receive_buffers(LINKS, BITS), last_buffer(LINKS, BITS));
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
    for BufferFlags<LINKS, BITS, REGISTERS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, received, injection);
        let own = receive_buffer::<LINKS, BITS>(self.dim.val(), self.crossed.val());
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
            if freed == injection_buffer(LINKS, BITS) as u64 {
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
