//! The host of all groups: a core of its own, its registers, and its window to the groups.

use super::memory::{DATA_PART, INDEX_BITS, PART_BITS, PROGRAM_PART, QUEUE_PART, RING_PART};
use crate::core::SingleContextCore;
use crate::hosted::host_port::{register, HostControl, RegisterAccess, ScheduleState};
use crate::hosted::{LineQueue, SharedMemory, HOST_CLOCKS};
use crate::uart::Uart;
use hdl::prelude::*;
use smart_default::SmartDefault;

/// Bit of the host's address that selects the memories of the groups, and the lowest bit of the
/// number of the part.
pub const WINDOW_BIT: usize = 29;
pub const WINDOW_PART_BIT: usize = 26;

/// Turns an access of the host into accesses to the memories of the groups.
///
/// In the window the programs, the data, the queues and the rings of all groups follow each other
/// without gaps. Bits 27:26 of the address select the part. The bits above the size of the part in
/// one group are the number of the group. A write to the program goes to all groups, and a read of
/// the program to group 0.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct GroupWindow<
    const GROUPS: usize,
    const UPPER: usize,
    const DATA: usize,
    const QUEUE: usize,
    const RING: usize,
> {
    pub clock: Signal<In, Clock>,
    /// The host requests a word in the window; held until `ready`.
    pub request: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// High for one clock cycle: the access completes.
    pub ready: Signal<Out, Bit>,
    /// Data read; valid while `ready` is high.
    pub read_data: Signal<Out, Bits<32>>,
    /// Part and word within a group; see [`GroupAccess`](super::GroupAccess).
    pub part: Signal<Out, Bits<PART_BITS>>,
    pub index: Signal<Out, Bits<INDEX_BITS>>,
    /// Requests the word from each group, until the group has answered.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub group_request: [Signal<Out, Bit>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    pub answered: [Signal<In, Bit>; GROUPS],
    #[default(std::array::from_fn(|_| Default::default()))]
    pub group_data: [Signal<In, Bits<32>>; GROUPS],
    /// Groups that have answered the current access.
    done: Reg<Bits<GROUPS>>,
    group: Signal<Local, Bits<UPPER>>,
    word: Signal<Local, Bits<INDEX_BITS>>,
    pending: Signal<Local, Bits<GROUPS>>,
    all_done: Signal<Local, Bits<GROUPS>>,
    data: Signal<Local, Bits<32>>,
}

impl<
        const GROUPS: usize,
        const UPPER: usize,
        const DATA: usize,
        const QUEUE: usize,
        const RING: usize,
    > Logic for GroupWindow<GROUPS, UPPER, DATA, QUEUE, RING>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, done);
        let address = self.address.val();
        let part = address.get_bits::<PART_BITS>(WINDOW_PART_BIT);
        let word = address >> 2;
        self.group.next = 0.into();
        self.word.next = word.resized();
        if part == DATA_PART {
            self.group.next = (word >> DATA as u64).resized();
            self.word.next = word.resized::<DATA>().resized();
        } else if part == QUEUE_PART {
            self.group.next = (word >> QUEUE as u64).resized();
            self.word.next = word.resized::<QUEUE>().resized();
        } else if part == RING_PART {
            self.group.next = (word >> RING as u64).resized();
            self.word.next = word.resized::<RING>().resized();
        }
        self.part.next = part;
        self.index.next = self.word.val();
        let request = self.request.val();
        let to_all = self.write.val() & (part == PROGRAM_PART);
        let done = self.done.q.val();
        self.pending.next = 0.into();
        self.all_done.next = done;
        self.data.next = 0.into();
        for g in 0..GROUPS {
            let wanted = to_all | (self.group.val() == g as u64);
            let asks = request & wanted & !done.get_bit(g);
            self.group_request[g].next = asks;
            let answered = self.answered[g].val();
            self.pending.next = self.pending.val().replace_bit(g, asks & !answered);
            if answered {
                self.all_done.next = self.all_done.val().replace_bit(g, true);
                self.data.next = self.data.val() | self.group_data[g].val();
            }
        }
        let ready = request & !self.pending.val().any();
        self.done.d.next = if ready { 0.into() } else { self.all_done.val() };
        self.ready.next = ready;
        self.read_data.next = self.data.val();
    }
}

/// Counts the timeouts, NAKs, taken frames and missed deadlines of the latest phase in all groups.
/// `BITS` bits hold the number of all nodes.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct GroupOutcomes<const GROUPS: usize, const BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High while a phase begins. In each of these clock cycles one node of each group reports the
    /// outcome of its frame in the previous phase.
    pub begin: Signal<In, Bit>,
    /// The reporting nodes are the first ones, or the last ones.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// Outcome of the frame of each group's node: none, timeout, NAK or taken.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub outcome: [Signal<In, Bits<2>>; GROUPS],
    /// The node missed the deadline.
    #[default(std::array::from_fn(|_| Default::default()))]
    pub missed_deadline: [Signal<In, Bit>; GROUPS],
    /// High for one clock cycle: the host has read the counts.
    pub read: Signal<In, Bit>,
    /// The counts are new.
    pub fresh: Signal<Out, Bit>,
    /// Counts of 16 bits each: timeouts below NAKs.
    pub failures: Signal<Out, Bits<32>>,
    /// Counts of 16 bits each: taken frames below missed deadlines.
    pub successes: Signal<Out, Bits<32>>,
    counts: [Reg<Bits<BITS>>; 4],
    is_fresh: Reg<Bit>,
    sums: [Signal<Local, Bits<BITS>>; 4],
}

impl<const GROUPS: usize, const BITS: usize> Logic for GroupOutcomes<GROUPS, BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_fresh);
        if self.read.val() {
            self.is_fresh.d.next = false;
        }
        for i in 0..4 {
            dff_setup!(self, clock, counts[i]);
            self.sums[i].next =
                if self.first.val() { bits::<BITS>(0) } else { self.counts[i].q.val() };
        }
        for g in 0..GROUPS {
            for i in 0..3 {
                let reported = self.outcome[g].val() == (i + 1) as u64;
                self.sums[i].next = self.sums[i].val() + reported;
            }
            self.sums[3].next = self.sums[3].val() + self.missed_deadline[g].val();
        }
        if self.begin.val() {
            for i in 0..4 {
                self.counts[i].d.next = self.sums[i].val();
            }
        }
        if self.begin.val() & self.last.val() {
            self.is_fresh.d.next = true;
        }
        self.fresh.next = self.is_fresh.q.val();
        self.failures.next =
            (self.counts[1].q.val().resized::<32>() << 16) | self.counts[0].q.val().resized::<32>();
        self.successes.next =
            (self.counts[3].q.val().resized::<32>() << 16) | self.counts[2].q.val().resized::<32>();
    }
}

/// Lowest bit of the number of messages in QUEUE; the number of the node is below it.
const QUEUE_SHIFT: u64 = 16;

/// The registers of the host of all groups (`firmware/include/host_port.h`): the line to the PC,
/// the schedule, and the messages that the nodes take and deliver. A register access takes two
/// clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct GroupedHostPort<
    const UPPER: usize,
    const BITS: usize,
    const CAME: usize,
    const LINE: usize,
> {
    pub clock: Signal<In, Clock>,
    pub access: RegisterAccess,
    /// Counts of the latest phase; see [`GroupOutcomes`].
    pub fresh: Signal<In, Bit>,
    pub failures: Signal<In, Bits<32>>,
    pub successes: Signal<In, Bits<32>>,
    /// High for one clock cycle: the host has read the counts.
    pub read_outcomes: Signal<Out, Bit>,
    pub schedule: ScheduleState,
    /// Group of the counts `come` and `handled`.
    pub group: Signal<Out, Bits<UPPER>>,
    /// Messages that arrived from the group.
    pub come: Signal<In, Bits<CAME>>,
    /// High for one clock cycle: `handled` messages of the group are handled.
    pub handled_write: Signal<Out, Bit>,
    pub handled: Signal<Out, Bits<CAME>>,
    /// High for one clock cycle: the queue of `queue_node` has `queue_count` messages.
    pub queue_write: Signal<Out, Bit>,
    pub queue_node: Signal<Out, Bits<BITS>>,
    pub queue_count: Signal<Out, Bits<4>>,
    /// Number of messages left in the queue of the watched node.
    pub waiting: Signal<In, Bits<4>>,
    pub control: HostControl<BITS>,
    serial: Uart<HOST_CLOCKS>,
    line: LineQueue<LINE>,
    running: Reg<Bit>,
    shown: Reg<Bits<2>>,
    answered: Reg<Bit>,
    /// Clock cycles since the start.
    clocks: Reg<Bits<32>>,
    looked_at: Reg<Bits<BITS>>,
    chosen: Reg<Bits<UPPER>>,
    value: Signal<Local, Bits<32>>,
}

impl<const UPPER: usize, const BITS: usize, const CAME: usize, const LINE: usize> Logic
    for GroupedHostPort<UPPER, BITS, CAME, LINE>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, serial, line);
        dff_setup!(self, clock, running, shown, answered, clocks, looked_at, chosen);
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
        link!(serial -> line: rx_valid -> push, rx_data -> byte);
        let received = self.line.present.val();
        self.line.pop.next = read & (index == register::SERIAL) & received;

        // Messages.
        if written & (index == register::GROUP) {
            self.chosen.d.next = write_data.resized();
        }
        self.group.next = self.chosen.q.val();
        self.handled_write.next = written & (index == register::ARRIVED);
        self.handled.next = write_data.resized();
        self.queue_write.next = written & (index == register::QUEUE);
        self.queue_node.next = write_data.resized();
        self.queue_count.next = (write_data >> QUEUE_SHIFT).resized();

        // The schedule, and the watching of a program.
        self.read_outcomes.next = read & (index == register::OUTCOMES);
        let controls = written & (index == register::CONTROL);
        if controls {
            self.running.d.next = write_data.get_bit(0);
            self.shown.d.next = write_data.get_bits::<2>(1);
        }
        self.control.restart.next = controls & write_data.get_bit(3);
        let looks = written & (index == register::LOOK);
        if looks {
            self.looked_at.d.next = write_data.resized();
        }
        self.control.looks.next = looks;
        self.control.watched.next = self.looked_at.q.val();
        self.control.run.next = self.running.q.val();
        self.control.lights.next = self.shown.q.val();
        let fresh = self.fresh.val();
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
            self.value.next = self.line.front.val().resized();
        } else if index == register::ARRIVED {
            self.value.next = self.come.val().resized();
        } else if index == register::QUEUE {
            self.value.next = self.waiting.val().resized();
        } else if index == register::OUTCOMES {
            self.value.next = self.failures.val();
        } else if index == register::TIME {
            self.value.next = (self.schedule.superframe.val().resized::<32>() << 16)
                | self.schedule.phase.val().resized::<32>();
        } else if index == register::CLOCK {
            self.value.next = self.clocks.q.val();
        } else if index == register::LOOK {
            self.value.next = self.control.seen.val();
        } else if index == register::ACCEPTED {
            self.value.next = self.successes.val();
        }
        self.access.read_data.next = self.value.val();
    }
}

/// The core of the host with its memory of `2^WORDS` words, and the decoding of its addresses: its
/// memory at 0, the window to the groups at 0x2000_0000, its registers at 0x4000_0000.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostProcessor<const WORDS: usize> {
    pub clock: Signal<In, Clock>,
    pub wake: Signal<In, Bit>,
    /// Access to the window or to a register, held until ready.
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub write_strobe: Signal<Out, Bits<4>>,
    pub write: Signal<Out, Bit>,
    pub window_request: Signal<Out, Bit>,
    pub window_ready: Signal<In, Bit>,
    pub window_data: Signal<In, Bits<32>>,
    pub port_request: Signal<Out, Bit>,
    pub port_ready: Signal<In, Bit>,
    pub port_data: Signal<In, Bits<32>>,
    core: SingleContextCore,
    memory: SharedMemory<0, 1, WORDS, WORDS>,
    /// The word of the memory has arrived.
    fetched: Reg<Bit>,
}

impl<const WORDS: usize> HostProcessor<WORDS> {
    /// Makes the core, which executes this program.
    ///
    /// # Panics
    /// If the program has more words than the memory.
    pub fn new(program: &[u32]) -> Self {
        HostProcessor { memory: SharedMemory::new(program), ..Default::default() }
    }
}

impl<const WORDS: usize> Logic for HostProcessor<WORDS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, core, memory);
        dff_setup!(self, clock, fetched);
        let bus = self.core.address.val();
        let request = self.core.request.val();
        let strobe = self.core.write_strobe.val();
        let to_port = bus.get_bit(30);
        let to_window = bus.get_bit(WINDOW_BIT) & !to_port;
        let fetched = self.fetched.q.val();
        let fetches = request & !to_port & !to_window & !fetched;
        self.fetched.d.next = fetches;
        self.core.reset.next = false;
        link!(self -> core: wake);
        link!(core -> self: address, write_data, write_strobe);
        self.write.next = strobe.any();
        self.window_request.next = request & to_window;
        self.port_request.next = request & to_port;
        self.memory.address.next = (bus >> 2).resized();
        link!(core -> memory: write_data);
        self.memory.write_strobe.next = if fetches { strobe } else { 0.into() };
        self.core.ready.next = fetched | self.window_ready.val() | self.port_ready.val();
        self.core.read_data.next = if fetched {
            self.memory.read_data.val()
        } else if self.window_ready.val() {
            self.window_data.val()
        } else {
            self.port_data.val()
        };
    }
}
