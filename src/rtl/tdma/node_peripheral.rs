//! The part of a soft node that each node needs for itself.

use super::register_layout::check_memory;
use super::{
    EnginePlan, FrameEngine, PhaseSequencer, PinMux, Received, Sent, ServiceState, COUNT_BITS,
    DIM_BITS, PHASE_BITS, SLOT_BITS,
};
use crate::rtl::uart::HalfDuplexUart;
use hdl::cells::{Memory, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A node that runs code, without its core: the wires, the UART, the frame engine
/// and the registers with their messages.
///
/// What the software does comes from a [`NodeService`](super::NodeService), which
/// nodes that share a core share, too.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodePeripheral<
    const DIMS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// The levels of the wires, dimension 0 lowest.
    pub level: Signal<In, Bits<DIMS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<DIMS>>,
    /// The wires that the node holds, pulled or not.
    pub holds: Signal<Out, Bits<DIMS>>,
    /// No phase begins for the core: it hangs.
    pub hang: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<Out, Bit>,
    /// The phase under way, as far as the node knows.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Its dimension.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<Out, Bits<DIMS>>,
    /// The node sends in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Times it fell out of step.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    /// The link of the phase must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link of the phase is down.
    pub down: Signal<Out, Bit>,
    /// What became of the frame sent; until the next phase.
    pub sent: Signal<Out, Sent>,
    /// The same as a number: nothing, silent, refused, taken.
    pub outcome: Signal<Out, Bits<2>>,
    /// The register that it came from.
    pub sent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame received; until the next phase.
    pub received: Signal<Out, Received>,
    /// The node was not ready when the frame window opened; until the next phase.
    pub late: Signal<Out, Bit>,
    /// The message memory is the core's, else the frame engine's.
    pub open: Signal<Out, Bit>,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// The register that the software has selected,
    pub selected: Signal<Out, Bits<SLOT_BITS>>,
    /// and its byte that is next, a multiple of four.
    pub at: Signal<Out, Bits<OFFSET_BITS>>,
    /// Receive registers that are full.
    pub full: Signal<Out, Bits<DIMS>>,
    /// The injection register is full.
    pub injected: Signal<Out, Bit>,
    /// The byte of the message memory at `message_address`, one clock cycle later,
    /// while it is open.
    pub message_byte: Signal<Out, Bits<8>>,
    /// What follows is for this node.
    pub serve: Signal<In, Bit>,
    /// Command, high for one clock cycle, as all of them: the phase is decided, to
    /// send what `register` holds if `sends`.
    pub decide: Signal<In, Bit>,
    pub sends: Signal<In, Bit>,
    pub register: Signal<In, Bits<SLOT_BITS>>,
    /// Command: `register` is selected, its word `position` is next.
    pub choose: Signal<In, Bit>,
    pub position: Signal<In, Bits<COUNT_BITS>>,
    /// Command: the next word.
    pub advance: Signal<In, Bit>,
    /// Command: the message that the link had to repeat is given up.
    pub forget: Signal<In, Bit>,
    /// Command: the injection register is full now.
    pub fill: Signal<In, Bit>,
    /// Command: the register `freed` is free now.
    pub free: Signal<In, Bit>,
    pub freed: Signal<In, Bits<SLOT_BITS>>,
    /// The byte of the message memory that is read and written while it is open.
    pub message_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub message_data: Signal<In, Bits<8>>,
    pub message_write: Signal<In, Bit>,
    sequencer: PhaseSequencer<DIMS>,
    mux: PinMux<DIMS>,
    uart: HalfDuplexUart<CLOCKS>,
    engine: FrameEngine<DIMS, OFFSET_BITS, ADDRESS_BITS>,
    state: ServiceState<OFFSET_BITS>,
    messages: Memory<Bits<8>, ADDRESS_BITS>,
    receive_full: Reg<Bits<DIMS>>,
    injection_full: Reg<Bit>,
    active: Signal<Local, Bits<DIMS>>,
    flags: Signal<Local, Bits<DIMS>>,
    injection_flag: Signal<Local, Bit>,
}

impl<
        const DIMS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > NodePeripheral<DIMS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// `plan` as for [`Node::new`](super::Node::new).
    ///
    /// # Panics
    /// As [`Node::new`](super::Node::new).
    pub fn new(plan: EnginePlan) -> Self {
        assert!(DIMS < 15, "a node has up to 14 links");
        check_memory(DIMS + 1, OFFSET_BITS, ADDRESS_BITS);
        NodePeripheral {
            engine: FrameEngine::new(plan, false),
            state: ServiceState::new(DIMS),
            messages: Memory::default().disjoint(),
            ..Default::default()
        }
    }
}

impl<
        const DIMS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for NodePeripheral<DIMS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, mux, uart, engine, state, messages);
        dff_setup!(self, clock, receive_full, injection_full);
        let begin = self.sequencer.begin.val();
        let transmit = self.sequencer.transmit.val();
        let dim = self.sequencer.dim.val();
        self.active.next = 0.into();
        for d in 0..DIMS {
            if dim == d as u64 {
                self.active.next = bits::<DIMS>(1 << d);
            }
        }
        let select = self.active.val();
        let serve = self.serve.val();

        self.sequencer.phase_clock.next = self.phase_clock.val();
        self.sequencer.sync.next = self.sync.val();
        self.sequencer.sides.next = self.address.val();
        self.begin.next = begin;
        self.phase.next = self.sequencer.phase.val();
        self.dim.next = dim;
        self.select.next = select;
        self.transmit.next = transmit;
        self.muted.next = self.sequencer.muted.val();
        self.slips.next = self.sequencer.slips.val();

        self.mux.dim.next = dim;
        self.mux.drive.next = self.engine.drive.val();
        self.mux.tx.next = self.uart.tx.val();
        self.mux.level.next = self.level.val();
        self.pull.next = self.mux.pull.val();
        self.holds.next = if self.engine.drive.val() {
            select
        } else {
            bits::<DIMS>(0)
        };

        self.uart.tx_data.next = self.engine.tx_data.val();
        self.uart.tx_start.next = self.engine.tx_start.val();
        self.uart.rx.next = self.mux.rx.val();
        self.uart.rx_clear.next = self.engine.rx_clear.val();

        self.engine.begin.next = begin;
        self.engine.transmit.next = transmit;
        self.engine.dim.next = dim;
        self.engine.select.next = select;
        self.engine.mute.next = self.sequencer.muted.val();
        let address = self.address.val();
        let sender = if transmit { address } else { address ^ select };
        self.engine.sender.next = bit_cast::<16, DIMS>(sender);
        self.engine.ready.next = self.state.decided.val() & !self.hang.val();
        self.engine.send.next = self.state.send.val();
        self.engine.slot.next = self.state.slot.val();
        self.engine.crossed.next = 0.into();
        self.engine.after_refusal.next = self.state.slot.val();
        self.engine.own.next = bit_cast::<SLOT_BITS, DIM_BITS>(dim);
        self.engine.full.next = (self.receive_full.q.val() & select).any();
        self.engine.forget.next = serve & self.forget.val();
        self.engine.tx_ready.next = self.uart.tx_ready.val();
        // As in `Node`.
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
        self.engine.rx_valid.next = self.uart.rx_valid.val();
        self.engine.read_data.next = self.messages.read_data.val();
        self.pending.next = self.engine.pending.val();
        self.down.next = self.engine.down.val();
        self.sent.next = self.engine.sent.val();
        self.outcome.next = self.engine.sent.val().into();
        self.sent_slot.next = self.state.slot.val();
        self.received.next = self.engine.received.val();
        self.late.next = self.engine.late.val();

        self.state.begin.next = begin & !self.hang.val();
        self.state.window.next = self.engine.window.val();
        self.state.serve.next = serve;
        self.state.decide.next = self.decide.val();
        self.state.sends.next = self.sends.val();
        self.state.choose.next = self.choose.val();
        self.state.register.next = self.register.val();
        self.state.position.next = self.position.val();
        self.state.advance.next = self.advance.val();
        self.open.next = self.state.open.val();
        self.decided.next = self.state.decided.val();
        self.selected.next = self.state.selected.val();
        self.at.next = self.state.at.val();

        // The message memory: the software has it while it is open, the engine has it
        // from then on. What is written is not read.
        let write = serve & self.message_write.val();
        if self.state.open.val() {
            self.messages.read_address.next =
                self.message_address.val() ^ bit_cast::<ADDRESS_BITS, 1>(write.into());
            self.messages.write_address.next = self.message_address.val();
            self.messages.write_data.next = self.message_data.val();
            self.messages.write_enable.next = write;
        } else {
            self.messages.read_address.next = self.engine.read_address.val();
            self.messages.write_address.next = self.engine.write_address.val();
            self.messages.write_data.next = self.engine.write_data.val();
            self.messages.write_enable.next = self.engine.write_enable.val();
        }
        self.message_byte.next = self.messages.read_data.val();

        // Which registers are full.
        let frees = serve & self.free.val();
        self.flags.next = self.receive_full.q.val();
        self.injection_flag.next = self.injection_full.q.val() | (serve & self.fill.val());
        if self.engine.store.val() {
            self.flags.next = self.flags.val() | select;
        }
        if self.engine.spoil.val() {
            self.flags.next = self.flags.val() & !select;
        }
        let freed = if frees {
            self.freed.val()
        } else {
            self.state.slot.val()
        };
        if self.engine.free.val() | frees {
            for d in 0..DIMS {
                if freed == d as u64 {
                    self.flags.next = self.flags.val().replace_bit(d, false);
                }
            }
            if freed == DIMS as u64 {
                self.injection_flag.next = false;
            }
        }
        self.receive_full.d.next = self.flags.val();
        self.injection_full.d.next = self.injection_flag.val();
        self.full.next = self.receive_full.q.val();
        self.injected.next = self.injection_full.q.val();
    }
}
