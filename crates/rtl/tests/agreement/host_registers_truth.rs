//! The registers of the host against their specification (`firmware/include/host_port.h`): values
//! read and written, and the messages that nodes take and deliver.

use crate::agreement::engines::{self, put, see};
use crate::agreement::hosted_truth::{ARRIVED, BYTE, OUTCOMES, STATUS};
use crate::agreement::scripts::{decode, SerialWaveform};
use engine::CircuitEngine;
use hdl::lower::Circuit;
use interconnect::traffic::SplitMix64;
use rtl::hosted::{HostPort, HOST_CLOCKS};
use std::collections::VecDeque;

/// Offsets of further registers.
const QUEUE: u64 = 0x0C;
const TIME: u64 = 0x14;
const CONTROL: u64 = 0x18;
const CLOCK: u64 = 0x1C;
const LOOK: u64 = 0x20;
const NOTHING: u64 = 0x24;

/// Size of a machine: nodes, entries of its ring, the count at which an outcome counter wraps, and
/// the bytes from the PC that can wait.
#[derive(Clone, Copy)]
struct HostPortSize {
    nodes: u64,
    ring: u64,
    counts: u64,
    line: usize,
}

/// Clock cycles in which bytes are sent.
const WRITES: u64 = 6000;

/// Expected state of the host port according to its specification.
#[derive(Default)]
struct ExpectedHostPort {
    /// Messages left in the queue of each node.
    left: Vec<u64>,
    come: u64,
    seen: u64,
    control: u64,
    clocks: u64,
    /// Outcomes counted so far.
    counts: [u64; 4],
    fresh: bool,
    /// Clock cycles until the line is free for another byte.
    busy: u64,
    sent: Vec<u8>,
    /// Received bytes that have not been read.
    received: VecDeque<u8>,
    /// The watched node.
    looked_at: u64,
}

/// Register of an access, and the value to write.
type HostAccess = (u64, Option<u64>);

/// Random accesses, nodes and phases for a number of clock cycles.
struct HostRegistersBench {
    engine: Box<dyn CircuitEngine>,
    size: HostPortSize,
    page: ExpectedHostPort,
    random: SplitMix64,
    levels: Vec<bool>,
    /// The requested access, which is done in the next clock cycle.
    requested: Option<HostAccess>,
    /// Writes of queue lengths so far. The nodes take turns, so that each is written.
    queue_writes: u64,
}

impl HostRegistersBench {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    /// Returns a random access that is legal in the current state.
    fn access(&mut self) -> HostAccess {
        let any = self.below(1 << 32);
        let ring = self.size.ring;
        let written = match self.below(7) {
            0 => (CONTROL, any),
            // A node that has no messages and takes none.
            1 => {
                self.queue_writes += 1;
                let nodes = self.size.nodes;
                (QUEUE, any / nodes * nodes + self.queue_writes % nodes)
            }
            // Only after the ring was full.
            2 if self.page.clocks > 20 * ring => (ARRIVED, any & !(2 * ring - 1) | self.page.come),
            3 => (LOOK, any),
            4 if self.page.busy == 0 && self.page.clocks < WRITES => (BYTE, any),
            _ => {
                let mut registers =
                    vec![STATUS, ARRIVED, OUTCOMES, TIME, CLOCK, QUEUE, LOOK, NOTHING];
                if !self.page.received.is_empty() {
                    registers.push(BYTE);
                }
                let register = registers[self.below(registers.len() as u64) as usize];
                return (register, None);
            }
        };
        (written.0, Some(written.1))
    }

    /// Models the end of a clock cycle.
    fn passed(&mut self) {
        self.levels.push(see(&mut *self.engine, "tx") == 1);
        self.engine.clock().unwrap();
        self.page.clocks += 1;
        self.page.busy = self.page.busy.saturating_sub(1);
    }

    /// Receives a byte from the PC. No other event occurs.
    fn comes(&mut self, byte: u8) {
        let bit = HOST_CLOCKS as u64 * 1000;
        let mut line = SerialWaveform::default();
        line.byte(byte, true, bit);
        line.hold(true, bit);
        for name in ["request", "taken", "arrived", "begin"] {
            put(&mut *self.engine, name, 0);
        }
        for level in line.levels {
            put(&mut *self.engine, "rx", level.into());
            self.engine.settle().unwrap();
            self.passed();
        }
        if self.page.received.len() < self.size.line {
            self.page.received.push_back(byte);
        }
    }

    fn clock_cycle(&mut self) {
        let HostPortSize { nodes, ring, counts, .. } = self.size;
        let begins = self.requested.is_none() && self.below(3) == 0;
        let access = if begins { Some(self.access()) } else { self.requested };
        let done = self.requested;
        let engine = &mut *self.engine;
        put(engine, "request", access.is_some().into());
        let noise = self.random.below(1 << 32);
        let (offset, data) = access.unwrap_or(((noise % 128) & !3, Some(noise)));
        put(engine, "offset", offset);
        put(engine, "write", data.is_some().into());
        put(engine, "write_data", data.unwrap_or(noise));

        let random = &mut self.random;
        let node = match access {
            // Prefers a node whose queue is about to be written.
            Some((QUEUE, Some(data))) if random.below(2) == 0 => data % nodes,
            _ => random.below(nodes),
        };
        let left = self.page.left[node as usize];
        // A node takes a message if there is one, unless its queue is being written.
        let taken = left > 0 && random.below(2) == 1 && !matches!(done, Some((QUEUE, Some(_))));
        let room = (self.page.come + 2 * ring - self.page.seen) % (2 * ring) != ring;
        let arrived = room && random.below(4) == 0;
        let [begin, first, last, missed_deadline] = [(); 4].map(|()| random.below(3) == 0);
        let outcome = random.below(4);
        let [halted, is_running, restarts] = [(); 3].map(|()| random.below(2));
        let seen = random.below(1 << 32);
        let (phase, superframe) = (random.below(32), random.below(1 << 16));
        let values = [
            ("node", node),
            ("taken", taken.into()),
            ("arrived", arrived.into()),
            ("begin", begin.into()),
            ("first", first.into()),
            ("last", last.into()),
            ("missed_deadline", missed_deadline.into()),
            ("outcome", outcome),
            ("halted", halted),
            ("is_running", is_running),
            ("restarts", restarts),
            ("seen", seen),
            ("phase", phase),
            ("superframe", superframe),
            ("rx", 1),
        ];
        for (name, value) in values {
            put(engine, name, value);
        }
        engine.settle().unwrap();

        let page = &mut self.page;
        let shown = [
            "crowded", "ready", "valid", "room", "arrival", "wake", "run", "lights", "watched",
            "looks", "restart",
        ];
        let shown = shown.map(|name| see(engine, name));
        let used = (page.come + 2 * ring - page.seen) % (2 * ring);
        let wanted = [
            (used + nodes > ring).into(),
            done.is_some().into(),
            (left > 0).into(),
            room.into(),
            page.come % ring,
            (page.fresh || !page.received.is_empty()).into(),
            page.control & 1,
            page.control >> 1 & 3,
            page.looked_at,
            matches!(done, Some((LOOK, Some(_)))).into(),
            matches!(done, Some((CONTROL, Some(data))) if data >> 3 & 1 == 1).into(),
        ];
        assert_eq!(shown, wanted, "clock cycle {}", page.clocks);
        if left > 0 {
            assert_eq!(see(engine, "slot"), left % 8);
        }
        if let Some((register, None)) = done {
            let wanted = match register {
                STATUS => {
                    let sends = u64::from(page.busy == 0);
                    let received = u64::from(!page.received.is_empty());
                    let flags = received << 1 | u64::from(page.fresh) << 2;
                    sends | flags | halted << 3 | is_running << 4 | restarts << 5
                }
                BYTE => page.received[0].into(),
                QUEUE => page.left[page.looked_at as usize],
                LOOK => seen,
                ARRIVED => page.come,
                OUTCOMES => (0..4).map(|i| page.counts[i] << (8 * i)).sum(),
                TIME => phase | superframe << 16,
                CLOCK => page.clocks,
                _ => 0,
            };
            assert_eq!(see(engine, "read_data"), wanted, "register {register:#x}");
        }
        self.passed();
        let page = &mut self.page;
        match done {
            Some((OUTCOMES, None)) => page.fresh = false,
            Some((BYTE, None)) => {
                page.received.pop_front();
            }
            Some((LOOK, Some(data))) => page.looked_at = data % nodes,
            Some((BYTE, Some(data))) => {
                page.sent.push(data as u8);
                page.busy = 10 * HOST_CLOCKS as u64;
            }
            Some((QUEUE, Some(data))) => page.left[(data % nodes) as usize] = data >> 8 & 15,
            Some((ARRIVED, Some(data))) => page.seen = data % (2 * ring),
            Some((CONTROL, Some(data))) => page.control = data,
            _ => {}
        }
        page.left[node as usize] -= u64::from(taken);
        page.come = (page.come + u64::from(arrived)) % (2 * ring);
        if begin {
            let reported = [outcome == 1, outcome == 2, outcome == 3, missed_deadline];
            for (count, reported) in page.counts.iter_mut().zip(reported) {
                let before = if first { 0 } else { *count };
                *count = (before + u64::from(reported)) % counts;
            }
            page.fresh |= last;
        }
        self.requested = if begins { access } else { None };
    }
}

fn registers_match_their_documentation(port: &impl Circuit, size: HostPortSize) {
    let page =
        ExpectedHostPort { left: vec![0; size.nodes as usize], ..ExpectedHostPort::default() };
    let mut bench = HostRegistersBench {
        engine: engines::evaluator(port),
        size,
        page,
        random: SplitMix64::new(11),
        levels: vec![],
        requested: None,
        queue_writes: 0,
    };
    // Continues until the last byte is sent, and several lengths were written to each queue.
    let mut left = WRITES + 11 * HOST_CLOCKS as u64;
    while left > 0 || bench.queue_writes < 4 * bench.size.nodes {
        left = left.saturating_sub(1);
        bench.clock_cycle();
        if bench.requested.is_none() && bench.below(500) == 0 {
            let byte = bench.below(256) as u8;
            bench.comes(byte);
        }
    }
    let bytes = decode(&bench.levels, HOST_CLOCKS).into_iter();
    let bytes: Vec<u8> = bytes.map(|(_, byte)| byte).collect();
    assert_eq!(bytes, bench.page.sent);
    assert!(bytes.len() > 10, "{bytes:?}");
}

#[test]
fn host_registers_match_their_documentation() {
    let size = HostPortSize { nodes: 16, ring: 16, counts: 64, line: 1 };
    registers_match_their_documentation(&HostPort::<16, 4>::new(), size);
}

#[test]
fn host_registers_of_many_nodes_match_their_documentation() {
    let size = HostPortSize { nodes: 64, ring: 64, counts: 128, line: 1 };
    registers_match_their_documentation(&HostPort::<64, 6, 6, 7, 7>::new(), size);
}

#[test]
fn host_registers_with_a_line_queue_match_their_documentation() {
    let size = HostPortSize { nodes: 8, ring: 16, counts: 64, line: 511 };
    registers_match_their_documentation(&HostPort::<8, 3, 4, 5, 6, 9>::new(), size);
}
