//! Messages between the host of a node that follows a compiled schedule and its places.

use super::register_layout::byte_address;
use super::{FromHost, MemoryEnd, Reason, ToHost, SLOT_BITS};
use hdl::cells::Reg;
use hdl::lower::{kernel, word, Circuit, Resize};
use rust_hdl::prelude::*;

/// What the courier does.
#[word]
pub enum Errand {
    /// Nothing, until the next phase.
    Done,
    /// The word of the phase is coming.
    Read,
    /// Reads a byte of a message for the host.
    Fetch,
    /// Hands it over.
    Hand,
    /// Takes a byte from the host.
    Take,
}

/// At the beginning of a phase it hands the message that came home in the last one to the
/// host, and takes the one that the node is to send.
///
/// A place of the message memory is a length byte, then the payload.
#[derive(LogicBlock, Circuit, Default)]
pub struct Courier<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// From the second one on: the node is to send a message that the host has.
    pub fresh: Signal<In, Bit>,
    /// It is to be in this place.
    pub from: Signal<In, Bits<SLOT_BITS>>,
    /// High for one clock cycle: the message in the place `into` is at home.
    pub arrived: Signal<In, Bit>,
    pub into: Signal<In, Bits<SLOT_BITS>>,
    /// It works and has the message memory for itself.
    pub busy: Signal<Out, Bit>,
    /// High for one clock cycle: the place `from` has a message.
    pub filled: Signal<Out, Bit>,
    /// High for one clock cycle: the place `home_slot` is free.
    pub emptied: Signal<Out, Bit>,
    /// The place of the message at home.
    pub home_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// The place that it is at.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub host: FromHost,
    pub out: ToHost,
    pub memory: MemoryEnd<ADDRESS_BITS>,
    errand: Reg<Errand>,
    /// The byte of the message that is next.
    index: Reg<Bits<OFFSET_BITS>>,
    /// Bytes of the message to come.
    remaining: Reg<Bits<OFFSET_BITS>>,
    /// A message has come home.
    is_home: Reg<Bit>,
    /// The place of the message that has come home.
    home_place: Reg<Bits<SLOT_BITS>>,
    takes: Signal<Local, Bit>,
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for Courier<OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, errand, index, remaining, is_home, home_place);
        let index = self.index.q.val();
        let read_data = self.memory.read_data.val();
        let place = self.home_place.q.val();
        let last = self.remaining.q.val() == 1;

        self.memory.read_address.next = byte_address::<OFFSET_BITS, ADDRESS_BITS>(place, index);
        self.memory.write_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(self.from.val(), index);
        self.memory.write_data.next = self.host.data.val();
        self.memory.write_enable.next = false;
        self.host.index.next = 0.into();
        self.host.taken.next = false;
        self.out.valid.next = false;
        self.out.data.next = read_data;
        self.out.last.next = (index != 0) & last;
        self.out.reason.next = Reason::Delivered;
        self.home_slot.next = place;
        self.out_slot.next = place;
        self.filled.next = false;
        self.emptied.next = false;
        self.takes.next = false;

        match self.errand.q.val() {
            Errand::Done => {}
            Errand::Read => {
                if self.is_home.q.val() {
                    self.errand.d.next = Errand::Fetch;
                } else {
                    self.takes.next = true;
                }
            }
            Errand::Fetch => self.errand.d.next = Errand::Hand,
            Errand::Hand => {
                self.out.valid.next = true;
                self.index.d.next = index + 1;
                self.remaining.d.next = self.remaining.q.val() - 1;
                self.errand.d.next = Errand::Fetch;
                if index == 0 {
                    self.remaining.d.next = read_data.resized();
                } else if last {
                    self.is_home.d.next = false;
                    self.emptied.next = true;
                    self.takes.next = true;
                }
            }
            Errand::Take => {
                self.memory.write_enable.next = true;
                self.out_slot.next = self.from.val();
                // No byte is read while it is written.
                self.memory.read_address.next = !self.memory.write_address.val();
                self.host.index.next = index.resized();
                self.index.d.next = index + 1;
                self.remaining.d.next = self.remaining.q.val() - 1;
                if index == 0 {
                    self.remaining.d.next = self.host.data.val().resized();
                } else if last {
                    self.filled.next = true;
                    self.host.taken.next = true;
                    self.errand.d.next = Errand::Done;
                }
            }
        }
        if self.takes.val() {
            self.index.d.next = 0.into();
            self.errand.d.next = if self.fresh.val() & self.host.valid.val() {
                Errand::Take
            } else {
                Errand::Done
            };
        }
        if self.arrived.val() {
            self.is_home.d.next = true;
            self.home_place.d.next = self.into.val();
        }
        if self.begin.val() {
            self.index.d.next = 0.into();
            self.errand.d.next = Errand::Read;
        }
        self.busy.next = self.errand.q.val() != Errand::Done;
    }
}
