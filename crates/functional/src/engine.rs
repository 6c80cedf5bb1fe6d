//! The engine: all nodes of a machine, and its ports.

use crate::frames::{receive_frame, send_frame};
use crate::node::{Common, FunctionalMachine, Node};
use crate::phase::{PhaseClock, SyncPoint};
use engine::{EngineError, NodeEngine, NodePortId, SharedPortId};

/// Port of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Flip,
    Skip,
    Keep,
    Hang,
    HostValid,
    HostData,
    HostIndex,
    HostTaken,
    OutValid,
    OutData,
    OutLast,
    OutReason,
    OutSlot,
    Phase,
    Muted,
    Slips,
    Clash,
    Sent,
    SentSlot,
    Received,
    MissedDeadline,
    Decided,
    Asleep,
    Retired,
    Halted,
    Cause,
    Instruction,
    ProgramCounter,
    Led,
}

/// Ports by their names in the circuit.
const PORTS: [(&str, Port); 29] = [
    ("flip", Port::Flip),
    ("skip", Port::Skip),
    ("keep", Port::Keep),
    ("hang", Port::Hang),
    ("host_valid", Port::HostValid),
    ("host_data", Port::HostData),
    ("host_index", Port::HostIndex),
    ("host_taken", Port::HostTaken),
    ("out_valid", Port::OutValid),
    ("out_data", Port::OutData),
    ("out_last", Port::OutLast),
    ("out_reason", Port::OutReason),
    ("out_slot", Port::OutSlot),
    ("node_phase", Port::Phase),
    ("muted", Port::Muted),
    ("slips", Port::Slips),
    ("clash", Port::Clash),
    ("sent", Port::Sent),
    ("sent_slot", Port::SentSlot),
    ("received", Port::Received),
    ("missed_deadline", Port::MissedDeadline),
    ("decided", Port::Decided),
    ("asleep", Port::Asleep),
    ("retired", Port::Retired),
    ("halted", Port::Halted),
    ("cause", Port::Cause),
    ("instruction", Port::Instruction),
    ("program_counter", Port::ProgramCounter),
    ("led", Port::Led),
];

/// Ports of the phase clock.
const ENABLE: usize = 0;
const DIVIDER: usize = 1;
const PHASE_CLOCK: usize = 2;
const SYNC: usize = 3;
const PHASE: usize = 4;
const SHARED_PORTS: [&str; 5] = ["enable", "divider", "phase_clock", "sync", "phase"];

/// True if a port is zero at parked nodes.
fn is_idle_while_parked(port: Port) -> bool {
    use Port::*;
    let of_host = matches!(port, HostIndex | HostTaken | OutValid);
    of_host || matches!(port, Sent | Received | MissedDeadline | Retired | Halted)
}

/// Paths of the memories of a node in its circuit.
const REGISTERS: &str = "node.core.registers.words";
const DATA: [&str; 2] = ["node.data.words", "node.data"];

/// Functional engine of a cube whose nodes run a program.
pub struct FunctionalEngine {
    common: Common,
    nodes: Vec<Node>,
    clock: PhaseClock,
    /// Present clock cycle.
    now: u64,
    /// Next synchronisation point.
    next: SyncPoint,
    divider: u64,
    /// Nodes that are not parked, in order.
    active: Vec<u32>,
    /// Nodes that send a frame in this phase.
    senders: Vec<u32>,
    /// True if waiting nodes are parked.
    parks: bool,
}

impl FunctionalEngine {
    /// Starts the machine before its first clock cycle.
    ///
    /// # Panics
    /// If the program is longer than its store. `set` panics if a driver sets noise or a slip.
    pub fn new(machine: &FunctionalMachine) -> Self {
        let words = 1usize << machine.memory.program_bits;
        assert!(machine.program.len() <= words, "the program fits its store");
        let common = Common::new(machine);
        let nodes = 1u32 << machine.dims;
        FunctionalEngine {
            nodes: (0..nodes).map(|address| Node::new(address, &common)).collect(),
            clock: PhaseClock::new(machine.dims),
            now: 0,
            next: SyncPoint::Begin,
            divider: 0,
            active: (0..nodes).collect(),
            senders: vec![],
            parks: true,
            common,
        }
    }

    /// Simulates waiting nodes too, instead of parking them.
    #[must_use]
    pub fn without_parking(mut self) -> Self {
        self.parks = false;
        self
    }

    /// Runs to clock cycle `target`. If `stops` is set, stops in the first clock cycle in which a
    /// node shows something to its host.
    fn advance(&mut self, target: u64, stops: bool) {
        while self.now < target {
            let sync = self.next.time(&self.clock, &self.common.times);
            let until = target.min(sync.saturating_add(1));
            let mut reached = until;
            for node in &self.active {
                let node = &mut self.nodes[*node as usize];
                let span = (self.now, until);
                if let Some(shown) = node.run(&self.common, &self.clock, span, stops) {
                    reached = reached.min(shown);
                }
            }
            let stopped = stops && reached < until;
            self.now = reached;
            if self.now == sync.saturating_add(1) {
                self.pass_sync_point();
            }
            if stopped {
                break;
            }
        }
    }

    /// Applies the changes at the present synchronisation point to all active nodes.
    fn pass_sync_point(&mut self) {
        let point = self.next;
        if point == SyncPoint::Begin {
            self.park();
            self.clock.advance();
        }
        // A node that is woken here has passed the earlier synchronisation points only.
        if point == SyncPoint::Length {
            self.exchange_frames();
        }
        for &number in &self.active {
            let node = &mut self.nodes[number as usize];
            if node.pass_sync_point(&self.common, &self.clock, point) {
                self.senders.push(number);
            }
        }
        self.next = point.next();
    }

    /// Parks nodes at the beginning of a superframe.
    fn park(&mut self) {
        let begun = self.clock.begun;
        if !self.parks || begun == 0 || !begun.is_multiple_of(self.clock.phases) {
            return;
        }
        let begin = self.clock.next_begin();
        for &node in &self.active {
            self.nodes[node as usize].try_to_park(&self.common, begin);
        }
        let nodes = &self.nodes;
        self.active.retain(|node| !nodes[*node as usize].parked);
    }

    /// Activates a node if it is parked, and simulates it up to the present clock cycle.
    fn wake(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        if node.parked {
            node.unpark(&self.common, &self.clock, self.next, self.now);
            let at = self.active.partition_point(|active| (*active as usize) < number);
            self.active.insert(at, number as u32);
        }
    }

    fn exchange_frames(&mut self) {
        let senders = std::mem::take(&mut self.senders);
        let dim = self.clock.phase(self.now) >> 1;
        for &sender in &senders {
            let ends = [sender as usize, (sender ^ 1 << dim) as usize];
            send_frame(&self.common, &self.clock, &mut self.nodes[ends[0]]);
            if ends.iter().all(|end| self.nodes[*end].keep >> dim & 1 == 1) {
                self.wake(ends[1]);
                let [sender, receiver] = self.nodes.get_disjoint_mut(ends).expect("two nodes");
                receive_frame(&self.common, &self.clock, sender, receiver);
            }
        }
        // The allocation is used again.
        self.senders = senders;
        self.senders.clear();
    }

    /// Wakes all nodes, and runs their cores through the present clock cycle.
    fn show_cores(&mut self) {
        for number in 0..self.nodes.len() {
            self.wake(number);
            let node = &mut self.nodes[number];
            let span = (self.now, self.now + 1);
            // A clock cycle in which the node shows something to its host is not over yet.
            let stops = !node.ends_transfer();
            node.run(&self.common, &self.clock, span, stops);
        }
    }

    fn value(&self, port: Port, node: &Node) -> u64 {
        let now = self.now;
        if node.parked && is_idle_while_parked(port) {
            return 0;
        }
        match port {
            Port::Flip | Port::Skip | Port::Slips | Port::Clash => 0,
            Port::Keep => node.keep.into(),
            Port::Hang => node.hangs.into(),
            Port::HostValid => node.host_valid.into(),
            Port::HostData => node.host_data.into(),
            Port::HostIndex => node.host_index(now).into(),
            Port::HostTaken => (node.time == now && node.takes()).into(),
            Port::OutValid => (node.time == now && node.output().is_some()).into(),
            Port::OutData => node.output().map_or(0, |(byte, _)| byte.into()),
            Port::OutLast => node.output().is_some_and(|(_, last)| last).into(),
            Port::OutReason => node.output_reason().into(),
            Port::OutSlot => node.state.selection.into(),
            Port::Phase => self.clock.phase(now).into(),
            Port::Muted => self.clock.is_before(now).into(),
            Port::Sent => node.sent_at(now) as u64,
            Port::SentSlot => node.state.choice.into(),
            Port::Received => node.received as u64,
            Port::MissedDeadline => node.missed.into(),
            Port::Decided => (node.parked || node.decided <= now).into(),
            Port::Asleep => self.sleeps(node).into(),
            Port::Retired => (node.retired == now + 1).into(),
            Port::Halted => node.halt.is_some_and(|halt| halt.visible <= now).into(),
            Port::Cause => node.halt.map_or(0, |halt| halt.cause as u64),
            Port::Instruction => node.instruction.into(),
            Port::ProgramCounter => node.state.last_pc[node.state.context].into(),
            Port::Led => node.state.led.into(),
        }
    }

    fn sleeps(&self, node: &Node) -> bool {
        let wakes = match node.state.context {
            0 => node.wakes(self.now),
            _ => node.is_due(self.now, self.now),
        };
        let is_asleep = node.state.asleep[node.state.context];
        node.parked || is_asleep && node.halt.is_none() && !wakes
    }

    fn port_of(&self, port: NodePortId) -> Port {
        PORTS[port.0].1
    }
}

impl NodeEngine for FunctionalEngine {
    fn name(&self) -> &'static str {
        "functional"
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn port(&mut self, name: &str) -> NodePortId {
        let port = self.signal(name);
        port.unwrap_or_else(|| panic!("the nodes have no port `{name}`"))
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        let port = self.shared_signal(name);
        port.unwrap_or_else(|| panic!("the phase clock has no port `{name}`"))
    }

    fn signal(&mut self, path: &str) -> Option<NodePortId> {
        let found = PORTS.iter().position(|(name, _)| *name == path);
        found.map(NodePortId)
    }

    fn shared_signal(&mut self, path: &str) -> Option<SharedPortId> {
        let found = SHARED_PORTS.iter().position(|name| *name == path);
        found.map(SharedPortId)
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        let port = self.port_of(port);
        if port != Port::HostData {
            self.wake(node);
        }
        let node = &mut self.nodes[node];
        match port {
            Port::HostValid => node.host_valid = value == 1,
            Port::HostData => node.host_data = value as u8,
            Port::Keep => node.keep = value as u32,
            Port::Hang => node.hangs = value == 1,
            // An inverted level matters only where the level of the wire reaches the node.
            Port::Flip => {
                assert_eq!(value as u32 & node.keep, 0, "the functional engine has no noise")
            }
            Port::Skip => assert_eq!(value, 0, "the functional engine has no slips"),
            _ => panic!("an output cannot be set"),
        }
        if port != Port::HostData {
            node.quiet = false;
        }
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        match port.0 {
            DIVIDER => self.divider = value,
            ENABLE if value == 1 => {
                self.clock.period = 2 * (self.divider + 1);
                // The phase clock rises one clock cycle later, and the phase begins after another.
                self.clock.first = self.clock.first.min(self.now + 2);
            }
            ENABLE => assert!(self.clock.first > self.now, "the schedule does not end"),
            _ => panic!("an output cannot be set"),
        }
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        let port = self.port_of(port);
        if matches!(port, Port::Retired | Port::Instruction | Port::ProgramCounter) {
            self.wake(node);
        }
        self.value(port, &self.nodes[node])
    }

    fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>) {
        let port = self.port_of(port);
        if matches!(port, Port::Retired | Port::ProgramCounter) {
            self.show_cores();
        }
        values.clear();
        match port {
            // These ports have the same value at all nodes.
            Port::Phase | Port::Muted | Port::Slips | Port::Clash => {
                values.resize(self.nodes.len(), self.value(port, &self.nodes[0]));
            }
            _ => values.extend(self.nodes.iter().map(|node| self.value(port, node))),
        }
    }

    fn nonzero(&mut self, port: NodePortId, nodes: &mut Vec<usize>) {
        let port = self.port_of(port);
        nodes.clear();
        if is_idle_while_parked(port) {
            let active = self.active.iter().map(|node| *node as usize);
            nodes.extend(active.filter(|node| self.value(port, &self.nodes[*node]) != 0));
        } else {
            let all = 0..self.nodes.len();
            nodes.extend(all.filter(|node| self.value(port, &self.nodes[*node]) != 0));
        }
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
        let (now, clock) = (self.now, &self.clock);
        let begun = now + 1 >= clock.first;
        let elapsed = match begun {
            true => (now + 1 - clock.first) % clock.period,
            false => 0,
        };
        match port.0 {
            ENABLE => begun.into(),
            DIVIDER => self.divider,
            PHASE_CLOCK => (begun && elapsed < clock.period / 2).into(),
            SYNC => (begun && clock.phase(now + 1) == 0).into(),
            PHASE => clock.phase(now + 1).into(),
            _ => 0,
        }
    }

    fn memory_word(&mut self, path: &str, node: usize, address: usize) -> Option<u64> {
        self.wake(node);
        let state = &self.nodes.get(node)?.state;
        if path == REGISTERS {
            let (context, register) = (address / 32, address % 32);
            let pc = state.last_pc.get(context)?;
            return Some(
                match register {
                    0 => *pc,
                    _ => state.registers[context][register],
                }
                .into(),
            );
        }
        let is_data = DATA.contains(&path);
        let byte = state.data.get(address).filter(|_| is_data)?;
        Some(u64::from(*byte))
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.advance(self.now + 1, false);
        Ok(())
    }

    fn clocks_until(&mut self, at_most: u64, ports: &[NodePortId]) -> Result<u64, EngineError> {
        let host = [Port::HostIndex, Port::HostTaken, Port::OutValid];
        if ports.iter().any(|port| !host.contains(&self.port_of(*port))) {
            for done in 0..at_most {
                if self.any(ports) {
                    return Ok(done);
                }
                self.clock()?;
            }
            return Ok(at_most);
        }
        let start = self.now;
        self.advance(start + at_most, true);
        Ok(self.now - start)
    }

    fn clocks(&mut self, clock_cycles: u64) -> Result<(), EngineError> {
        self.advance(self.now + clock_cycles, false);
        Ok(())
    }
}
