//! Message transfer between the host of a node with a compiled schedule and its slots.

use super::buffer_layout::byte_address;
use super::{DeliveryReason, FromHost, MemoryEnd, ToHost, SLOT_BITS};
use hdl::prelude::*;

/// State of the follower of the schedule.
#[word]
pub enum TransferState {
    /// Idle until the next phase.
    Done,
    /// Waits for the schedule word of the phase.
    Read,
    /// Reads a byte of a message for the host.
    Fetch,
    /// Sends the byte to the host.
    Deliver,
    /// Takes a byte from the host.
    Take,
}

/// At the beginning of a phase, delivers the message that arrived for this node in the previous
/// phase. Then takes the message that the node sends in this phase from the host.
///
/// A slot of the message memory holds a length byte, then the payload.
#[derive(LogicBlock, Circuit, Default)]
pub struct ScheduleFollower<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node sends a message that the host still has. Valid from the second clock cycle of a
    /// phase.
    pub fresh: Signal<In, Bit>,
    /// Slot for the message from the host.
    pub from: Signal<In, Bits<SLOT_BITS>>,
    /// High for one clock cycle: the message in slot `into` has reached its destination.
    pub arrived: Signal<In, Bit>,
    pub into: Signal<In, Bits<SLOT_BITS>>,
    /// The unit is working and has exclusive use of the message memory.
    pub busy: Signal<Out, Bit>,
    /// High for one clock cycle: slot `from` now holds a message.
    pub filled: Signal<Out, Bit>,
    /// High for one clock cycle: slot `home_slot` is now free.
    pub emptied: Signal<Out, Bit>,
    /// Slot of the message that has reached its destination.
    pub home_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Slot of the current transfer.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub host: FromHost,
    pub out: ToHost,
    pub memory: MemoryEnd<ADDRESS_BITS>,
    state: Reg<TransferState>,
    /// Index of the next byte of the message.
    index: Reg<Bits<OFFSET_BITS>>,
    /// Number of bytes of the message left.
    remaining: Reg<Bits<OFFSET_BITS>>,
    /// A message for this node has arrived.
    is_home: Reg<Bit>,
    /// Slot of the message that has arrived.
    home_place: Reg<Bits<SLOT_BITS>>,
    takes: Signal<Local, Bit>,
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for ScheduleFollower<OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, index, remaining, is_home, home_place);
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
        self.out.reason.next = DeliveryReason::Delivered;
        self.home_slot.next = place;
        self.out_slot.next = place;
        self.filled.next = false;
        self.emptied.next = false;
        self.takes.next = false;

        match self.state.q.val() {
            TransferState::Done => {}
            TransferState::Read => {
                if self.is_home.q.val() {
                    self.state.d.next = TransferState::Fetch;
                } else {
                    self.takes.next = true;
                }
            }
            TransferState::Fetch => self.state.d.next = TransferState::Deliver,
            TransferState::Deliver => {
                self.out.valid.next = true;
                self.index.d.next = index + 1;
                self.remaining.d.next = self.remaining.q.val() - 1;
                self.state.d.next = TransferState::Fetch;
                if index == 0 {
                    self.remaining.d.next = read_data.resized();
                } else if last {
                    self.is_home.d.next = false;
                    self.emptied.next = true;
                    self.takes.next = true;
                }
            }
            TransferState::Take => {
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
                    self.state.d.next = TransferState::Done;
                }
            }
        }
        if self.takes.val() {
            self.index.d.next = 0.into();
            self.state.d.next = if self.fresh.val() & self.host.valid.val() {
                TransferState::Take
            } else {
                TransferState::Done
            };
        }
        if self.arrived.val() {
            self.is_home.d.next = true;
            self.home_place.d.next = self.into.val();
        }
        if self.begin.val() {
            self.index.d.next = 0.into();
            self.state.d.next = TransferState::Read;
        }
        self.busy.next = self.state.q.val() != TransferState::Done;
    }
}
