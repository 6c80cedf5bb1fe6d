//! All of a node that forwards in hardware but what follows the schedule.

use super::place::{across, class_bits, next_link};
use super::register_layout::check_memory;
use super::register_numbers::{
    after_refusal, crossed, injection_register, last_register, receive_register, receive_registers,
};
use super::{
    mask_of, EnginePlan, Forwarder, FrameEngine, PinMux, Reason, Received, Sent, CROSSED_BITS,
    DIM_BITS, SLOT_BITS,
};
use crate::rtl::uart::HalfDuplexUart;
use hdl::cells::{Memory, Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A node that is told the schedule: what a forwarder decides, a frame engine does.
///
/// A sequencer tells it, of superframes in a [`Node`](super::Node), of a programmed order in
/// a [`ProgrammedNode`](super::ProgrammedNode). It has so many links and bits of address,
/// which tell the cube or metacube that it is a node of. Its registers have the numbers below `REGISTERS`, and in a cube the
/// injection register the number after them ([`receive_registers`]). The messages are in
/// a memory of `2^ADDRESS_BITS` bytes, `2^OFFSET_BITS` for each register, the flags that
/// say which are full in flip-flops.
#[derive(LogicBlock, Circuit, Default)]
pub struct ScheduledNode<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The node transmits in the phase, else it receives.
    pub transmit: Signal<In, Bit>,
    /// The node is out of step and must release all pins.
    pub mute: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<BITS>>,
    /// The levels of the wires, link 0 lowest.
    pub level: Signal<In, Bits<LINKS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<LINKS>>,
    /// The wires that the node holds, pulled or not.
    pub holds: Signal<Out, Bits<LINKS>>,
    /// The forwarder stands still: a core that hangs.
    pub hang: Signal<In, Bit>,
    /// The host has a message.
    pub host_valid: Signal<In, Bit>,
    /// Its byte `host_index`.
    pub host_data: Signal<In, Bits<8>>,
    /// The byte wanted: the length first, then the payload.
    pub host_index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the message was taken.
    pub host_taken: Signal<Out, Bit>,
    /// A byte for the host: the length first, then the payload.
    pub out_valid: Signal<Out, Bit>,
    /// The byte.
    pub out_data: Signal<Out, Bits<8>>,
    /// It is the last one of the message.
    pub out_last: Signal<Out, Bit>,
    /// Why the message comes.
    pub out_reason: Signal<Out, Reason>,
    /// The register that it was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame sent; until the next phase.
    pub sent: Signal<Out, Sent>,
    /// The register that it came from.
    pub sent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame received; until the next phase.
    pub received: Signal<Out, Received>,
    /// The node was not ready when the frame window opened; until the next phase.
    pub late: Signal<Out, Bit>,
    mux: PinMux<LINKS>,
    uart: HalfDuplexUart<CLOCKS>,
    engine: FrameEngine<LINKS, OFFSET_BITS, ADDRESS_BITS>,
    forwarder: Forwarder<OFFSET_BITS, ADDRESS_BITS>,
    messages: Memory<Bits<8>, ADDRESS_BITS>,
    /// Cross edges that are counted, at most.
    count_limit: Parameter<Bits<CROSSED_BITS>>,
    full: Reg<Bits<REGISTERS>>,
    injected: Reg<Bit>,
    select: Signal<Local, Bits<LINKS>>,
    flags: Signal<Local, Bits<REGISTERS>>,
    own_flag: Signal<Local, Bits<REGISTERS>>,
    occupied: Signal<Local, Bit>,
    injection_flag: Signal<Local, Bit>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > ScheduledNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// # Panics
    /// If a message does not fit a register, or the registers the memory.
    pub fn new(plan: EnginePlan) -> Self {
        let last = last_register(LINKS, BITS);
        assert_eq!(
            REGISTERS,
            receive_registers(LINKS, BITS),
            "numbers of registers"
        );
        assert!(
            last < (1 << SLOT_BITS) - 1,
            "a register's number is up to 30"
        );
        check_memory(last + 1, OFFSET_BITS, ADDRESS_BITS);
        ScheduledNode {
            engine: FrameEngine::new(plan, class_bits(LINKS, BITS) > 0),
            forwarder: Forwarder::new(plan.turns, injection_register(LINKS, BITS), last, BITS),
            messages: Memory::default().disjoint(),
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
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for ScheduledNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, mux, uart, engine, forwarder, messages);
        dff_setup!(self, clock, full, injected);
        let begin = self.begin.val();
        let transmit = self.transmit.val();
        let dim = self.dim.val();
        self.select.next = 0.into();
        for link in 0..LINKS {
            if dim == link as u64 {
                self.select.next = bits::<LINKS>(1 << link);
            }
        }
        let select = self.select.val();
        let address = self.address.val();
        let own = receive_register::<LINKS, BITS>(dim, self.engine.heard_crossed.val());
        self.own_flag.next = 0.into();
        for number in 0..REGISTERS {
            if own == number as u64 {
                self.own_flag.next = bits::<REGISTERS>(1 << number);
            }
        }
        let own_flag = self.own_flag.val();

        self.mux.dim.next = dim;
        self.mux.drive.next = self.engine.drive.val();
        self.mux.tx.next = self.uart.tx.val();
        self.mux.level.next = self.level.val();
        self.pull.next = self.mux.pull.val();
        self.holds.next = if self.engine.drive.val() {
            select
        } else {
            bits::<LINKS>(0)
        };

        self.uart.tx_data.next = self.engine.tx_data.val();
        self.uart.tx_start.next = self.engine.tx_start.val();
        self.uart.rx.next = self.mux.rx.val();
        self.uart.rx_clear.next = self.engine.rx_clear.val();

        self.engine.begin.next = begin;
        self.engine.transmit.next = transmit;
        self.engine.dim.next = dim;
        self.engine.select.next = select;
        self.engine.mute.next = self.mute.val();
        let sender = if transmit {
            address
        } else {
            across::<LINKS, BITS>(address, select)
        };
        self.engine.sender.next = bit_cast::<16, BITS>(sender);
        self.engine.ready.next = !self.forwarder.busy.val() & !self.hang.val();
        self.engine.send.next = self.forwarder.chosen.val() & !self.hang.val();
        let slot = self.forwarder.slot.val();
        self.engine.slot.next = slot;
        let count = crossed::<LINKS, BITS>(slot);
        self.engine.crossed.next = if count > self.count_limit.val() {
            self.count_limit.val()
        } else {
            count
        };
        self.engine.after_refusal.next = after_refusal::<LINKS, BITS>(slot);
        self.engine.own.next = own;
        self.engine.full.next = (self.full.q.val() & own_flag).any();
        self.engine.forget.next = self.forwarder.forget.val();
        self.engine.tx_ready.next = self.uart.tx_ready.val();
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
        self.engine.rx_valid.next = self.uart.rx_valid.val();
        self.engine.read_data.next = self.messages.read_data.val();
        self.sent.next = self.engine.sent.val();
        self.sent_slot.next = self.forwarder.slot.val();
        self.received.next = self.engine.received.val();
        self.late.next = self.engine.late.val();

        self.forwarder.begin.next = begin & !self.hang.val();
        self.forwarder.transmit.next = transmit;
        self.forwarder.own.next = own;
        self.forwarder.injected.next = self.injected.q.val();
        self.occupied.next =
            self.injected.q.val() & (slot == injection_register(LINKS, BITS) as u64);
        for number in 0..REGISTERS {
            if slot == number as u64 {
                self.occupied.next = self.occupied.val() | self.full.q.val().get_bit(number);
            }
        }
        self.forwarder.occupied.next = self.occupied.val();
        let destination = bit_cast::<BITS, 16>(self.forwarder.destination.val());
        let link = next_link::<LINKS, BITS>(address, destination);
        self.forwarder.home.next = destination == address;
        self.forwarder.wanted.next = (link & select).any();
        self.forwarder.pending.next = self.engine.pending.val();
        self.forwarder.down.next = self.engine.down.val();
        self.forwarder.host_valid.next = self.host_valid.val();
        self.forwarder.host_data.next = self.host_data.val();
        self.forwarder.read_data.next = self.messages.read_data.val();
        self.host_index.next = self.forwarder.host_index.val();
        self.host_taken.next = self.forwarder.host_taken.val();
        self.out_valid.next = self.forwarder.out_valid.val();
        self.out_data.next = self.forwarder.out_data.val();
        self.out_last.next = self.forwarder.out_last.val();
        self.out_reason.next = self.forwarder.out_reason.val();
        self.out_slot.next = self.forwarder.slot.val();

        // The forwarder works before the frame window, the engine from then on.
        if self.forwarder.busy.val() {
            self.messages.read_address.next = self.forwarder.read_address.val();
            self.messages.write_address.next = self.forwarder.write_address.val();
            self.messages.write_data.next = self.forwarder.write_data.val();
            self.messages.write_enable.next = self.forwarder.write_enable.val();
        } else {
            self.messages.read_address.next = self.engine.read_address.val();
            self.messages.write_address.next = self.engine.write_address.val();
            self.messages.write_data.next = self.engine.write_data.val();
            self.messages.write_enable.next = self.engine.write_enable.val();
        }

        // Which registers are full.
        self.flags.next = self.full.q.val();
        self.injection_flag.next = self.injected.q.val() | self.forwarder.inject.val();
        if self.engine.store.val() {
            self.flags.next = self.flags.val() | own_flag;
        }
        if self.engine.spoil.val() {
            self.flags.next = self.flags.val() & !own_flag;
        }
        // The register that the forwarder is at, or that the engine sent from.
        if self.engine.free.val() | self.forwarder.release.val() {
            for number in 0..REGISTERS {
                if slot == number as u64 {
                    self.flags.next = self.flags.val().replace_bit(number, false);
                }
            }
            if slot == injection_register(LINKS, BITS) as u64 {
                self.injection_flag.next = false;
            }
        }
        self.full.d.next = self.flags.val();
        self.injected.d.next = self.injection_flag.val();
    }
}
