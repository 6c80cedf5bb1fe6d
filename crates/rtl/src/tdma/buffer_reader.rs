//! The reader that visits the message buffers of a node one after the other.

use super::buffer_layout::{byte_address, turn_offset};
use super::{mask_of, ForwarderState, SLOT_BITS};
use hdl::prelude::*;

/// Visits the buffers in ascending order. In each buffer it reads the byte that the forwarder
/// needs: the turn of a link, a destination, or the message itself.
///
/// A buffer of the message memory holds a length byte, then the payload. The payload begins with
/// the destination, low byte first.
#[derive(LogicBlock, Circuit, Default)]
pub struct BufferReader<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase: buffer 0 is next.
    pub begin: Signal<In, Bit>,
    /// State of the forwarder.
    pub state: Signal<In, ForwarderState>,
    /// Buffer that stores the state of the link of the phase.
    pub own: Signal<In, Bits<SLOT_BITS>>,
    /// Index of the next byte of a message that goes to the host.
    pub index: Signal<In, Bits<OFFSET_BITS>>,
    /// The forwarder is done with the buffer. The next one is visited, or `chosen` after the last
    /// one.
    pub go_on: Signal<In, Bit>,
    /// Buffer to visit after the last one.
    pub chosen: Signal<In, Bits<SLOT_BITS>>,
    /// Buffer being visited.
    pub register: Signal<Out, Bits<SLOT_BITS>>,
    /// The buffer is the last one.
    pub at_last: Signal<Out, Bit>,
    /// Destination of the buffer's message; valid while the forwarder decides about the message.
    pub destination: Signal<Out, Bits<16>>,
    pub read_address: Signal<Out, Bits<ADDRESS_BITS>>,
    pub read_data: Signal<In, Bits<8>>,
    place: Reg<Bits<SLOT_BITS>>,
    /// Low byte of the destination, if there is a high byte.
    low: Reg<Bits<8>>,
    /// Highest number of a buffer.
    last: Parameter<Bits<SLOT_BITS>>,
    /// Mask of the highest number; synthesis can see which bits are zero.
    mask: Parameter<Bits<SLOT_BITS>>,
    /// An address has more than eight bits.
    is_wide: Parameter<Bit>,
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> BufferReader<OFFSET_BITS, ADDRESS_BITS> {
    /// Makes a reader. `last` is the highest number of a buffer. Addresses have `address_bits`
    /// bits.
    pub fn new(last: usize, address_bits: usize) -> Self {
        BufferReader {
            last: Parameter::new((last as u64).into()),
            mask: Parameter::new(mask_of(last + 1).into()),
            is_wide: Parameter::new(address_bits > 8),
            ..Default::default()
        }
    }
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for BufferReader<OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, place, low);
        let place = self.place.q.val();
        let at = byte_address::<OFFSET_BITS, ADDRESS_BITS>(place, bits::<OFFSET_BITS>(0));
        let turn = bits::<OFFSET_BITS>(turn_offset(OFFSET_BITS));
        match self.state.val() {
            ForwarderState::Turn => {
                self.read_address.next =
                    byte_address::<OFFSET_BITS, ADDRESS_BITS>(self.own.val(), turn);
            }
            ForwarderState::Examine => self.read_address.next = at | 1,
            ForwarderState::HighByte => {
                self.low.d.next = self.read_data.val();
                self.read_address.next = at | 2;
            }
            _ => {
                self.read_address.next =
                    byte_address::<OFFSET_BITS, ADDRESS_BITS>(place, self.index.val());
            }
        }

        // Wide addresses use a second destination byte.
        let byte = self.read_data.val().resized::<16>();
        self.destination.next = if self.is_wide.val() {
            self.low.q.val().resized::<16>() | (byte << 8)
        } else {
            byte
        };

        let at_last = place == self.last.val();
        if self.go_on.val() {
            // Masked again, so that synthesis also sees the zero bits of the chosen number.
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
