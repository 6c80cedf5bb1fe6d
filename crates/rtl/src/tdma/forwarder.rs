//! The hardware router of nodes without a core.

use super::buffers::{byte_address, turn_offset};
use super::{mask_of, DeliveryReason, FromHost, MemoryEnd, ToHost, SLOT_BITS};
use hdl::prelude::*;

/// The routing code as a state machine: decides which message a node sends.
///
/// At the beginning of a phase the forwarder takes a message from the host if the injection buffer
/// is empty. It then examines all buffers in ascending order and delivers messages for this node to
/// the host. Of the messages that use the link of the phase it chooses the first one from the
/// link's turn on, otherwise the first one of all. With ascending service, as published, it chooses
/// the first one of all (docs/machine.md, "Order of service"). A link with a frame to repeat
/// repeats it. A message whose link is down goes to the host, one per phase.
///
/// A buffer of the message memory holds a length byte, then the payload. The payload begins with
/// the destination, low byte first.
#[derive(LogicBlock, Circuit, Default)]
pub struct Forwarder<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node transmits in this phase.
    pub transmit: Signal<In, Bit>,
    /// Buffer that stores the state of the link of the phase.
    pub link_buffer: Signal<In, Bits<SLOT_BITS>>,
    /// The injection buffer is full.
    pub injected: Signal<In, Bit>,
    /// Buffer `slot` is full.
    pub occupied: Signal<In, Bit>,
    /// Destination of the message in buffer `slot`; valid while the forwarder decides about the
    /// message.
    pub destination: Signal<Out, Bits<16>>,
    /// `destination` is this node.
    pub home: Signal<In, Bit>,
    /// The route to `destination` begins with the link of the phase.
    pub wanted: Signal<In, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<In, Bit>,
    /// The link is down.
    pub down: Signal<In, Bit>,
    /// The forwarder is working and has exclusive use of the message memory.
    pub busy: Signal<Out, Bit>,
    /// A message is chosen.
    pub chosen: Signal<Out, Bit>,
    /// Buffer of the chosen message. While the forwarder works: the buffer being examined.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// High for one clock cycle: the injection buffer is now full.
    pub inject: Signal<Out, Bit>,
    /// High for one clock cycle: buffer `slot` is now free.
    pub release: Signal<Out, Bit>,
    /// High for one clock cycle: cancels the pending repetition.
    pub forget: Signal<Out, Bit>,
    pub host: FromHost,
    pub out: ToHost,
    pub memory: MemoryEnd<ADDRESS_BITS>,
    state: Reg<ForwarderState>,
    /// Points to the buffer being examined, finally to the chosen one.
    reader: BufferReader<OFFSET_BITS, ADDRESS_BITS>,
    exchange: HostExchange<OFFSET_BITS>,
    has_chosen: Reg<Bit>,
    choice: Reg<Bits<SLOT_BITS>>,
    /// Buffer that the link serves first.
    turn: Reg<Bits<SLOT_BITS>>,
    /// The chosen buffer comes before `turn`.
    before_turn: Reg<Bit>,
    /// Each link serves buffers round-robin.
    turns: Parameter<Bit>,
    /// Number of the injection buffer.
    injection: Parameter<Bits<SLOT_BITS>>,
    /// Mask of the number after the last buffer; synthesis can see which bits are zero.
    turn_mask: Parameter<Bits<SLOT_BITS>>,
    /// An address has more than eight bits.
    is_wide: Parameter<Bit>,
    reason: Reg<DeliveryReason>,
    go_on: Signal<Local, Bit>,
    chosen_now: Signal<Local, Bits<SLOT_BITS>>,
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Forwarder<OFFSET_BITS, ADDRESS_BITS> {
    /// Makes a forwarder. Links serve buffers round-robin with `turns`, otherwise in ascending
    /// order. `injection` is the number of the injection buffer and `last` the highest number of a
    /// buffer. Addresses have `address_bits` bits.
    pub fn new(turns: bool, injection: usize, last: usize, address_bits: usize) -> Self {
        Forwarder {
            turns: Parameter::new(turns),
            injection: Parameter::new((injection as u64).into()),
            reader: BufferReader::new(last, address_bits),
            turn_mask: Parameter::new(mask_of(last + 2).into()),
            is_wide: Parameter::new(address_bits > 8),
            ..Default::default()
        }
    }
}

impl<const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for Forwarder<OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, has_chosen, choice, reason);
        dff_setup!(self, clock, turn, before_turn);
        clock!(self, clock, exchange, reader);
        let state = self.state.q.val();
        let examined = self.reader.buffer.val();
        let read_data = self.memory.read_data.val();
        let transmit = self.transmit.val();
        let is_wide = self.is_wide.val();
        // Message transfer from or to the host.
        self.exchange.restart.next = self.begin.val() | (state == ForwarderState::Examine);
        self.exchange.take.next = state == ForwarderState::Inject;
        // When a phase begins, the link no longer belongs to the message being delivered.
        self.exchange.deliver.next = (state == ForwarderState::Deliver) & !self.begin.val();
        self.exchange.reason.next = self.reason.q.val();
        link!(self <-> exchange: host);
        link!(exchange -> self: out);
        link!(self.memory -> exchange: read_data);
        link!(exchange -> self.memory: write_data, write_enable);
        link!(exchange -> self: taken -> inject, delivered -> release, forget);
        let taken = self.exchange.taken.val();
        let delivered = self.exchange.delivered.val();
        let injection = self.injection.val();
        let index = self.exchange.index.val();
        self.memory.write_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(injection, index);

        // Visits the buffers one after the other.
        link!(self -> reader: begin, link_buffer);
        link!(reader -> self: destination, buffer -> slot);
        link!(reader -> self.memory: read_address);
        link!(self.memory -> reader: read_data);
        link!(exchange -> reader: index);
        self.reader.state.next = state;
        let wanted = transmit & self.wanted.val();
        // With a frame to repeat, only the buffer of that frame is considered.
        let repeats = transmit & self.pending.val();
        let recalls = transmit & (self.pending.val() | self.turns.val());
        let first = if recalls { ForwarderState::Turn } else { ForwarderState::Examine };
        let mine = examined == self.choice.q.val();
        let early = examined < self.turn.q.val();
        let replaces = self.before_turn.q.val() & !early & !self.down.val();
        self.go_on.next = delivered;
        self.chosen_now.next = self.choice.q.val();
        match state {
            ForwarderState::Done => {}
            ForwarderState::Inject => self.state.d.next = if taken { first } else { state },
            ForwarderState::Turn => {
                let turn = read_data.resized::<SLOT_BITS>() & self.turn_mask.val();
                self.turn.d.next = turn;
                self.choice.d.next = turn;
                // `has_chosen` is still low in the first clock cycle of this state and marks the
                // second.
                self.has_chosen.d.next = true;
                if self.has_chosen.q.val() {
                    self.has_chosen.d.next = repeats;
                    self.state.d.next = ForwarderState::Examine;
                }
            }
            ForwarderState::Examine => {
                if self.occupied.val() {
                    self.state.d.next =
                        if is_wide { ForwarderState::HighByte } else { ForwarderState::Decide };
                } else {
                    self.go_on.next = true;
                }
            }
            ForwarderState::HighByte => self.state.d.next = ForwarderState::Decide,
            ForwarderState::Decide => {
                self.state.d.next = ForwarderState::Fetch;
                if self.home.val() {
                    self.reason.d.next = DeliveryReason::Delivered;
                } else if self.down.val() & repeats & mine {
                    self.reason.d.next = DeliveryReason::Unknown;
                } else if wanted & (!self.has_chosen.q.val() | replaces) {
                    self.has_chosen.d.next = true;
                    self.before_turn.d.next = early;
                    self.choice.d.next = examined;
                    self.chosen_now.next = examined;
                    if self.down.val() {
                        self.reason.d.next = DeliveryReason::Undelivered;
                    } else {
                        self.go_on.next = true;
                    }
                } else {
                    self.go_on.next = true;
                }
            }
            ForwarderState::Fetch => self.state.d.next = ForwarderState::Deliver,
            ForwarderState::Deliver => self.state.d.next = ForwarderState::Fetch,
        }
        self.reader.go_on.next = self.go_on.val();
        self.reader.chosen.next = self.chosen_now.val();
        let at_last = self.reader.at_last.val();
        if self.go_on.val() {
            self.state.d.next =
                if at_last { ForwarderState::Done } else { ForwarderState::Examine };
        }
        if self.begin.val() {
            self.has_chosen.d.next = false;
            self.before_turn.d.next = false;
            self.turn.d.next = 0.into();
            // A message completed in this clock cycle is already in the injection buffer.
            let takes = self.host.valid.val() & !self.injected.val() & !taken;
            self.state.d.next = if takes { ForwarderState::Inject } else { first };
        }
        self.busy.next = state != ForwarderState::Done;
        // A message chosen on a link that is down has gone to the host.
        self.chosen.next = self.has_chosen.q.val() & !self.down.val();
    }
}

/// State of a forwarder in its work at the beginning of a phase.
///
/// The order of the states saves logic cells: most transitions change one bit of the state number.
#[word]
pub enum ForwarderState {
    /// Idle until the next phase.
    Done,
    /// Takes a message from the host into the injection buffer.
    Inject,
    /// Examines the next buffer.
    Examine,
    /// Looks up the round-robin turn of the link. Requests the byte in the first clock cycle and
    /// has it in the second.
    Turn,
    /// Has the low byte of the destination, and needs the high one.
    HighByte,
    /// Sends a byte of the message to the host.
    Deliver,
    /// Has the last byte of the destination, and decides about the message.
    Decide,
    /// Reads a byte of the message for the host.
    Fetch,
}

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
    pub link_buffer: Signal<In, Bits<SLOT_BITS>>,
    /// Index of the next byte of a message that goes to the host.
    pub index: Signal<In, Bits<OFFSET_BITS>>,
    /// The forwarder is done with the buffer. The next one is visited, or `chosen` after the last
    /// one.
    pub go_on: Signal<In, Bit>,
    /// Buffer to visit after the last one.
    pub chosen: Signal<In, Bits<SLOT_BITS>>,
    /// Buffer being visited.
    pub buffer: Signal<Out, Bits<SLOT_BITS>>,
    /// The buffer is the last one.
    pub at_last: Signal<Out, Bit>,
    /// Destination of the buffer's message; valid while the forwarder decides about the message.
    pub destination: Signal<Out, Bits<16>>,
    pub read_address: Signal<Out, Bits<ADDRESS_BITS>>,
    pub read_data: Signal<In, Bits<8>>,
    examined: Reg<Bits<SLOT_BITS>>,
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
        dff_setup!(self, clock, examined, low);
        let examined = self.examined.q.val();
        let at = byte_address::<OFFSET_BITS, ADDRESS_BITS>(examined, bits::<OFFSET_BITS>(0));
        let turn = bits::<OFFSET_BITS>(turn_offset(OFFSET_BITS));
        match self.state.val() {
            ForwarderState::Turn => {
                self.read_address.next =
                    byte_address::<OFFSET_BITS, ADDRESS_BITS>(self.link_buffer.val(), turn);
            }
            ForwarderState::Examine => self.read_address.next = at | 1,
            ForwarderState::HighByte => {
                self.low.d.next = self.read_data.val();
                self.read_address.next = at | 2;
            }
            _ => {
                self.read_address.next =
                    byte_address::<OFFSET_BITS, ADDRESS_BITS>(examined, self.index.val());
            }
        }

        // Wide addresses use a second destination byte.
        let byte = self.read_data.val().resized::<16>();
        self.destination.next =
            if self.is_wide.val() { self.low.q.val().resized::<16>() | (byte << 8) } else { byte };

        let at_last = examined == self.last.val();
        if self.go_on.val() {
            // Masked again, so that synthesis also sees the zero bits of the chosen number.
            self.examined.d.next = if at_last {
                self.chosen.val() & self.mask.val()
            } else {
                (examined + 1) & self.mask.val()
            };
        }
        if self.begin.val() {
            self.examined.d.next = 0.into();
        }
        self.buffer.next = examined;
        self.at_last.next = at_last;
    }
}

/// Takes a message from the host, or delivers one, and detects the last byte.
///
/// A message is a length byte, then the payload. The first byte gives the number of bytes that
/// follow, at least one.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostExchange<const OFFSET_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Restart: from the next clock cycle on, the next byte is the first of a message.
    pub restart: Signal<In, Bit>,
    /// Takes a byte from the host.
    pub take: Signal<In, Bit>,
    /// Sends the byte `read_data` to the host.
    pub deliver: Signal<In, Bit>,
    /// Reason why the message goes to the host.
    pub reason: Signal<In, DeliveryReason>,
    pub host: FromHost,
    pub out: ToHost,
    /// Index of the next byte; 0 is the length.
    pub index: Signal<Out, Bits<OFFSET_BITS>>,
    /// High for one clock cycle: a whole message has been taken.
    pub taken: Signal<Out, Bit>,
    /// High for one clock cycle: a whole message has been delivered.
    pub delivered: Signal<Out, Bit>,
    /// High for one clock cycle: the delivered message was one that a link had to repeat.
    pub forget: Signal<Out, Bit>,
    /// From the message memory.
    pub read_data: Signal<In, Bits<8>>,
    /// To the message memory.
    pub write_data: Signal<Out, Bits<8>>,
    /// To the message memory.
    pub write_enable: Signal<Out, Bit>,
    next_byte: Reg<Bits<OFFSET_BITS>>,
    /// Number of bytes of the message left, once the length has passed.
    remaining: Reg<Bits<OFFSET_BITS>>,
}

impl<const OFFSET_BITS: usize> Logic for HostExchange<OFFSET_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, next_byte, remaining);
        let take = self.take.val();
        let deliver = self.deliver.val();
        let index = self.next_byte.q.val();
        let remaining = self.remaining.q.val();
        let byte = if take { self.host.data.val() } else { self.read_data.val() };
        if take | deliver {
            self.next_byte.d.next = index + 1;
            self.remaining.d.next =
                if index == 0 { byte.resized::<OFFSET_BITS>() } else { remaining - 1 };
        }
        if self.restart.val() {
            self.next_byte.d.next = 0.into();
        }
        let last = (index != 0) & (remaining == 1);
        self.index.next = index;
        self.taken.next = take & last;
        self.delivered.next = deliver & last;
        self.forget.next = deliver & last & (self.reason.val() == DeliveryReason::Unknown);
        self.host.index.next = index.resized();
        self.host.taken.next = take & last;
        self.write_data.next = self.host.data.val();
        self.write_enable.next = take;
        self.out.valid.next = deliver;
        self.out.data.next = self.read_data.val();
        self.out.last.next = last;
        self.out.reason.next = self.reason.val();
    }
}
