//! All of a node that forwards in hardware but what follows the schedule.

use super::place::next_link;
use super::register_layout::check_memory;
use super::register_numbers::{injection_register, last_register, receive_registers};
use super::{
    EnginePlan, Forwarder, FramePort, Reason, Received, RegisterFlags, Sent, DIM_BITS, SLOT_BITS,
};
use hdl::cells::Memory;
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
    frames: FramePort<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    forwarder: Forwarder<OFFSET_BITS, ADDRESS_BITS>,
    messages: Memory<Bits<8>, ADDRESS_BITS>,
    registers: RegisterFlags<LINKS, BITS, REGISTERS>,
    occupied: Signal<Local, Bit>,
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
            frames: FramePort::new(plan),
            forwarder: Forwarder::new(plan.turns, injection_register(LINKS, BITS), last, BITS),
            messages: Memory::default().disjoint(),
            ..Default::default()
        }
    }

    /// As [`FramePort::with_counts`].
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.frames = self.frames.with_counts(counts);
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
        clock!(self, clock, frames, forwarder, messages, registers);
        let transmit = self.transmit.val();
        let address = self.address.val();
        let slot = self.forwarder.slot.val();
        let full = self.registers.full.val();
        let injected = self.registers.injected.val();

        self.frames.begin.next = self.begin.val();
        self.frames.dim.next = self.dim.val();
        self.frames.transmit.next = transmit;
        self.frames.mute.next = self.mute.val();
        self.frames.address.next = address;
        self.frames.level.next = self.level.val();
        self.pull.next = self.frames.pull.val();
        self.holds.next = self.frames.holds.val();
        self.frames.ready.next = !self.forwarder.busy.val() & !self.hang.val();
        self.frames.send.next = self.forwarder.chosen.val() & !self.hang.val();
        self.frames.slot.next = slot;
        self.frames.forget.next = self.forwarder.forget.val();
        self.frames.full.next = full;
        self.frames.read_data.next = self.messages.read_data.val();
        self.sent.next = self.frames.sent.val();
        self.sent_slot.next = slot;
        self.received.next = self.frames.received.val();
        self.late.next = self.frames.late.val();

        self.forwarder.begin.next = self.begin.val() & !self.hang.val();
        self.forwarder.transmit.next = transmit;
        self.forwarder.own.next = self.frames.own.val();
        self.forwarder.injected.next = injected;
        self.occupied.next = injected & (slot == injection_register(LINKS, BITS) as u64);
        for number in 0..REGISTERS {
            if slot == number as u64 {
                self.occupied.next = self.occupied.val() | full.get_bit(number);
            }
        }
        self.forwarder.occupied.next = self.occupied.val();
        let destination = bit_cast::<BITS, 16>(self.forwarder.destination.val());
        let link = next_link::<LINKS, BITS>(address, destination);
        self.forwarder.home.next = destination == address;
        self.forwarder.wanted.next = (link & self.frames.select.val()).any();
        self.forwarder.pending.next = self.frames.pending.val();
        self.forwarder.down.next = self.frames.down.val();
        self.forwarder.host_valid.next = self.host_valid.val();
        self.forwarder.host_data.next = self.host_data.val();
        self.forwarder.read_data.next = self.messages.read_data.val();
        self.host_index.next = self.forwarder.host_index.val();
        self.host_taken.next = self.forwarder.host_taken.val();
        self.out_valid.next = self.forwarder.out_valid.val();
        self.out_data.next = self.forwarder.out_data.val();
        self.out_last.next = self.forwarder.out_last.val();
        self.out_reason.next = self.forwarder.out_reason.val();
        self.out_slot.next = slot;

        // The forwarder works before the frame window, the frame engine from then on.
        if self.forwarder.busy.val() {
            self.messages.read_address.next = self.forwarder.read_address.val();
            self.messages.write_address.next = self.forwarder.write_address.val();
            self.messages.write_data.next = self.forwarder.write_data.val();
            self.messages.write_enable.next = self.forwarder.write_enable.val();
        } else {
            self.messages.read_address.next = self.frames.read_address.val();
            self.messages.write_address.next = self.frames.write_address.val();
            self.messages.write_data.next = self.frames.write_data.val();
            self.messages.write_enable.next = self.frames.write_enable.val();
        }

        self.registers.store.next = self.frames.store.val();
        self.registers.spoil.next = self.frames.spoil.val();
        self.registers.own_flag.next = self.frames.own_flag.val();
        self.registers.inject.next = self.forwarder.inject.val();
        // The register that the forwarder is at, or that was sent from.
        self.registers.free.next = self.frames.free.val() | self.forwarder.release.val();
        self.registers.freed.next = slot;
    }
}
