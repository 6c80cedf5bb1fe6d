//! The registers of the host on a board.

use super::HOST_CLOCKS;
use crate::rtl::tdma::{COUNT_BITS, PHASE_BITS};
use crate::rtl::uart::Uart;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;
use smart_default::SmartDefault;

/// Bits of the number of a place of the ring, of the number of messages that came, and of a
/// number of nodes, of up to 16 nodes.
pub(super) const ARRIVAL_BITS: usize = 4;
pub(super) const CAME_BITS: usize = ARRIVAL_BITS + 1;
pub(super) const TOLD_BITS: usize = 6;

/// Number of the word at an offset.
const fn word(offset: u64) -> u64 {
    offset >> 2
}

/// Places of a ring whose numbers have so many bits.
const fn places(bits: usize) -> u64 {
    1 << bits
}

/// What the host's program works with (`firmware/include/host_port.h`): the line to
/// the PC, the schedule, and for all nodes the messages that they take and hand
/// over.
///
/// The messages themselves lie in the memory: for every node a queue of eight
/// places, of which it takes the place `left` next, and for all a ring of `2^ARRIVAL`
/// places (16, of more than 16 nodes 64), in which what they hand over lies until the host
/// has seen it. A register takes two clock cycles.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct HostPort<
    const NODES: usize,
    const BITS: usize,
    const ARRIVAL: usize = ARRIVAL_BITS,
    const CAME: usize = CAME_BITS,
    const TOLD: usize = TOLD_BITS,
> {
    pub clock: Signal<In, Clock>,
    /// The host's context of the core wants a register, until `ready`.
    pub request: Signal<In, Bit>,
    /// Its offset in bytes.
    pub offset: Signal<In, Bits<7>>,
    pub write: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<32>>,
    /// High for one clock cycle: the access is over.
    pub ready: Signal<Out, Bit>,
    /// What it reads, while `ready`.
    pub read_data: Signal<Out, Bits<32>>,
    /// The line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// The line to the PC.
    pub tx: Signal<Out, Bit>,
    /// A phase begins: in each of these clock cycles one node tells what became of its frame
    /// in the phase before.
    pub begin: Signal<In, Bit>,
    /// It is the first node, or the last.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// What became of its frame: nothing, silent, refused, taken.
    pub outcome: Signal<In, Bits<2>>,
    /// The node was late.
    pub late: Signal<In, Bit>,
    /// The phase under way.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// Superframes so far.
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    /// A core has met an instruction that cannot be done.
    pub halted: Signal<In, Bit>,
    /// The schedule runs.
    pub under_way: Signal<In, Bit>,
    /// The node that takes or hands over a message.
    pub node: Signal<In, Bits<BITS>>,
    /// The host has a message for the node whose turn it is.
    pub valid: Signal<Out, Bit>,
    /// The place of that message, of the eight of the node's queue.
    pub place: Signal<Out, Bits<3>>,
    /// High for one clock cycle: it was taken.
    pub taken: Signal<In, Bit>,
    /// There is room for a message from a node.
    pub room: Signal<Out, Bit>,
    /// The place in the ring that has this room.
    pub arrival: Signal<Out, Bits<ARRIVAL>>,
    /// High for one clock cycle: it has come.
    pub arrived: Signal<In, Bit>,
    /// There is something to do for the host.
    pub wake: Signal<Out, Bit>,
    /// The schedule is to run.
    pub run: Signal<Out, Bit>,
    /// The host has found an error; it is done with a run.
    pub lights: Signal<Out, Bits<2>>,
    serial: Uart<HOST_CLOCKS>,
    /// Messages left in the queue of each node.
    #[default(std::array::from_fn(|_| Default::default()))]
    left: [Reg<Bits<4>>; NODES],
    /// Messages that came from nodes, and those of them that the host has seen;
    /// modulo twice the places of the ring.
    come: Reg<Bits<CAME>>,
    seen: Reg<Bits<CAME>>,
    /// How many frames of the last phase were silent, refused and taken, and how many nodes
    /// were late; and whether that is new.
    counts: [Reg<Bits<TOLD>>; 4],
    fresh: Reg<Bit>,
    received: Reg<Bits<8>>,
    has_received: Reg<Bit>,
    running: Reg<Bit>,
    shown: Reg<Bits<2>>,
    answered: Reg<Bit>,
    /// Clock cycles since the start.
    clocks: Reg<Bits<32>>,
    told: [Signal<Local, Bit>; 4],
    outcomes: Signal<Local, Bits<32>>,
    remaining: Signal<Local, Bits<4>>,
    value: Signal<Local, Bits<32>>,
}

impl<
        const NODES: usize,
        const BITS: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const TOLD: usize,
    > HostPort<NODES, BITS, ARRIVAL, CAME, TOLD>
{
    /// Without messages, and with the schedule at rest.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        HostPort {
            ..Default::default()
        }
    }
}

impl<
        const NODES: usize,
        const BITS: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const TOLD: usize,
    > Logic for HostPort<NODES, BITS, ARRIVAL, CAME, TOLD>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, serial);
        dff_setup!(self, clock, come, seen, fresh, received);
        dff_setup!(self, clock, has_received);
        dff_setup!(self, clock, running, shown, answered, clocks);
        self.clocks.d.next = self.clocks.q.val() + 1;
        let index = self.offset.val() >> 2;
        let write_data = self.write_data.val();
        let answered = self.answered.q.val();
        let written = answered & self.write.val();
        let read = answered & !self.write.val();
        self.answered.d.next = self.request.val() & !answered;
        self.ready.next = answered;

        // The line.
        link!(self, serial, rx);
        self.serial.rx_clear.next = false;
        self.serial.tx_data.next = write_data.resized();
        self.serial.tx_start.next = written & (index == word(0x04));
        link!(self, serial, tx);
        if read & (index == word(0x04)) {
            self.has_received.d.next = false;
        }
        if self.serial.rx_valid.val() {
            self.received.d.next = self.serial.rx_data.val();
            self.has_received.d.next = true;
        }

        // What the nodes take.
        self.remaining.next = 0.into();
        for i in 0..NODES {
            dff_setup!(self, clock, left[i]);
            let node = bits::<BITS>(i as u64);
            if self.node.val() == node {
                self.remaining.next = self.left[i].q.val();
                if self.taken.val() {
                    self.left[i].d.next = self.left[i].q.val() - 1;
                }
            }
            if written & (index == word(0x0C)) & (write_data.resized::<BITS>() == node) {
                self.left[i].d.next = (write_data >> 8).resized();
            }
        }
        self.valid.next = self.remaining.val().any();
        self.place.next = self.remaining.val().resized();

        // What they hand over.
        let come = self.come.q.val();
        let seen = self.seen.q.val();
        self.room.next = (come ^ seen) != places(ARRIVAL);
        self.arrival.next = come.resized();
        if self.arrived.val() {
            self.come.d.next = come + 1;
        }
        if written & (index == word(0x08)) {
            self.seen.d.next = write_data.resized();
        }

        // The schedule.
        if read & (index == word(0x10)) {
            self.fresh.d.next = false;
        }
        self.outcomes.next = 0.into();
        self.told[3].next = self.late.val();
        for i in 0..3 {
            self.told[i].next = self.outcome.val() == (i + 1) as u64;
        }
        for i in 0..4 {
            dff_setup!(self, clock, counts[i]);
            let count = self.counts[i].q.val();
            self.outcomes.next = self.outcomes.val() | (count.resized::<32>() << (8 * i as u64));
            if self.begin.val() {
                let before = if self.first.val() {
                    bits::<TOLD>(0)
                } else {
                    count
                };
                self.counts[i].d.next = before + self.told[i].val();
            }
        }
        if self.begin.val() & self.last.val() {
            self.fresh.d.next = true;
        }
        if written & (index == word(0x18)) {
            self.running.d.next = write_data.get_bit(0);
            self.shown.d.next = write_data.get_bits::<2>(1);
        }
        self.run.next = self.running.q.val();
        self.lights.next = self.shown.q.val();
        self.wake.next = self.has_received.q.val() | self.fresh.q.val();

        // What the host reads.
        self.value.next = 0.into();
        if index == word(0x00) {
            self.value.next = bits::<32>(0)
                .replace_bit(0, self.serial.tx_ready.val())
                .replace_bit(1, self.has_received.q.val())
                .replace_bit(2, self.fresh.q.val())
                .replace_bit(3, self.halted.val())
                .replace_bit(4, self.under_way.val());
        } else if index == word(0x04) {
            self.value.next = self.received.q.val().resized();
        } else if index == word(0x08) {
            self.value.next = come.resized();
        } else if index == word(0x10) {
            self.value.next = self.outcomes.val();
        } else if index == word(0x14) {
            self.value.next =
                (self.superframe.val().resized::<32>() << 16) | self.phase.val().resized::<32>();
        } else if index == word(0x1C) {
            self.value.next = self.clocks.q.val();
        }
        self.read_data.next = self.value.val();
    }
}
