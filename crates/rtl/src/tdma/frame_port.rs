//! The connection of a node to its wires, at the level of messages.

use super::address_links::{across, class_bits};
use super::buffers::{departure_count_bits, turn_after_nak};
use super::{
    mask_of, EnginePlan, FrameEngine, FrameOutcome, MemoryEnd, PinMux, WireEnds, CROSSED_BITS,
    DIM_BITS, SLOT_BITS,
};
use crate::uart::HalfDuplexUart;
use hdl::prelude::*;

/// The port of a node to its links: pin mux, UART and frame engine. It transfers messages. In every
/// phase it is either the sender or the receiver on one link.
///
/// The number of links and the address width determine the cube or metacube. The buffer for an
/// incoming message is chosen outside.
#[derive(LogicBlock, Circuit, Default)]
pub struct FramePort<
    const LINKS: usize,
    const BITS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Reset; see [`LinkState`](super::LinkState).
    pub reset: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// Link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Link of the phase, one-hot.
    pub select: Signal<Out, Bits<LINKS>>,
    /// The node transmits in this phase, otherwise it receives.
    pub transmit: Signal<In, Bit>,
    /// The node has lost sync and must release all pins.
    pub mute: Signal<In, Bit>,
    /// Address of the node.
    pub address: Signal<In, Bits<BITS>>,
    /// Identification of the phase, known to both ends. The CRC rejects frames with another stamp.
    pub stamp: Signal<In, Bits<16>>,
    pub wires: WireEnds<LINKS>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// The node sends a message.
    pub send: Signal<In, Bit>,
    /// Buffer of the message to send.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was dropped.
    pub forget: Signal<In, Bit>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub received_crossed: Signal<Out, Bits<CROSSED_BITS>>,
    /// While the node receives, the buffer for the incoming message. While it transmits, the buffer
    /// that stores the state of the link.
    pub link_buffer: Signal<In, Bits<SLOT_BITS>>,
    /// Buffer `link_buffer` is full.
    pub link_buffer_full: Signal<In, Bit>,
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
    pub memory: MemoryEnd<ADDRESS_BITS>,
    mux: PinMux<LINKS>,
    uart: HalfDuplexUart<CLOCKS>,
    engine: FrameEngine<LINKS, OFFSET_BITS, ADDRESS_BITS>,
    /// Highest count of cross edges.
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
    /// Makes a port for a plan.
    ///
    /// # Panics
    /// If a message does not fit a buffer.
    pub fn new(plan: EnginePlan) -> Self {
        FramePort {
            engine: FrameEngine::new(plan, class_bits(LINKS, BITS) > 0),
            count_limit: Parameter::new(mask_of(1 << CROSSED_BITS).into()),
            ..Default::default()
        }
    }

    /// Sets the number of different counts of cross edges, 1 to 8. Higher counts saturate at the
    /// last one. With fewer counts than messages need, waiting messages can deadlock.
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

        // When a phase is cut short, the engine stops driving only one clock cycle after `begin`.
        // The wire of the new phase may already belong to the neighbour.
        let drive = self.engine.drive.val() & !self.begin.val() & !self.mute.val();
        self.mux.dim.next = dim;
        self.mux.drive.next = drive;
        link!(uart -> mux: tx);
        link!(self.wires -> mux: level);
        link!(mux -> self.wires: pull);
        self.wires.holds.next = if drive { select } else { bits::<LINKS>(0) };

        link!(engine -> uart: tx_data, tx_start, rx_clear);
        link!(mux -> uart: rx);

        link!(self -> engine: reset, begin);
        self.engine.transmit.next = transmit;
        self.engine.dim.next = dim;
        self.engine.select.next = select;
        link!(self -> engine: mute);
        let address = self.address.val();
        let sender = if transmit { address } else { across::<LINKS, BITS>(address, select) };
        self.engine.sender.next = sender.resized::<16>() ^ self.stamp.val();
        link!(self -> engine: ready, send);
        let slot = self.slot.val();
        self.engine.slot.next = slot;
        let count = departure_count_bits::<LINKS, BITS>(slot);
        self.engine.crossed.next =
            if count > self.count_limit.val() { self.count_limit.val() } else { count };
        self.engine.after_nak.next = turn_after_nak::<LINKS, BITS>(slot);
        link!(engine -> self: received_crossed);
        link!(self -> engine: link_buffer);
        self.engine.full.next = self.link_buffer_full.val();
        link!(self -> engine: forget);
        link!(uart -> engine: tx_ready);
        // With fewer than 8 clock cycles per bit, the UART does not hold the byte being sent long
        // enough for the CRC.
        let on_the_wire = if self.engine.drive.val() {
            self.engine.tx_data.val()
        } else {
            self.uart.rx_data.val()
        };
        self.engine.rx_data.next = if CLOCKS < 8 { on_the_wire } else { self.uart.rx_data.val() };
        link!(uart -> engine: rx_valid);

        link!(engine -> self: store, spoil, free, pending, down, all_down);
        link!(engine -> self: window, answer_open, records);
        link!(engine -> self: outcome);
        link!(self <-> engine: memory);
    }
}
