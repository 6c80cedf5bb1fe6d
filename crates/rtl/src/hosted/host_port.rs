//! The registers of the host on a board.

use super::HOST_CLOCKS;
use crate::tdma::{COUNT_BITS, PHASE_BITS};
use crate::uart::Uart;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Widths of a slot number of the ring, of the number of messages that arrived, and of a count of
/// nodes, for up to 16 nodes.
pub(super) const RING_SLOT_BITS: usize = 4;
pub(super) const ARRIVAL_COUNT_BITS: usize = RING_SLOT_BITS + 1;
pub(super) const OUTCOME_COUNT_BITS: usize = 6;

/// Number of slots of a ring with slot numbers of this width.
const fn ring_slots(bits: usize) -> u64 {
    1 << bits
}

/// Access of the host to a register, and its line to the PC.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct RegisterAccess {
    /// The host's context requests a register access; held until `ready`.
    pub request: Signal<In, Bit>,
    /// Offset of the register in bytes.
    pub offset: Signal<In, Bits<7>>,
    pub write: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<32>>,
    /// High for one clock cycle: the access completes.
    pub ready: Signal<Out, Bit>,
    /// Data read; valid while `ready` is high.
    pub read_data: Signal<Out, Bits<32>>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
}

/// State of the schedule and of the cores, for STATUS and TIME.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct ScheduleState {
    /// Current phase.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// Number of superframes so far.
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    /// A core has stopped at an instruction that it cannot execute.
    pub halted: Signal<In, Bit>,
    /// The schedule is running.
    pub is_running: Signal<In, Bit>,
}

/// Control of the schedule and of the programs by the host.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct HostControl<const BITS: usize> {
    /// The host has work to do.
    pub wake: Signal<Out, Bit>,
    /// The schedule must run.
    pub run: Signal<Out, Bit>,
    /// High for one clock cycle: all nodes must restart.
    pub restart: Signal<Out, Bit>,
    /// The nodes are restarting.
    pub restarts: Signal<In, Bit>,
    /// Node whose program the host watches.
    pub watched: Signal<Out, Bits<BITS>>,
    /// High for one clock cycle: watching begins.
    pub looks: Signal<Out, Bit>,
    /// Observed state of the program; see [`ProgramWatch`](super::ProgramWatch).
    pub seen: Signal<In, Bits<32>>,
    /// The host has found an error; the host has completed a run.
    pub lights: Signal<Out, Bits<2>>,
}

/// Word numbers of the registers (`firmware/include/host_port.h`).
pub(super) mod register {
    use crate::word_index;

    pub const STATUS: u64 = word_index(0x00);
    pub const SERIAL: u64 = word_index(0x04);
    pub const ARRIVED: u64 = word_index(0x08);
    pub const QUEUE: u64 = word_index(0x0C);
    pub const OUTCOMES: u64 = word_index(0x10);
    pub const TIME: u64 = word_index(0x14);
    pub const CONTROL: u64 = word_index(0x18);
    pub const CLOCK: u64 = word_index(0x1C);
    pub const LOOK: u64 = word_index(0x20);
    pub const GROUP: u64 = word_index(0x24);
    pub const ACCEPTED: u64 = word_index(0x28);
}

/// The registers of the host's program (`firmware/include/host_port.h`): the line to the PC, the
/// schedule, and the messages that the nodes take and deliver.
///
/// The messages themselves are in the memory. Each node has a queue of eight slots, and takes slot
/// `left` next. All nodes share a ring of `2^ARRIVAL` slots (16, with more than 16 nodes 64). The
/// ring holds delivered messages until the host has read them. A register access takes two clock
/// cycles.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct HostPort<
    const NODES: usize,
    const BITS: usize,
    const ARRIVAL: usize = RING_SLOT_BITS,
    const CAME: usize = ARRIVAL_COUNT_BITS,
    const OUTCOME_BITS: usize = OUTCOME_COUNT_BITS,
    const LINE: usize = 1,
> {
    pub clock: Signal<In, Clock>,
    pub access: RegisterAccess,
    /// High while a phase begins. In each of these clock cycles one node reports the outcome of its
    /// frame in the previous phase.
    pub begin: Signal<In, Bit>,
    /// The reporting node is the first one, or the last one.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// Outcome of the node's frame: none, timeout, NAK or taken.
    pub outcome: Signal<In, Bits<2>>,
    /// The node missed the deadline.
    pub missed_deadline: Signal<In, Bit>,
    pub schedule: ScheduleState,
    /// Node that takes or delivers a message.
    pub node: Signal<In, Bits<BITS>>,
    /// The host has a message for node `node`.
    pub valid: Signal<Out, Bit>,
    /// Slot of that message, one of eight in the node's queue.
    pub slot: Signal<Out, Bits<3>>,
    /// High for one clock cycle: the message was taken.
    pub taken: Signal<In, Bit>,
    /// There is room for a message from a node.
    pub room: Signal<Out, Bit>,
    /// There may be no room for a message from every node.
    pub crowded: Signal<Out, Bit>,
    /// Slot of the ring for the next message.
    pub arrival: Signal<Out, Bits<ARRIVAL>>,
    /// High for one clock cycle: the message has arrived in slot `arrival`.
    pub arrived: Signal<In, Bit>,
    pub control: HostControl<BITS>,
    serial: Uart<HOST_CLOCKS>,
    queue: LineQueue<LINE>,
    frames: PhaseOutcomes<OUTCOME_BITS>,
    /// Number of messages left in the queue of each node.
    #[default(std::array::from_fn(|_| Default::default()))]
    left: [Reg<Bits<4>>; NODES],
    /// Number of messages that arrived from nodes, and number of those that the host has handled.
    /// Both are modulo twice the number of slots of the ring.
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

#[with_parameters]
impl HostPort {
    /// Makes the port, without messages and with the schedule stopped.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        HostPort { ..Default::default() }
    }
}

#[with_parameters]
impl Logic for HostPort {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, serial, queue, frames);
        dff_setup!(self, clock, come, handled);
        dff_setup!(self, clock, running, shown, answered, clocks, looked_at);
        self.clocks.d.next = self.clocks.q.val() + 1;
        let index = self.access.offset.val() >> 2;
        let write_data = self.access.write_data.val();
        let answered = self.answered.q.val();
        let written = answered & self.access.write.val();
        let read = answered & !self.access.write.val();
        self.answered.d.next = self.access.request.val() & !answered;
        self.access.ready.next = answered;

        // The line to the PC.
        link!(self.access -> serial: rx);
        self.serial.rx_clear.next = false;
        self.serial.tx_data.next = write_data.resized();
        self.serial.tx_start.next = written & (index == register::SERIAL);
        link!(serial -> self.access: tx);
        link!(serial -> queue: rx_valid -> push, rx_data -> byte);
        let received = self.queue.present.val();
        self.queue.pop.next = read & (index == register::SERIAL) & received;

        // Queues of the nodes.
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
            if written & (index == register::QUEUE) & (write_data.resized::<BITS>() == node) {
                self.left[i].d.next = (write_data >> 8).resized();
            }
        }
        self.valid.next = self.remaining.val().any();
        self.slot.next = self.remaining.val().resized();

        // The ring of delivered messages.
        let come = self.come.q.val();
        self.room.next = (come ^ self.handled.q.val()) != ring_slots(ARRIVAL);
        let used = come - self.handled.q.val();
        self.crowded.next = used > ring_slots(ARRIVAL) - NODES as u64;
        self.arrival.next = come.resized();
        if self.arrived.val() {
            self.come.d.next = come + 1;
        }
        if written & (index == register::ARRIVED) {
            self.handled.d.next = write_data.resized();
        }

        // Outcomes and control of the schedule.
        link!(self -> frames: begin, first, last, outcome, missed_deadline);
        self.frames.read.next = read & (index == register::OUTCOMES);
        let fresh = self.frames.fresh.val();
        let controls = written & (index == register::CONTROL);
        if controls {
            self.running.d.next = write_data.get_bit(0);
            self.shown.d.next = write_data.get_bits::<2>(1);
        }
        self.control.restart.next = controls & write_data.get_bit(3);

        // Watching of a program.
        let looks = written & (index == register::LOOK);
        if looks {
            self.looked_at.d.next = write_data.resized();
        }
        self.control.looks.next = looks;
        self.control.watched.next = looked_at;
        self.control.run.next = self.running.q.val();
        self.control.lights.next = self.shown.q.val();
        self.control.wake.next = received | fresh;

        // Read data.
        self.value.next = 0.into();
        if index == register::STATUS {
            self.value.next = bits::<32>(0)
                .replace_bit(0, self.serial.tx_ready.val())
                .replace_bit(1, received)
                .replace_bit(2, fresh)
                .replace_bit(3, self.schedule.halted.val())
                .replace_bit(4, self.schedule.is_running.val())
                .replace_bit(5, self.control.restarts.val());
        } else if index == register::SERIAL {
            self.value.next = self.queue.front.val().resized();
        } else if index == register::ARRIVED {
            self.value.next = come.resized();
        } else if index == register::QUEUE {
            self.value.next = self.waiting.val().resized();
        } else if index == register::OUTCOMES {
            self.value.next = self.frames.outcomes.val();
        } else if index == register::TIME {
            self.value.next = (self.schedule.superframe.val().resized::<32>() << 16)
                | self.schedule.phase.val().resized::<32>();
        } else if index == register::CLOCK {
            self.value.next = self.clocks.q.val();
        } else if index == register::LOOK {
            self.value.next = self.control.seen.val();
        }
        self.access.read_data.next = self.value.val();
    }
}

/// Stores bytes from the line, in order, until the host reads them: up to `2^SLOTS - 1`. A byte
/// that arrives when the queue is full is lost, unless one is removed in that clock cycle.
///
/// A byte is `present` two clock cycles after the clock cycle in which it arrives.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct LineQueue<const SLOTS: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte that arrives.
    pub byte: Signal<In, Bits<8>>,
    /// Stores `byte` in this clock cycle.
    pub push: Signal<In, Bit>,
    /// There is a byte.
    pub present: Signal<Out, Bit>,
    /// Oldest byte; valid while `present` is high.
    pub front: Signal<Out, Bits<8>>,
    /// Removes `front` in this clock cycle; requires `present`.
    pub pop: Signal<In, Bit>,
    #[default(Memory::default().disjoint())]
    bytes: Memory<Bits<8>, SLOTS>,
    /// Slot of the oldest byte, and slot for the next byte.
    first: Reg<Bits<SLOTS>>,
    end: Reg<Bits<SLOTS>>,
    there: Reg<Bit>,
}

impl<const SLOTS: usize> Logic for LineQueue<SLOTS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, bytes);
        dff_setup!(self, clock, first, end, there);
        let end = self.end.q.val();
        let behind = end + 1;
        let first = self.first.q.val() + self.pop.val();
        self.first.d.next = first;
        let takes = self.push.val() & (behind != first);
        if takes {
            self.end.d.next = behind;
        }
        let empty = first == end;
        self.there.d.next = !empty;
        // No slot is read while it is written; another one is read instead.
        self.bytes.read_address.next = first ^ (takes & empty).resized::<SLOTS>();
        self.bytes.write_address.next = end;
        self.bytes.write_data.next = self.byte.val();
        self.bytes.write_enable.next = takes;
        self.present.next = self.there.q.val();
        self.front.next = self.bytes.read_data.val();
    }
}

/// Counts the timeouts, NAKs, taken frames and missed deadlines of the latest phase.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseOutcomes<const OUTCOME_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High while a phase begins. In each of these clock cycles one node reports the outcome of its
    /// frame in the previous phase.
    pub begin: Signal<In, Bit>,
    /// The reporting node is the first one, or the last one.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// Outcome of the node's frame: none, timeout, NAK or taken.
    pub outcome: Signal<In, Bits<2>>,
    /// The node missed the deadline.
    pub missed_deadline: Signal<In, Bit>,
    /// High for one clock cycle: the host has read the counts.
    pub read: Signal<In, Bit>,
    /// The counts are new.
    pub fresh: Signal<Out, Bit>,
    /// Counts of eight bits each, from the lowest: timeouts, NAKs, taken frames, missed deadlines.
    pub outcomes: Signal<Out, Bits<32>>,
    counts: [Reg<Bits<OUTCOME_BITS>>; 4],
    is_fresh: Reg<Bit>,
    reported: [Signal<Local, Bit>; 4],
    all: Signal<Local, Bits<32>>,
}

impl<const OUTCOME_BITS: usize> Logic for PhaseOutcomes<OUTCOME_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_fresh);
        if self.read.val() {
            self.is_fresh.d.next = false;
        }
        self.reported[3].next = self.missed_deadline.val();
        for i in 0..3 {
            self.reported[i].next = self.outcome.val() == (i + 1) as u64;
        }
        self.all.next = 0.into();
        for i in 0..4 {
            dff_setup!(self, clock, counts[i]);
            let count = self.counts[i].q.val();
            self.all.next = self.all.val() | (count.resized::<32>() << (8 * i as u64));
            if self.begin.val() {
                let before = if self.first.val() { bits::<OUTCOME_BITS>(0) } else { count };
                self.counts[i].d.next = before + self.reported[i].val();
            }
        }
        if self.begin.val() & self.last.val() {
            self.is_fresh.d.next = true;
        }
        self.fresh.next = self.is_fresh.q.val();
        self.outcomes.next = self.all.val();
    }
}
