//! Looks at the registers of a node, one after the other, and reads where their messages go.

use super::register_layout::{byte_address, turn_offset};
use super::{mask_of, Duty, SLOT_BITS};
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Goes through the registers in ascending order, and reads of each what its forwarder is
/// about: the turn of a link, a destination, or the message itself.
///
/// A register of the message memory is a length byte, then the payload, which
/// begins with the destination, low byte first.
#[derive(LogicBlock, Circuit, Default)]
pub struct RegisterReader<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase: register 0 is next.
    pub begin: Signal<In, Bit>,
    /// What the forwarder does.
    pub duty: Signal<In, Duty>,
    /// The register that keeps the state of the link of the phase.
    pub own: Signal<In, Bits<SLOT_BITS>>,
    /// The byte of the message that is next, when it goes to the host.
    pub index: Signal<In, Bits<OFFSET_BITS>>,
    /// The forwarder is done with the register; the next one is looked at, behind the last one
    /// `chosen`.
    pub go_on: Signal<In, Bit>,
    /// The register that comes behind the last one.
    pub chosen: Signal<In, Bits<SLOT_BITS>>,
    /// The register that it is at.
    pub register: Signal<Out, Bits<SLOT_BITS>>,
    /// It is the last one.
    pub at_last: Signal<Out, Bit>,
    /// The destination of its message, when the message is judged.
    pub destination: Signal<Out, Bits<16>>,
    pub read_address: Signal<Out, Bits<ADDRESS_BITS>>,
    pub read_data: Signal<In, Bits<8>>,
    place: Reg<Bits<SLOT_BITS>>,
    /// The low byte of the destination, if there is a high one.
    low: Reg<Bits<8>>,
    /// The highest number of a register.
    last: Parameter<Bits<SLOT_BITS>>,
    /// A mask that covers the highest number, for every tool to see.
    mask: Parameter<Bits<SLOT_BITS>>,
    /// An address has more than eight bits.
    is_wide: Parameter<Bit>,
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
    RegisterReader<OFFSET_BITS, ADDRESS_BITS>
{
    /// `last` is the highest number of a register. Addresses have so many bits.
    pub fn new(last: usize, address_bits: usize) -> Self {
        RegisterReader {
            last: Parameter::new((last as u64).into()),
            mask: Parameter::new(mask_of(last + 1).into()),
            is_wide: Parameter::new(address_bits > 8),
            ..Default::default()
        }
    }
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for RegisterReader<OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, place, low);
        let place = self.place.q.val();
        let at = byte_address::<OFFSET_BITS, ADDRESS_BITS>(place, bits::<OFFSET_BITS>(0));
        let turn = bits::<OFFSET_BITS>(turn_offset(OFFSET_BITS));
        match self.duty.val() {
            Duty::Recall => {
                self.read_address.next =
                    byte_address::<OFFSET_BITS, ADDRESS_BITS>(self.own.val(), turn);
            }
            Duty::Look => self.read_address.next = at | 1,
            Duty::Low => {
                self.low.d.next = self.read_data.val();
                self.read_address.next = at | 2;
            }
            _ => {
                self.read_address.next =
                    byte_address::<OFFSET_BITS, ADDRESS_BITS>(place, self.index.val());
            }
        }

        // A second byte of the destination is read if needed.
        let byte = self.read_data.val().resized::<16>();
        self.destination.next = if self.is_wide.val() {
            self.low.q.val().resized::<16>() | (byte << 8)
        } else {
            byte
        };

        let at_last = place == self.last.val();
        if self.go_on.val() {
            // Masked here too, so that every tool sees it of what is chosen.
            self.place.d.next = if at_last {
                self.chosen.val() & self.mask.val()
            } else {
                (place + 1) & self.mask.val()
            };
        }
        if self.begin.val() {
            self.place.d.next = 0.into();
        }
        self.register.next = place;
        self.at_last.next = at_last;
    }
}
