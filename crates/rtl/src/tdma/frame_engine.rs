//! The protocol of a link: frames, answers, repetition, and when a link is down.

use super::register_layout::{byte_address, register_holds, silences_offset, turn_offset};
use super::{EnginePlan, Entry, FrameOutcome, FrameWalk, LinkState, MemoryEnd, PhaseTimer};
use super::{CROSSED_BITS, DIM_BITS, SLOT_BITS};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Sends and receives frames, one in every phase.
///
/// A [`FrameWalk`] is what a frame is on the wire, and a [`LinkState`] what is kept of the
/// links: the walk says what it hears, the state when a frame begins. Here their bytes
/// meet the message memory.
#[derive(LogicBlock, Circuit, Default)]
pub struct FrameEngine<const LINKS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// As that of [`LinkState`].
    pub reset: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node sends in this phase, else it receives.
    pub transmit: Signal<In, Bit>,
    /// The link of the phase, in a cube its dimension.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<In, Bits<LINKS>>,
    /// Be silent: the node is out of step.
    pub mute: Signal<In, Bit>,
    /// The address of the node that sends in this phase.
    pub sender: Signal<In, Bits<16>>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// The node sends a message.
    pub send: Signal<In, Bit>,
    /// The register of the message that is sent.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// Cross edges that the message has passed.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub heard_crossed: Signal<Out, Bits<CROSSED_BITS>>,
    /// While the node receives, the register for such a message; while it sends, the one
    /// that keeps the state of the link.
    pub own: Signal<In, Bits<SLOT_BITS>>,
    /// It is full.
    pub full: Signal<In, Bit>,
    /// With counts: the register whose turn it is if the message is refused. Without, it
    /// is the same one's.
    pub after_refusal: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was given up.
    pub forget: Signal<In, Bit>,
    /// High for one clock cycle: the receive register `own` has a message.
    pub store: Signal<Out, Bit>,
    /// High for one clock cycle: what the receive register held is lost.
    pub spoil: Signal<Out, Bit>,
    /// High for one clock cycle: the register `slot` is free.
    pub free: Signal<Out, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link is down.
    pub down: Signal<Out, Bit>,
    /// Links that are down.
    pub all_down: Signal<Out, Bits<LINKS>>,
    /// High for one clock cycle: the frame window opens.
    pub window: Signal<Out, Bit>,
    /// High for one clock cycle: the answer slot opens. No frame is on the wire any more.
    pub answer_open: Signal<Out, Bit>,
    /// The engine uses the message memory to write down what became of the frame.
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
    /// From the UART: the byte received, or the one being sent. It stands still
    /// for eight clock cycles after `rx_valid`, or after a byte was taken to be sent.
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
    /// Its frames tell how many cross edges their message has passed if it `counts` them,
    /// as in a metacube.
    ///
    /// # Panics
    /// If the payload does not fit the registers, which have `2^OFFSET_BITS` bytes.
    pub fn new(plan: EnginePlan, counts: bool) -> Self {
        assert!(
            register_holds(OFFSET_BITS, plan.payload),
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

        // The message memory. What is written belongs to the link; what is read,
        // too, unless a message is sent. They never meet.
        let own = self.own.val();
        let offset = self.walk.offset.val();
        let reads = self.walk.reads.val();
        let entry = self.links.entry.val();
        let silences = bits::<OFFSET_BITS>(silences_offset(OFFSET_BITS));
        let turn = bits::<OFFSET_BITS>(turn_offset(OFFSET_BITS));
        let at_silences = entry == Entry::Silences;
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
        } else if entry == Entry::Turn {
            turn
        } else {
            offset
        };
        self.memory.read_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(read_slot, read_offset);
        self.memory.write_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(own, write_offset);
        let enters = entry != Entry::Nothing;
        self.memory.write_data.next = if enters {
            self.links.entry_data.val()
        } else {
            self.rx_data.val()
        };
        self.memory.write_enable.next = enters | self.walk.writes.val();
        // What is written depends on what is read in the clock cycle before.
        self.enters.next = enters | self.timer.answer_close.val();
    }
}
