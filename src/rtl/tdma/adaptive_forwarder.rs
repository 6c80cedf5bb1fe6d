//! The router of a node whose messages may cross their dimensions in any order.

use super::register_layout::TURN_FROM_END;
use super::{mask_of, Duty, FromHost, Reason, ToHost, DIM_BITS, SLOT_BITS};
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Decides what a node sends whose messages lie in a pool of places.
///
/// In every phase it looks at all places in ascending order, and hands messages that are
/// at home to the host. If the node was not crowded when the phase began, it takes a
/// message from the host into the first place that is free. In a phase in which the node
/// receives, the next free place is the one for what comes. In one in which it sends, it
/// chooses, of the messages that differ from the node in the bit of the phase, the
/// one with the least difference, as a number, of equal ones the first. If there is none
/// and the node is crowded, it sends one all the same, in desperation: the one with the
/// greatest difference, of equal ones the last. A link that has a frame to repeat repeats
/// it, and no other link may send this message before. A message whose links are all down
/// goes to the host, one in a phase.
///
/// A place of the message memory is laid out as a register is: a length byte, then the
/// payload, which begins with the destination, low byte first.
#[derive(LogicBlock, Circuit, Default)]
pub struct AdaptiveForwarder<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
{
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node sends in this phase.
    pub transmit: Signal<In, Bit>,
    /// The link of the phase; the last word of the place of this number keeps its state.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// The address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// Less than three places are free.
    pub crowded: Signal<In, Bit>,
    /// The place `slot` is taken,
    pub occupied: Signal<In, Bit>,
    /// and a link must repeat its message.
    pub held: Signal<In, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<In, Bit>,
    /// The link is down.
    pub down: Signal<In, Bit>,
    /// Links that are down.
    pub all_down: Signal<In, Bits<DIMS>>,
    /// The forwarder works and has the message memory for itself.
    pub busy: Signal<Out, Bit>,
    /// It has chosen a message, or a place for one,
    pub chosen: Signal<Out, Bit>,
    /// this place. While it works: the place it is at.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// High for one clock cycle: the place `slot` has a message of the host now.
    pub inject: Signal<Out, Bit>,
    /// High for one clock cycle: the place `slot` is free now.
    pub release: Signal<Out, Bit>,
    /// High for one clock cycle: there is nothing to repeat any more.
    pub forget: Signal<Out, Bit>,
    pub host: FromHost,
    pub out: ToHost,
    pub read_address: Signal<Out, Bits<ADDRESS_BITS>>,
    pub read_data: Signal<In, Bits<8>>,
    pub write_address: Signal<Out, Bits<ADDRESS_BITS>>,
    pub write_data: Signal<Out, Bits<8>>,
    pub write_enable: Signal<Out, Bit>,
    duty: Reg<Duty>,
    /// The place looked at; in the end the one that was chosen.
    place: Reg<Bits<SLOT_BITS>>,
    /// The byte of the message that is next.
    index: Reg<Bits<OFFSET_BITS>>,
    /// Bytes of the message to come.
    remaining: Reg<Bits<OFFSET_BITS>>,
    /// The low byte of the destination, if there is a high one.
    low: Reg<Bits<8>>,
    /// A message of the host may come in.
    takes: Reg<Bit>,
    has_chosen: Reg<Bit>,
    choice: Reg<Bits<SLOT_BITS>>,
    /// The choice is a message that comes nearer, or is repeated.
    is_wanted: Reg<Bit>,
    /// The difference of its destination from the node.
    difference: Reg<Bits<DIMS>>,
    /// The highest number of a place,
    last: Parameter<Bits<SLOT_BITS>>,
    /// and what covers that, for every tool to see.
    mask: Parameter<Bits<SLOT_BITS>>,
    reason: Reg<Reason>,
    go_on: Signal<Local, Bit>,
    chosen_now: Signal<Local, Bits<SLOT_BITS>>,
}

impl<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
    AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Of a node with so many places.
    pub fn new(places: usize) -> Self {
        AdaptiveForwarder {
            last: Parameter::new((places as u64 - 1).into()),
            mask: Parameter::new(mask_of(places).into()),
            ..Default::default()
        }
    }
}

impl<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, duty, place, index, remaining, low, has_chosen, choice, reason);
        dff_setup!(self, clock, is_wanted, difference, takes);
        let duty = self.duty.q.val();
        let place = self.place.q.val();
        let index = self.index.q.val();
        let remaining = self.remaining.q.val();
        let read_data = self.read_data.val();
        let down = self.down.val();
        let transmit = self.transmit.val();
        let repeats = transmit & self.pending.val();
        let has_chosen = self.has_chosen.q.val();

        // A second byte of the destination is read if needed.
        let byte = bit_cast::<16, 8>(read_data);
        let destination = if DIMS > 8 {
            bit_cast::<16, 8>(self.low.q.val()) | (byte << 8)
        } else {
            byte
        };
        let delta = bit_cast::<DIMS, 16>(destination) ^ self.address.val();
        let wanted = (delta & self.select.val()).any();
        let stranded = !(delta & !self.all_down.val()).any();
        // What comes nearer goes before what does not.
        let less = delta < self.difference.q.val();
        let better = if self.is_wanted.q.val() {
            wanted & less
        } else {
            wanted | !less
        };
        let candidate = transmit & !self.pending.val() & !self.held.val();

        let at = bit_cast::<ADDRESS_BITS, SLOT_BITS>(place) << (OFFSET_BITS as u64);
        self.read_address.next = at | bit_cast::<ADDRESS_BITS, OFFSET_BITS>(index);
        self.write_address.next = at | bit_cast::<ADDRESS_BITS, OFFSET_BITS>(index);
        self.write_data.next = self.host.data.val();
        self.write_enable.next = false;
        self.inject.next = false;
        self.host.taken.next = false;
        self.host.index.next = bit_cast::<8, OFFSET_BITS>(index);
        self.release.next = false;
        self.forget.next = false;
        self.out.valid.next = false;
        self.out.last.next = remaining == 1;
        self.out.data.next = read_data;
        self.go_on.next = false;
        self.chosen_now.next = self.choice.q.val();

        match duty {
            Duty::Done => {}
            Duty::Inject => {
                self.write_enable.next = true;
                // What is written is not read.
                self.read_address.next = self.write_address.val() ^ 1;
                self.index.d.next = index + 1;
                self.remaining.d.next = remaining - 1;
                if index == 0 {
                    self.remaining.d.next = bit_cast::<OFFSET_BITS, 8>(self.host.data.val());
                } else if remaining == 1 {
                    self.inject.next = true;
                    self.host.taken.next = true;
                    self.takes.d.next = false;
                    self.duty.d.next = Duty::Look;
                }
            }
            Duty::Recall => {
                let own =
                    bit_cast::<ADDRESS_BITS, DIM_BITS>(self.dim.val()) << (OFFSET_BITS as u64);
                self.read_address.next = own | ((1 << OFFSET_BITS) - TURN_FROM_END);
                self.duty.d.next = Duty::Recalled;
            }
            Duty::Recalled => {
                self.choice.d.next = bit_cast::<SLOT_BITS, 8>(read_data) & self.mask.val();
                self.has_chosen.d.next = true;
                self.is_wanted.d.next = true;
                self.duty.d.next = Duty::Look;
            }
            Duty::Look => {
                self.read_address.next = at | 1;
                self.index.d.next = 0.into();
                if self.occupied.val() {
                    self.duty.d.next = if DIMS > 8 { Duty::Low } else { Duty::Judge };
                } else if self.takes.q.val() {
                    self.duty.d.next = Duty::Inject;
                } else {
                    self.go_on.next = true;
                    if !transmit & !has_chosen {
                        self.has_chosen.d.next = true;
                        self.choice.d.next = place;
                        self.chosen_now.next = place;
                    }
                }
            }
            Duty::Low => {
                self.low.d.next = read_data;
                self.read_address.next = at | 2;
                self.duty.d.next = Duty::Judge;
            }
            Duty::Judge => {
                self.duty.d.next = Duty::Fetch;
                if !delta.any() {
                    self.reason.d.next = Reason::Delivered;
                } else if down & repeats & (place == self.choice.q.val()) {
                    self.reason.d.next = Reason::Unknown;
                } else if down & candidate & stranded & !has_chosen {
                    self.reason.d.next = Reason::Undelivered;
                    self.has_chosen.d.next = true;
                } else {
                    self.go_on.next = true;
                    if candidate & better & !down {
                        self.has_chosen.d.next = true;
                        self.is_wanted.d.next = wanted;
                        self.difference.d.next = delta;
                        self.choice.d.next = place;
                        self.chosen_now.next = place;
                    }
                }
            }
            Duty::Fetch => self.duty.d.next = Duty::Hand,
            Duty::Hand => {
                self.out.valid.next = true;
                self.index.d.next = index + 1;
                self.remaining.d.next = remaining - 1;
                self.duty.d.next = Duty::Fetch;
                if index == 0 {
                    self.out.last.next = false;
                    self.remaining.d.next = bit_cast::<OFFSET_BITS, 8>(read_data);
                } else if remaining == 1 {
                    self.release.next = true;
                    self.forget.next = self.reason.q.val() == Reason::Unknown;
                    // The place is free.
                    self.duty.d.next = Duty::Look;
                }
            }
        }
        if self.go_on.val() {
            if place == self.last.val() {
                // Masked here too, so that every tool sees it of the choice.
                self.place.d.next = self.chosen_now.val() & self.mask.val();
                self.duty.d.next = Duty::Done;
            } else {
                self.place.d.next = (place + 1) & self.mask.val();
                self.duty.d.next = Duty::Look;
            }
        }
        if self.begin.val() {
            self.place.d.next = 0.into();
            self.index.d.next = 0.into();
            self.has_chosen.d.next = false;
            self.is_wanted.d.next = false;
            self.difference.d.next = 0.into();
            self.takes.d.next = self.host.valid.val() & !self.crowded.val();
            self.duty.d.next = if repeats { Duty::Recall } else { Duty::Look };
        }
        self.busy.next = duty != Duty::Done;
        // What would go over a link that is down has gone to the host.
        let goes = (self.is_wanted.q.val() | self.crowded.val()) & !down;
        self.chosen.next = has_chosen & (goes | !transmit);
        self.slot.next = place;
        self.out.reason.next = self.reason.q.val();
    }
}
