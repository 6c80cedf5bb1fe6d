//! The registers of the host on a board.

use super::{LineQueue, PhaseOutcomes, HOST_CLOCKS};
use crate::tdma::{COUNT_BITS, PHASE_BITS};
use crate::uart::Uart;
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
    const LINE: usize = 1,
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
    /// There may be no room for a message from every node.
    pub crowded: Signal<Out, Bit>,
    /// The place in the ring that has this room.
    pub arrival: Signal<Out, Bits<ARRIVAL>>,
    /// High for one clock cycle: it has come.
    pub arrived: Signal<In, Bit>,
    /// There is something to do for the host.
    pub wake: Signal<Out, Bit>,
    /// The schedule is to run.
    pub run: Signal<Out, Bit>,
    /// High for one clock cycle: all nodes are to begin again.
    pub restart: Signal<Out, Bit>,
    /// They do.
    pub restarts: Signal<In, Bit>,
    /// The host looks at the program of this node.
    pub watched: Signal<Out, Bits<BITS>>,
    /// High for one clock cycle: from now on.
    pub looks: Signal<Out, Bit>,
    /// What is seen of it, as [`ProgramWatch`](super::ProgramWatch) says it.
    pub seen: Signal<In, Bits<32>>,
    /// The host has found an error; it is done with a run.
    pub lights: Signal<Out, Bits<2>>,
    serial: Uart<HOST_CLOCKS>,
    queue: LineQueue<LINE>,
    frames: PhaseOutcomes<TOLD>,
    /// Messages left in the queue of each node.
    #[default(std::array::from_fn(|_| Default::default()))]
    left: [Reg<Bits<4>>; NODES],
    /// Messages that came from nodes, and those of them that the host has handled;
    /// modulo twice the places of the ring.
    come: Reg<Bits<CAME>>,
    handled: Reg<Bits<CAME>>,
    running: Reg<Bit>,
    shown: Reg<Bits<2>>,
    answered: Reg<Bit>,
    /// Clock cycles since the start.
    clocks: Reg<Bits<32>>,
    looked_at: Reg<Bits<BITS>>,
    remaining: Signal<Local, Bits<4>>,
    waiting: Signal<Local, Bits<4>>,
    value: Signal<Local, Bits<32>>,
}

impl<
        const NODES: usize,
        const BITS: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const TOLD: usize,
        const LINE: usize,
    > HostPort<NODES, BITS, ARRIVAL, CAME, TOLD, LINE>
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
        const LINE: usize,
    > Logic for HostPort<NODES, BITS, ARRIVAL, CAME, TOLD, LINE>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, serial, queue, frames);
        dff_setup!(self, clock, come, handled);
        dff_setup!(self, clock, running, shown, answered, clocks, looked_at);
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
        join!(self, serial, queue, rx_valid => push, rx_data => byte);
        let received = self.queue.present.val();
        self.queue.pop.next = read & (index == word(0x04)) & received;

        // What the nodes take.
        let looked_at = self.looked_at.q.val();
        self.remaining.next = 0.into();
        self.waiting.next = 0.into();
        for i in 0..NODES {
            dff_setup!(self, clock, left[i]);
            let node = bits::<BITS>(i as u64);
            if self.node.val() == node {
                self.remaining.next = self.left[i].q.val();
                if self.taken.val() {
                    self.left[i].d.next = self.left[i].q.val() - 1;
                }
            }
            if looked_at == node {
                self.waiting.next = self.left[i].q.val();
            }
            if written & (index == word(0x0C)) & (write_data.resized::<BITS>() == node) {
                self.left[i].d.next = (write_data >> 8).resized();
            }
        }
        self.valid.next = self.remaining.val().any();
        self.place.next = self.remaining.val().resized();

        // What they hand over.
        let come = self.come.q.val();
        self.room.next = (come ^ self.handled.q.val()) != places(ARRIVAL);
        let used = come - self.handled.q.val();
        self.crowded.next = used > places(ARRIVAL) - NODES as u64;
        self.arrival.next = come.resized();
        if self.arrived.val() {
            self.come.d.next = come + 1;
        }
        if written & (index == word(0x08)) {
            self.handled.d.next = write_data.resized();
        }

        // The schedule.
        link!(self, frames, begin, first, last, outcome, late);
        self.frames.read.next = read & (index == word(0x10));
        let fresh = self.frames.fresh.val();
        let controls = written & (index == word(0x18));
        if controls {
            self.running.d.next = write_data.get_bit(0);
            self.shown.d.next = write_data.get_bits::<2>(1);
        }
        self.restart.next = controls & write_data.get_bit(3);

        // A program.
        let looks = written & (index == word(0x20));
        if looks {
            self.looked_at.d.next = write_data.resized();
        }
        self.looks.next = looks;
        self.watched.next = looked_at;
        self.run.next = self.running.q.val();
        self.lights.next = self.shown.q.val();
        self.wake.next = received | fresh;

        // What the host reads.
        self.value.next = 0.into();
        if index == word(0x00) {
            self.value.next = bits::<32>(0)
                .replace_bit(0, self.serial.tx_ready.val())
                .replace_bit(1, received)
                .replace_bit(2, fresh)
                .replace_bit(3, self.halted.val())
                .replace_bit(4, self.under_way.val())
                .replace_bit(5, self.restarts.val());
        } else if index == word(0x04) {
            self.value.next = self.queue.front.val().resized();
        } else if index == word(0x08) {
            self.value.next = come.resized();
        } else if index == word(0x0C) {
            self.value.next = self.waiting.val().resized();
        } else if index == word(0x10) {
            self.value.next = self.frames.outcomes.val();
        } else if index == word(0x14) {
            self.value.next =
                (self.superframe.val().resized::<32>() << 16) | self.phase.val().resized::<32>();
        } else if index == word(0x1C) {
            self.value.next = self.clocks.q.val();
        } else if index == word(0x20) {
            self.value.next = self.seen.val();
        }
        self.read_data.next = self.value.val();
    }
}
