//! What joins a node to its wires, with messages on the other side.

use super::place::{across, class_bits};
use super::register_numbers::{after_refusal, crossed};
use super::{
    mask_of, EnginePlan, FrameEngine, FrameOutcome, MemoryEnd, PinMux, WireEnds, CROSSED_BITS,
    DIM_BITS, SLOT_BITS,
};
use crate::uart::HalfDuplexUart;
use hdl::cells::Parameter;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// A node's port to its links: pin mux, UART and frame engine. It carries messages; in
/// every phase it is either the sender or the receiver on one link.
///
/// The links and the bits of an address tell the cube or metacube that it is in. Which
/// register a message comes into is decided outside.
#[derive(LogicBlock, Circuit, Default)]
pub struct FramePort<
    const LINKS: usize,
    const BITS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// As that of [`LinkState`](super::LinkState).
    pub reset: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<Out, Bits<LINKS>>,
    /// The node transmits in the phase, else it receives.
    pub transmit: Signal<In, Bit>,
    /// The node is out of step and must release all pins.
    pub mute: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<BITS>>,
    /// What both ends know of the phase beside its link: a frame of another one does not check.
    pub stamp: Signal<In, Bits<16>>,
    pub wires: WireEnds<LINKS>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// The node sends a message.
    pub send: Signal<In, Bit>,
    /// The register of the message that is sent.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was given up.
    pub forget: Signal<In, Bit>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub heard_crossed: Signal<Out, Bits<CROSSED_BITS>>,
    /// While the node receives, the register for such a message; while it sends, the one
    /// that keeps the state of the link.
    pub own: Signal<In, Bits<SLOT_BITS>>,
    /// It is full.
    pub own_full: Signal<In, Bit>,
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
    pub memory: MemoryEnd<ADDRESS_BITS>,
    mux: PinMux<LINKS>,
    uart: HalfDuplexUart<CLOCKS>,
    engine: FrameEngine<LINKS, OFFSET_BITS, ADDRESS_BITS>,
    /// Cross edges that are counted, at most.
    count_limit: Parameter<Bits<CROSSED_BITS>>,
    chosen: Signal<Local, Bits<LINKS>>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > FramePort<LINKS, BITS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// # Panics
    /// If a message does not fit a register.
    pub fn new(plan: EnginePlan) -> Self {
        FramePort {
            engine: FrameEngine::new(plan, class_bits(LINKS, BITS) > 0),
            count_limit: Parameter::new(mask_of(1 << CROSSED_BITS).into()),
            ..Default::default()
        }
    }

    /// With so many different counts of cross edges, 1 to 8; what would be more is the
    /// last. With fewer than messages have, they may wait for each other in a circle.
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.count_limit = Parameter::new((counts - 1).into());
        self
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for FramePort<LINKS, BITS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, mux, uart, engine);
        let transmit = self.transmit.val();
        let dim = self.dim.val();
        self.chosen.next = 0.into();
        for link in 0..LINKS {
            if dim == link as u64 {
                self.chosen.next = bits::<LINKS>(1 << link);
            }
        }
        let select = self.chosen.val();
        self.select.next = select;

        // A phase that is cut short ends while the engine drives, which it stops only in
        // the next clock cycle; but the wire of the next phase may be the neighbour's.
        let drive = self.engine.drive.val() & !self.begin.val() & !self.mute.val();
        self.mux.dim.next = dim;
        self.mux.drive.next = drive;
        join!(self, uart, mux, tx);
        link!(self.wires, mux, level, pull);
        self.wires.holds.next = if drive { select } else { bits::<LINKS>(0) };

        join!(self, engine, uart, tx_data, tx_start, rx_clear);
        join!(self, mux, uart, rx);

        link!(self, engine, reset, begin);
        self.engine.transmit.next = transmit;
        self.engine.dim.next = dim;
        self.engine.select.next = select;
        link!(self, engine, mute);
        let address = self.address.val();
        let sender = if transmit {
            address
        } else {
            across::<LINKS, BITS>(address, select)
        };
        self.engine.sender.next = sender.resized::<16>() ^ self.stamp.val();
        link!(self, engine, ready, send);
        let slot = self.slot.val();
        self.engine.slot.next = slot;
        let count = crossed::<LINKS, BITS>(slot);
        self.engine.crossed.next = if count > self.count_limit.val() {
            self.count_limit.val()
        } else {
            count
        };
        self.engine.after_refusal.next = after_refusal::<LINKS, BITS>(slot);
        link!(self, engine, heard_crossed, own);
        self.engine.full.next = self.own_full.val();
        link!(self, engine, forget);
        join!(self, uart, engine, tx_ready);
        // With less than 8 clock cycles per bit the byte being sent does not stand
        // still for the CRC in the UART.
        let on_the_wire = if self.engine.drive.val() {
            self.engine.tx_data.val()
        } else {
            self.uart.rx_data.val()
        };
        self.engine.rx_data.next = if CLOCKS < 8 {
            on_the_wire
        } else {
            self.uart.rx_data.val()
        };
        join!(self, uart, engine, rx_valid);

        link!(self, engine, store, spoil, free, pending, down, all_down);
        link!(self, engine, window, answer_open, enters);
        link!(self, engine, outcome, memory);
    }
}
