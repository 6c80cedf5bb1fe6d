//! The protocol of a link: frames, answers, repetition, and detection of links that are down.

use super::buffer_layout::{buffer_fits, byte_address, timeouts_offset, turn_offset};
use super::{EnginePlan, FrameOutcome, FrameWalk, LinkRecord, LinkState, MemoryEnd, PhaseTimer};
use super::{CROSSED_BITS, DIM_BITS, SLOT_BITS};
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
    pub heard_crossed: Signal<Out, Bits<CROSSED_BITS>>,
    /// While the node receives, the buffer for the incoming message. While it transmits, the buffer
    /// that stores the state of the link.
    pub own: Signal<In, Bits<SLOT_BITS>>,
    /// Buffer `own` is full.
    pub full: Signal<In, Bit>,
    /// Buffer that gets the turn if the message gets a NAK and frames count cross edges. Without
    /// counts the same buffer keeps the turn.
    pub after_refusal: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was dropped.
    pub forget: Signal<In, Bit>,
    /// High for one clock cycle: receive buffer `own` now holds a message.
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
    pub enters: Signal<Out, Bit>,
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
            "a register of {} bytes holds a length, {} bytes of payload and the state of a link",
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
        link!(self, timer, begin, window => frame_open, answer_open);
        let stop = self.begin.val() | self.mute.val();

        self.walk.stop.next = stop;
        join!(self, timer, walk, frame_close, answer_open, answer_close);
        join!(self, links, walk, start, sequence, expected);
        link!(
            self,
            walk,
            transmit,
            dim,
            sender,
            crossed,
            full,
            heard_crossed,
            drive
        );
        link!(self, walk, tx_data, tx_start, tx_ready, rx_data, rx_valid);
        link!(self.memory, walk, read_data);
        self.spoil.next = self.walk.heard.spoil.val();
        let opens = self.timer.frame_open.val() | self.timer.answer_open.val();
        self.rx_clear.next = self.begin.val() | opens;

        link!(self, links, reset);
        self.links.stop.next = stop;
        join!(self, timer, links, frame_open, frame_close, answer_close);
        join!(self, walk, links, heard);
        link!(
            self,
            links,
            select,
            transmit,
            ready,
            send,
            slot,
            after_refusal,
            forget
        );
        link!(self, links, store, free, pending, down, all_down, outcome);
        link!(self.memory, links, read_data);

        // The message memory. Writes go to the state of the link. Reads do too, unless a message is
        // being sent. They never use the same byte at once.
        let own = self.own.val();
        let offset = self.walk.offset.val();
        let reads = self.walk.reads.val();
        let entry = self.links.entry.val();
        let silences = bits::<OFFSET_BITS>(timeouts_offset(OFFSET_BITS));
        let turn = bits::<OFFSET_BITS>(turn_offset(OFFSET_BITS));
        let at_silences = entry == LinkRecord::Timeouts;
        let read_slot = if reads { self.slot.val() } else { own };
        let read_offset = if reads {
            offset
        } else if at_silences {
            turn
        } else {
            silences
        };
        let write_offset = if at_silences {
            silences
        } else if entry == LinkRecord::Turn {
            turn
        } else {
            offset
        };
        self.memory.read_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(read_slot, read_offset);
        self.memory.write_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(own, write_offset);
        let enters = entry != LinkRecord::Nothing;
        self.memory.write_data.next = if enters {
            self.links.entry_data.val()
        } else {
            self.rx_data.val()
        };
        self.memory.write_enable.next = enters | self.walk.writes.val();
        // The written value depends on the value read in the previous clock cycle.
        self.enters.next = enters | self.timer.answer_close.val();
    }
}
