//! The protocol of a link: frames, answers, repetition, and detection of links that are down.

use super::buffers::{buffer_fits, byte_address, timeouts_offset, turn_offset};
use super::{FrameOutcome, FrameWalk, LinkState, MemoryEnd, CROSSED_BITS, DIM_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Sends and receives frames, one per phase.
///
/// The engine connects two blocks and the message memory. A [`FrameWalk`] handles the bytes of a
/// frame on the wire. A [`LinkState`] stores the state of the links and decides when a frame
/// begins. The walk reports received frames and answers to the link state.
#[derive(LogicBlock, Circuit, Default)]
pub struct FrameEngine<const LINKS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Reset; see [`LinkState`].
    pub reset: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node transmits in this phase, otherwise it receives.
    pub transmit: Signal<In, Bit>,
    /// Link of the phase; in a cube its dimension.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Link of the phase, one-hot.
    pub select: Signal<In, Bits<LINKS>>,
    /// Neither send nor receive: the node has lost sync.
    pub mute: Signal<In, Bit>,
    /// Address of the node that transmits in this phase.
    pub sender: Signal<In, Bits<16>>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// The node sends a message.
    pub send: Signal<In, Bit>,
    /// Buffer of the message to send.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// Cross edges that the message to send has passed.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub received_crossed: Signal<Out, Bits<CROSSED_BITS>>,
    /// While the node receives, the buffer for the incoming message. While it transmits, the buffer
    /// that stores the state of the link.
    pub link_buffer: Signal<In, Bits<SLOT_BITS>>,
    /// Buffer `link_buffer` is full.
    pub full: Signal<In, Bit>,
    /// Buffer that gets the turn if the message gets a NAK and frames count cross edges. Without
    /// counts the same buffer keeps the turn.
    pub after_nak: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was dropped.
    pub forget: Signal<In, Bit>,
    /// High for one clock cycle: receive buffer `link_buffer` now holds a message.
    pub store: Signal<Out, Bit>,
    /// High for one clock cycle: the content of the receive buffer is lost.
    pub spoil: Signal<Out, Bit>,
    /// High for one clock cycle: buffer `slot` is free.
    pub free: Signal<Out, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link is down.
    pub down: Signal<Out, Bit>,
    /// Links that are down.
    pub all_down: Signal<Out, Bits<LINKS>>,
    /// High for one clock cycle: the frame window opens.
    pub window: Signal<Out, Bit>,
    /// High for one clock cycle: the answer slot opens, and the frame is off the wire.
    pub answer_open: Signal<Out, Bit>,
    /// The engine uses the message memory to record the outcome of the frame.
    pub records: Signal<Out, Bit>,
    pub outcome: FrameOutcome,
    /// The node may pull the wire.
    pub drive: Signal<Out, Bit>,
    /// To the UART.
    pub tx_data: Signal<Out, Bits<8>>,
    /// To the UART.
    pub tx_start: Signal<Out, Bit>,
    /// From the UART.
    pub tx_ready: Signal<In, Bit>,
    /// From the UART: the byte received, or the byte being sent. Stable for eight clock cycles
    /// after `rx_valid`, or after the UART has accepted a byte to send.
    pub rx_data: Signal<In, Bits<8>>,
    /// From the UART.
    pub rx_valid: Signal<In, Bit>,
    /// To the UART: a window opens.
    pub rx_clear: Signal<Out, Bit>,
    pub memory: MemoryEnd<ADDRESS_BITS>,
    timer: PhaseTimer,
    walk: FrameWalk<OFFSET_BITS>,
    links: LinkState<LINKS>,
}

impl<const LINKS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
    FrameEngine<LINKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Makes an engine. With `counts`, its frames carry the number of cross edges that their
    /// message has passed, as in a metacube.
    ///
    /// # Panics
    /// If the payload does not fit the buffers, which have `2^OFFSET_BITS` bytes.
    pub fn new(plan: EnginePlan, counts: bool) -> Self {
        assert!(
            buffer_fits(OFFSET_BITS, plan.payload),
            "a buffer of {} bytes holds a length, {} bytes of payload and the state of a link",
            1 << OFFSET_BITS,
            plan.payload
        );
        FrameEngine {
            timer: PhaseTimer::new(plan.phase),
            walk: FrameWalk::new(plan, counts),
            links: LinkState::new(plan, counts),
            ..Default::default()
        }
    }
}

impl<const LINKS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for FrameEngine<LINKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, timer, walk, links);
        link!(self -> timer: begin);
        link!(timer -> self: frame_open -> window, answer_open);
        let stop = self.begin.val() | self.mute.val();

        self.walk.stop.next = stop;
        link!(timer -> walk: frame_close, answer_open, answer_close);
        link!(links -> walk: start, sequence, expected);
        link!(self -> walk: transmit, dim, sender, crossed, full);
        link!(walk -> self: received_crossed, drive);
        link!(walk -> self: tx_data, tx_start);
        link!(self -> walk: tx_ready, rx_data, rx_valid);
        link!(self.memory -> walk: read_data);
        self.spoil.next = self.walk.events.spoil.val();
        let opens = self.timer.frame_open.val() | self.timer.answer_open.val();
        self.rx_clear.next = self.begin.val() | opens;

        link!(self -> links: reset);
        self.links.stop.next = stop;
        link!(timer -> links: frame_open, frame_close, answer_close);
        link!(walk -> links: events);
        link!(self -> links: select, transmit, ready, send, slot, after_nak, forget);
        link!(links -> self: store, free, pending, down, all_down, outcome);
        link!(self.memory -> links: read_data);

        // The message memory. Writes go to the state of the link. Reads do too, unless a message is
        // being sent. They never use the same byte at once.
        let link_buffer = self.link_buffer.val();
        let offset = self.walk.offset.val();
        let reads = self.walk.reads.val();
        let record = self.links.record.val();
        let timeouts = bits::<OFFSET_BITS>(timeouts_offset(OFFSET_BITS));
        let turn = bits::<OFFSET_BITS>(turn_offset(OFFSET_BITS));
        let at_timeouts = record == LinkRecord::Timeouts;
        let read_slot = if reads { self.slot.val() } else { link_buffer };
        let read_offset = if reads {
            offset
        } else if at_timeouts {
            turn
        } else {
            timeouts
        };
        let write_offset = if at_timeouts {
            timeouts
        } else if record == LinkRecord::Turn {
            turn
        } else {
            offset
        };
        self.memory.read_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(read_slot, read_offset);
        self.memory.write_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(link_buffer, write_offset);
        let records = record != LinkRecord::Nothing;
        self.memory.write_data.next =
            if records { self.links.record_data.val() } else { self.rx_data.val() };
        self.memory.write_enable.next = records | self.walk.writes.val();
        // The written value depends on the value read in the previous clock cycle.
        self.records.next = records | self.timer.answer_close.val();
    }
}

// The parameters and states of a frame engine, and the outcomes of frames.

/// Parameters of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnginePlan {
    /// Receivers send answers. Without answers a sender does not learn the outcome of a frame.
    pub acked: bool,
    /// Each link serves the buffers that use it round-robin, otherwise in ascending order, as
    /// published.
    pub round_robin: bool,
    /// Messages are in a pool of slots, otherwise in one buffer per link.
    pub pool: bool,
    /// Longest payload of a frame in bytes, including the destination.
    pub payload: u64,
    pub phase: PhasePlan,
}

impl EnginePlan {
    /// Returns the plan for a node with a pool of slots. The nearest message of a pool goes first,
    /// so links do not serve round-robin.
    ///
    /// # Panics
    /// If links have no answers.
    #[must_use]
    pub fn pooled(self) -> Self {
        assert!(self.acked, "a pool of slots answers NAK if no slot is free");
        EnginePlan { round_robin: false, pool: true, ..self }
    }
}

/// Step of a node within a frame. The order matters: the lower two bits of a step's number identify
/// the byte on the wire (sync, header, message byte or CRC byte).
#[word]
pub enum FrameState {
    Sync,
    Header,
    Length,
    Crc,
    /// Idle until the next window.
    Idle,
    /// The frame has ended, and the answer slot is not open yet.
    AwaitAnswer,
    Payload,
    Answer,
}

/// Record about a link that is written to the message memory.
#[word]
pub enum LinkRecord {
    Nothing,
    /// Number of consecutive timeouts of the link.
    Timeouts,
    /// Buffer that has the turn next.
    Turn,
}

/// Outcome of the frame that a node sent in a phase.
#[word]
pub enum SendResult {
    /// No frame was sent.
    Nothing,
    /// Timeout: no answer, or an invalid one.
    Timeout,
    /// NAK: the neighbour's buffer was full.
    Nak,
    /// The neighbour has the message. Without answers: the frame was sent.
    Accepted,
}

/// Outcome of the frame that a node received in a phase.
#[word]
pub enum ReceiveResult {
    /// Nothing was received.
    Nothing,
    /// The received bytes were not a valid frame.
    Damaged,
    /// Like `Damaged`, and the content of the buffer is lost. Occurs only without answers.
    Spoiled,
    /// A frame that the node already had; acknowledged again.
    Repeat,
    /// The buffer was full.
    Nak,
    /// The message is in the buffer.
    Stored,
    /// The message is in the buffer, and the previous content is lost. Occurs only without answers.
    Overwrote,
}

/// Windows of a phase, in clock cycles since its beginning (docs/machine.md, "Phase").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePlan {
    /// The sender begins its frame.
    pub frame_open: u64,
    /// The sender releases the wire.
    pub frame_close: u64,
    /// The receiver begins its answer.
    pub answer_open: u64,
    /// The receiver releases the wire.
    pub answer_close: u64,
    /// Length of the phase.
    pub phase: u64,
}

/// Signals when the windows of a phase open and close. Each output is high for one clock cycle.
///
/// After the last window the timer stops until a phase begins. A node that misses the beginning of
/// a phase therefore has no window in it.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseTimer {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The sender begins its frame.
    pub frame_open: Signal<Out, Bit>,
    /// The sender releases the wire.
    pub frame_close: Signal<Out, Bit>,
    /// The receiver begins its answer.
    pub answer_open: Signal<Out, Bit>,
    /// The receiver releases the wire.
    pub answer_close: Signal<Out, Bit>,
    frame_open_at: Parameter<Bits<16>>,
    frame_close_at: Parameter<Bits<16>>,
    answer_open_at: Parameter<Bits<16>>,
    answer_close_at: Parameter<Bits<16>>,
    /// Keeps the bits that no phase reaches at zero, so that synthesis removes them.
    mask: Parameter<Bits<16>>,
    elapsed: Reg<Bits<16>>,
    /// A window is still ahead.
    running: Reg<Bit>,
}

impl PhaseTimer {
    /// Makes a timer for a plan.
    ///
    /// # Panics
    /// If the windows are not in order or not within the phase, or if the phase is longer than
    /// 65,535 clock cycles.
    pub fn new(plan: PhasePlan) -> Self {
        let times =
            [plan.frame_open, plan.frame_close, plan.answer_open, plan.answer_close, plan.phase];
        assert!(times.is_sorted(), "the windows of a phase are in order");
        assert!(plan.frame_open > 0, "a phase begins before its first window");
        assert!(plan.answer_close < plan.phase, "the last window closes before the phase ends");
        assert!(plan.phase < 1 << 16, "a phase has up to 65,535 clock cycles");
        let constant = |time: u64| Parameter::new(time.into());
        PhaseTimer {
            frame_open_at: constant(plan.frame_open),
            frame_close_at: constant(plan.frame_close),
            answer_open_at: constant(plan.answer_open),
            answer_close_at: constant(plan.answer_close),
            mask: constant((plan.phase + 1).next_power_of_two() - 1),
            ..Default::default()
        }
    }
}

impl Logic for PhaseTimer {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, elapsed, running);
        let elapsed = self.elapsed.q.val();
        // The first clock cycle of a phase is number 0.
        if self.begin.val() {
            self.elapsed.d.next = 1.into();
            self.running.d.next = true;
        } else if self.running.q.val() {
            self.elapsed.d.next = (elapsed + 1) & self.mask.val();
            self.running.d.next = elapsed != self.answer_close_at.val();
        }
        self.frame_open.next = elapsed == self.frame_open_at.val();
        self.frame_close.next = elapsed == self.frame_close_at.val();
        self.answer_open.next = elapsed == self.answer_open_at.val();
        self.answer_close.next = elapsed == self.answer_close_at.val();
    }
}
