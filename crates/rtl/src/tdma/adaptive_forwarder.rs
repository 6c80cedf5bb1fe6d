//! The router of a node whose messages may cross their dimensions in any order.

use super::{
    mask_of, BufferReader, DeliveryReason, ForwarderState as State, FromHost, HostExchange,
    MemoryEnd, ToHost, DIM_BITS, SLOT_BITS,
};
use hdl::prelude::*;

/// Router of a node that keeps its messages in a pool of slots.
///
/// In every phase it visits all slots in ascending order and delivers messages for this node to the
/// host. If the node was not crowded when the phase began, it takes one message from the host into
/// the first free slot. In a receive phase the next free slot is reserved for the incoming message.
///
/// In a transmit phase it considers the messages whose destination differs from the node in the bit
/// of the phase. It chooses the one with the smallest difference, read as a number; of equal ones
/// the first. If there is none and the node is crowded, it sends another message in desperation:
/// the one with the largest difference, of equal ones the last. A link with a frame to repeat
/// repeats it, and no other link may send that message before. A message whose links are all down
/// goes to the host, one per phase.
///
/// A slot of the message memory holds a length byte, then the payload. The payload begins with the
/// destination, low byte first.
#[derive(LogicBlock, Circuit, Default)]
pub struct AdaptiveForwarder<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
{
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node transmits in this phase.
    pub transmit: Signal<In, Bit>,
    /// Link of the phase. The last word of the slot with this number stores its state.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Link of the phase, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// Address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// Fewer than three slots are free.
    pub crowded: Signal<In, Bit>,
    /// Slot `slot` holds a message.
    pub occupied: Signal<In, Bit>,
    /// A link must repeat the message in slot `slot`.
    pub held: Signal<In, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<In, Bit>,
    /// The link is down.
    pub down: Signal<In, Bit>,
    /// Links that are down.
    pub all_down: Signal<In, Bits<DIMS>>,
    /// The forwarder is working and has exclusive use of the message memory.
    pub busy: Signal<Out, Bit>,
    /// A message to send, or a slot for an incoming one, is chosen.
    pub chosen: Signal<Out, Bit>,
    /// Chosen slot. While the forwarder works: the slot being visited.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// High for one clock cycle: slot `slot` now holds a message from the host.
    pub inject: Signal<Out, Bit>,
    /// High for one clock cycle: slot `slot` is now free.
    pub release: Signal<Out, Bit>,
    /// High for one clock cycle: cancels the pending repetition.
    pub forget: Signal<Out, Bit>,
    pub host: FromHost,
    pub out: ToHost,
    pub memory: MemoryEnd<ADDRESS_BITS>,
    state: Reg<State>,
    /// Points to the slot being visited, finally to the chosen one.
    reader: BufferReader<OFFSET_BITS, ADDRESS_BITS>,
    exchange: HostExchange<OFFSET_BITS>,
    /// A message from the host may be taken.
    takes: Reg<Bit>,
    has_chosen: Reg<Bit>,
    choice: Reg<Bits<SLOT_BITS>>,
    /// The chosen message comes nearer to its destination, or is repeated.
    is_wanted: Reg<Bit>,
    /// Difference between its destination and the node.
    difference: Reg<Bits<DIMS>>,
    /// Mask of the slot numbers; synthesis can see which bits are zero.
    mask: Parameter<Bits<SLOT_BITS>>,
    reason: Reg<DeliveryReason>,
    go_on: Signal<Local, Bit>,
    chosen_now: Signal<Local, Bits<SLOT_BITS>>,
}

impl<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
    AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Makes a forwarder for this number of slots.
    pub fn new(places: usize) -> Self {
        AdaptiveForwarder {
            reader: BufferReader::new(places - 1, DIMS),
            mask: Parameter::new(mask_of(places).into()),
            ..Default::default()
        }
    }
}

/// True if a message has priority over the best one so far. Messages that come nearer to their
/// destination have priority over the others.
#[kernel]
fn has_priority(wanted: bool, less: bool, best_is_wanted: bool) -> bool {
    if best_is_wanted {
        wanted & less
    } else {
        wanted | !less
    }
}

impl<const DIMS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for AdaptiveForwarder<DIMS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, has_chosen, choice, reason);
        dff_setup!(self, clock, is_wanted, difference, takes);
        clock!(self, clock, exchange, reader);
        let state = self.state.q.val();
        let place = self.reader.register.val();
        let read_data = self.memory.read_data.val();
        let down = self.down.val();
        let wide = DIMS > 8;
        let transmit = self.transmit.val();
        let repeats = transmit & self.pending.val();
        let has_chosen = self.has_chosen.q.val();

        // Message transfer from or to the host.
        self.exchange.restart.next = self.begin.val() | (state == State::Examine);
        self.exchange.take.next = state == State::Inject;
        // When a phase begins, `dim` no longer belongs to the message being delivered.
        self.exchange.hand.next = (state == State::Deliver) & !self.begin.val();
        self.exchange.reason.next = self.reason.q.val();
        link!(self, exchange, host, out);
        link!(self.memory, exchange, read_data, write_data, write_enable);
        link!(self, exchange, inject => taken, release => handed, forget);
        let handed = self.exchange.handed.val();

        // Visits the slots one after the other. No byte is read while it is written.
        link!(self, reader, begin, slot => register);
        link!(self.memory, reader, read_data);
        join!(self, exchange, reader, index);
        self.reader.state.next = state;
        self.reader.own.next = self.dim.val().resized();
        let address = self.reader.read_address.val();
        let injects = state == State::Inject;
        self.memory.read_address.next = if injects { address ^ 1 } else { address };
        self.memory.write_address.next = address;

        let delta = self.reader.destination.val().resized::<DIMS>() ^ self.address.val();
        let wanted = (delta & self.select.val()).any();
        let stranded = !(delta & !self.all_down.val()).any();
        let less = delta < self.difference.q.val();
        let better = has_priority(wanted, less, self.is_wanted.q.val());
        let candidate = transmit & !self.pending.val() & !self.held.val();

        self.go_on.next = false;
        self.chosen_now.next = self.choice.q.val();
        match state {
            State::Done => {}
            State::Inject => {
                if self.exchange.taken.val() {
                    self.takes.d.next = false;
                    self.state.d.next = State::Examine;
                }
            }
            State::Turn => {
                self.choice.d.next = read_data.resized::<SLOT_BITS>() & self.mask.val();
                self.is_wanted.d.next = true;
                // `has_chosen` is low in the first clock cycle of this state and high in the second.
                self.has_chosen.d.next = true;
                if has_chosen {
                    self.state.d.next = State::Examine;
                }
            }
            State::Examine => {
                if self.occupied.val() {
                    self.state.d.next = if wide { State::HighByte } else { State::Decide };
                } else if self.takes.q.val() {
                    self.state.d.next = State::Inject;
                } else {
                    self.go_on.next = true;
                    if !transmit & !has_chosen {
                        self.has_chosen.d.next = true;
                        self.choice.d.next = place;
                        self.chosen_now.next = place;
                    }
                }
            }
            State::HighByte => self.state.d.next = State::Decide,
            State::Decide => {
                self.state.d.next = State::Fetch;
                if !delta.any() {
                    self.reason.d.next = DeliveryReason::Delivered;
                } else if down & repeats & (place == self.choice.q.val()) {
                    self.reason.d.next = DeliveryReason::Unknown;
                } else if down & candidate & stranded & !has_chosen {
                    self.reason.d.next = DeliveryReason::Undelivered;
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
            State::Fetch => self.state.d.next = State::Deliver,
            // The slot of a delivered message is free.
            State::Deliver => {
                self.state.d.next = if handed { State::Examine } else { State::Fetch }
            }
        }
        self.reader.go_on.next = self.go_on.val();
        self.reader.chosen.next = self.chosen_now.val();
        let at_last = self.reader.at_last.val();
        if self.go_on.val() {
            self.state.d.next = if at_last { State::Done } else { State::Examine };
        }
        if self.begin.val() {
            self.has_chosen.d.next = false;
            self.is_wanted.d.next = false;
            self.difference.d.next = 0.into();
            self.takes.d.next = self.host.valid.val() & !self.crowded.val();
            self.state.d.next = if repeats { State::Turn } else { State::Examine };
        }
        self.busy.next = state != State::Done;
        // Messages for a link that is down have gone to the host.
        let goes = (self.is_wanted.q.val() | self.crowded.val()) & !down;
        self.chosen.next = has_chosen & (goes | !transmit);
    }
}
