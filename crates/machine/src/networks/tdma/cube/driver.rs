//! Driver of the TDMA cube: hosts, faults, and the bookkeeping in every phase.

use super::circuit::{CubeCircuit, OrderWriter};
use super::hosts::{HostAction, HostOutput, OutputReason, TrafficSources};
use super::ledger::CubeLedger;
use super::phases::{PhaseEvent, PhaseReport, PhaseTracker, ReceivedKind, SentKind};
use crate::networks::machine::Noise;
use crate::{CoreMonitor, EndReason, Load, MachineDriver, RunError, RunStats, StepStatus};
use engine::{NodeEngine, NodePortId};
use interconnect::routing::Schedule;
use interconnect::topology::{links, Link, Metacube};

/// Run in progress.
pub struct CubeDriver<'a> {
    engine: &'a mut dyn NodeEngine,
    pub(super) circuit: CubeCircuit,
    pub(super) faults: CubeFaults,
    keep_events: bool,
    pub(super) ledger: CubeLedger,
    sources: TrafficSources,
    noise: Option<Noise>,
    tracker: PhaseTracker,
    writer: OrderWriter,
    cores: CoreMonitor,
    pins: CubePins,
    links: Vec<Link>,
    /// For each node, the last phase in which it took part. `None` if it was out of sync.
    last_phases: Vec<Option<u32>>,
    /// Slips of each node up to the end of the last phase.
    slipped: Vec<u64>,
    /// Fault inputs of each end of a wire.
    flips: Vec<u64>,
    /// Phases that have begun at one node at least.
    phases_risen: u64,
    /// Phases that have begun at all nodes.
    pub(super) phases_begun: u64,
    /// Values of `phases_begun` at the last movement of a message, and at the last decision on a fate.
    moved_at: u64,
    decided_at: u64,
    complete: bool,
    pub(super) clock_cycles: u64,
    /// Bit-times in which both ends drove the wire, summed over all links. They are counted only if
    /// nodes slip or have individual clocks.
    pub(super) clashes: u64,
    /// Actions of hosts and nodes that the ledger does not know yet. Some nodes are in a phase that
    /// has not begun at all nodes.
    pending_actions: Vec<HostAction>,
    /// Messages delivered in the answer slot of this phase.
    delivered: Vec<HostOutput>,
}

struct CubePins {
    phase: NodePortId,
    sent: NodePortId,
    sent_slot: NodePortId,
    received: NodePortId,
    missed_deadline: NodePortId,
    muted: NodePortId,
    skip: NodePortId,
    slips: NodePortId,
    flip: NodePortId,
    clash: NodePortId,
}

impl CubePins {
    fn new(engine: &mut dyn NodeEngine) -> Self {
        CubePins {
            phase: engine.port("node_phase"),
            sent: engine.port("sent"),
            sent_slot: engine.port("sent_slot"),
            received: engine.port("received"),
            missed_deadline: engine.port("missed_deadline"),
            muted: engine.port("muted"),
            skip: engine.port("skip"),
            slips: engine.port("slips"),
            flip: engine.port("flip"),
            clash: engine.port("clash"),
        }
    }
}

impl<'a> CubeDriver<'a> {
    /// Creates the driver of a machine for an engine that has just been started with its
    /// [`array`](super::cube_array), and sets the constant inputs. A programmed order is written
    /// before the first phase.
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        circuit: &CubeCircuit,
        faults: &CubeFaults,
        load: &Load,
    ) -> Self {
        let nodes = engine.nodes();
        let (shape, timing) = (circuit.shape(), circuit.timing());
        let pins = CubePins::new(engine);
        let links: Vec<Link> = links(&shape).collect();
        let flips = set_node_faults(engine, &pins, shape, faults);
        let delay = set_clocks(engine, circuit);
        let divider = engine.shared_port("divider");
        engine.set_shared(divider, timing.divider());
        let (messages, order) = (load.messages.clone(), circuit.schedule().order());
        let releases = load.releases(timing.bit_times().into());
        CubeDriver {
            sources: TrafficSources::new(engine, messages.clone(), &releases),
            noise: Noise::new(faults.noise, faults.seed, links.len()),
            tracker: PhaseTracker::new(engine, &timing, delay),
            writer: OrderWriter::new(engine, timing.start, order, circuit.programs()),
            cores: CoreMonitor::new(engine),
            ledger: CubeLedger::new(
                circuit.schedule(),
                circuit.buffer_numbers(),
                messages,
                load.keep_events,
            ),
            pins,
            links,
            last_phases: vec![None; nodes],
            slipped: vec![0; nodes],
            flips,
            phases_risen: 0,
            phases_begun: 0,
            moved_at: 0,
            decided_at: 0,
            complete: false,
            clock_cycles: 0,
            clashes: 0,
            pending_actions: vec![],
            delivered: vec![],
            circuit: circuit.clone(),
            faults: faults.clone(),
            keep_events: load.keep_events,
            engine,
        }
    }

    /// Completes the bookkeeping of the phase before the one that begins.
    fn phase_over(&mut self) {
        let (hop, open) = (self.ledger.last_hop, self.ledger.open());
        let reports = self.reports();
        self.ledger.phase_over(&reports);
        for output in std::mem::take(&mut self.delivered) {
            self.record_action(HostAction::Output(output));
        }
        self.record_slips();
        if hop != self.ledger.last_hop {
            self.moved_at = self.phases_begun;
        }
        self.note_decisions(open);
    }

    /// True if every message is accounted for, at the beginning of a phase. Messages at nodes that
    /// are stalled permanently are dropped.
    fn all_accounted_for(&mut self) -> bool {
        if self.is_past_schedule() {
            self.ledger.schedule_over();
            return true;
        }
        let disturbance = &self.faults;
        let is_hung = |node: u32| disturbance.is_hung(node);
        if !self.ledger.all_free(is_hung) {
            return false;
        }
        let addresses = 0..self.circuit.schedule().shape().nodes();
        let (hung, alive): (Vec<u32>, Vec<u32>) = addresses.partition(|node| is_hung(*node));
        let waits = |node: &u32| self.sources.waiting(*node as usize).len() > 0;
        if alive.iter().any(waits) {
            return false;
        }
        for node in hung {
            let node = node as usize;
            self.ledger
                .drop_stalled_node(node, self.sources.waiting(node));
        }
        self.ledger.open() == 0
    }

    /// True if a compiled schedule has ended and the messages that arrived in its last phase were
    /// delivered.
    fn is_past_schedule(&self) -> bool {
        let period = u64::from(self.circuit.schedule().period());
        self.circuit.programs().is_some() && self.phases_begun > period + 1
    }

    /// Returns the clock cycles until the next change of the fault inputs. With faults on the wires
    /// this is the next bit-time.
    fn clocks_until_fault_change(&self) -> u64 {
        let bit = u64::from(self.circuit.timing().clocks_per_bit);
        match self.faults.noise > 0.0 || self.may_clash() {
            true => bit - self.clock_cycles % bit,
            false => u64::MAX,
        }
    }

    /// Returns the reports of the nodes for the phase that is over. A node that is out of sync took
    /// no part in it. A node that missed its beginning still shows the previous phase.
    fn reports(&mut self) -> Vec<PhaseReport> {
        let pins = &self.pins;
        let [phases, muted, sent, slots, received, missed_deadline] = [
            pins.phase,
            pins.muted,
            pins.sent,
            pins.sent_slot,
            pins.received,
            pins.missed_deadline,
        ]
        .map(|port| self.values(port));
        let mut reports = vec![];
        for (i, last) in self.last_phases.iter_mut().enumerate() {
            let phase = phases[i] as u32;
            let now = (muted[i] == 0).then_some(phase);
            let dim = self.circuit.schedule().link(phase);
            let report = match now.is_none() || now == *last {
                true => PhaseReport::nothing(dim),
                false => PhaseReport {
                    dim,
                    sent: SentKind::decode(sent[i]),
                    slot: slots[i] as u32,
                    received: ReceivedKind::decode(received[i]),
                    missed_deadline: missed_deadline[i] == 1,
                },
            };
            *last = now;
            reports.push(report);
        }
        reports
    }

    /// Records the actions of hosts and nodes in this phase. A message delivered in the answer slot
    /// may have arrived in this phase, which the nodes report only at its end.
    fn record_actions(&mut self) {
        let open = self.ledger.open();
        let after_frames = self.tracker.is_after_frames();
        for exchange in std::mem::take(&mut self.pending_actions) {
            match exchange {
                HostAction::Output(output)
                    if after_frames && output.reason == OutputReason::Delivered =>
                {
                    self.delivered.push(output);
                }
                exchange => self.record_action(exchange),
            }
        }
        self.note_decisions(open);
    }

    /// Notes a decision if the number of open messages is no longer `open`.
    fn note_decisions(&mut self, open: usize) {
        if open != self.ledger.open() {
            self.moved_at = self.phases_begun;
            self.decided_at = self.phases_begun;
        }
    }

    fn record_action(&mut self, exchange: HostAction) {
        match exchange {
            HostAction::Taken {
                node,
                slot,
                message,
            } => self.ledger.record_injection(node, slot, message),
            HostAction::Output(HostOutput {
                node,
                slot,
                reason: why,
                bytes,
            }) => self.ledger.record_host_output(node, slot, why, &bytes),
        }
    }

    /// Logs the nodes that lost sync in the phase that is over.
    fn record_slips(&mut self) {
        if !self.keep_events {
            return;
        }
        let now = self.values(self.pins.slips);
        for (node, (now, before)) in now.iter().zip(&self.slipped).enumerate() {
            if now != before {
                self.ledger.record_slip(node);
            }
        }
        self.slipped = now;
    }

    /// Returns the values of a port of all nodes.
    fn values(&mut self, port: NodePortId) -> Vec<u64> {
        let mut values = vec![];
        self.engine.get_all(port, &mut values);
        values
    }

    /// Makes nodes miss the phase that begins in this clock cycle.
    fn apply_slips(&mut self, t: u64) {
        for slip in &self.faults.slips {
            let node = slip.node as usize;
            if slip.t == t {
                self.engine.set(self.pins.skip, node, 1);
            } else if slip.t + 1 == t {
                self.engine.set(self.pins.skip, node, 0);
            }
        }
    }

    fn inject_faults(&mut self) {
        let Some(noise) = &mut self.noise else {
            return;
        };
        let before = self.flips.clone();
        for (link, flip) in self.links.iter().zip(noise.next_bit()) {
            if self.faults.stuck_level(*link).is_none() {
                set_ends(&mut self.flips, *link, flip);
            }
        }
        for (node, (before, now)) in before.iter().zip(&self.flips).enumerate() {
            if before != now {
                self.engine.set(self.pins.flip, node, *now);
            }
        }
    }

    /// True if nodes can disagree about the phase.
    fn may_clash(&self) -> bool {
        !self.faults.slips.is_empty() || self.circuit.clocks().is_some()
    }

    /// Returns the number of links whose wire both ends drive.
    fn clashes(&mut self) -> u64 {
        if !self.may_clash() {
            return 0;
        }
        let ends: u32 = self
            .values(self.pins.clash)
            .iter()
            .map(|c| c.count_ones())
            .sum();
        u64::from(ends / 2)
    }
}

impl MachineDriver for CubeDriver<'_> {
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError> {
        self.engine.settle()?;
        let sim_time = self.tracker.poll_event(self.engine)?;
        if sim_time != PhaseEvent::Nothing && self.phases_risen == self.phases_begun {
            self.phases_risen += 1;
            self.apply_slips(self.phases_begun);
        }
        if sim_time != PhaseEvent::Begins {
            return Ok(None);
        }
        if self.phases_begun > 0 {
            self.phase_over();
        }
        self.phases_begun += 1;
        if self.sources.release(self.engine, self.phases_begun - 1) {
            self.moved_at = self.phases_begun;
            self.decided_at = self.phases_begun;
        }
        self.complete = self.all_accounted_for();
        let disturbance = &self.faults;
        let halted = self
            .cores
            .check_all_halted(self.engine, |node| disturbance.is_hung(node));
        let to_come = self.sources.has_later_messages();
        Ok(Some(StepStatus {
            open: self.ledger.open(),
            steps_since_move: (!to_come).then_some(self.phases_begun - self.moved_at),
            steps_since_outcome: (!to_come).then_some(self.phases_begun - self.decided_at),
            halted,
        }))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn work(&mut self) -> Result<(), RunError> {
        // Called here and not earlier, because an event that ends a run at the beginning of a phase
        // belongs to the previous phase.
        self.ledger
            .phase_begins((self.phases_begun as u32).saturating_sub(1));
        if self.tracker.in_service() {
            let exchanged = self.sources.exchange(self.engine);
            self.pending_actions.extend(exchanged);
            if !self.tracker.is_beginning() {
                self.record_actions();
            }
        }
        let bit = u64::from(self.circuit.timing().clocks_per_bit);
        if self.clock_cycles.is_multiple_of(bit) {
            self.inject_faults();
            self.clashes += self.clashes();
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        let at_most = self.clocks_until_fault_change();
        let engine = &mut *self.engine;
        self.writer.write(engine);
        let clock_cycles = self.tracker.advance(engine, self.sources.idle(), at_most)?;
        self.clock_cycles += clock_cycles;
        Ok(clock_cycles)
    }

    fn take_lines(&mut self) -> Vec<String> {
        self.cores.take_lines()
    }

    fn carried_traffic(&self) -> Option<f64> {
        Some(self.ledger.channels.total() as f64)
    }

    fn run_stats(&mut self, _: EndReason) -> RunStats {
        self.ledger.run_over();
        let slips = self.values(self.pins.slips).iter().sum();
        let traps = self.cores.traps(self.engine);
        self.stats(slips, traps)
    }
}

/// Sets the constant fault inputs of the nodes. Returns the inverted wires of each node.
fn set_node_faults(
    engine: &mut dyn NodeEngine,
    pins: &CubePins,
    shape: Metacube,
    faults: &CubeFaults,
) -> Vec<u64> {
    let nodes = engine.nodes();
    let mut keeps = vec![(1 << shape.links()) - 1; nodes];
    let mut flips = vec![0; nodes];
    for link in links(&shape) {
        if let Some(high) = faults.stuck_level(link) {
            set_ends(&mut keeps, link, false);
            set_ends(&mut flips, link, high);
        }
    }
    let (keep, hang) = (engine.port("keep"), engine.port("hang"));
    for node in 0..nodes {
        engine.set(keep, node, keeps[node]);
        engine.set(pins.flip, node, flips[node]);
        engine.set(hang, node, u64::from(faults.is_hung(node as u32)));
    }
    flips
}

/// Sets the clock inputs of nodes with individual clocks. Returns the largest delay in clock
/// cycles, or `None` if all nodes share one clock.
fn set_clocks(engine: &mut dyn NodeEngine, circuit: &CubeCircuit) -> Option<u64> {
    let clocks = circuit.clocks()?;
    let [delay, slower, start] = ["delay", "slower", "start"].map(|port| engine.port(port));
    for (node, clock) in clocks.iter().enumerate() {
        engine.set(delay, node, clock.delay);
        engine.set(slower, node, clock.slower);
        engine.set(start, node, clock.start);
    }
    clocks.iter().map(|clock| clock.delay).max()
}

/// Sets the bit of a link in the words of both its ends.
fn set_ends(words: &mut [u64], link: Link, value: bool) {
    for node in [link.from.node, link.to.node] {
        let word = &mut words[node as usize];
        *word = *word & !(1 << link.from.port) | u64::from(value) << link.from.port;
    }
}

// Faults that a run of the cube can inject: noise, dead nodes, slips.

/// Faults of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CubeFaults {
    /// Probability with which each bit on each wire is inverted.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
    pub dead: Vec<DeadNode>,
    pub slips: Vec<Slip>,
}

/// Node that is dead from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadNode {
    pub node: u32,
    pub mode: DeadMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadMode {
    /// The node pulls no wire and receives nothing.
    Silent,
    /// Its wires are stuck at the high level.
    High,
    /// Its wires are stuck at the low level.
    Low,
    /// Its forwarder is stalled. Its buffers stay full, and it answers frames with a NAK.
    Hung,
}

/// Slip: a node misses the beginning of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slip {
    pub node: u32,
    /// Phase, counted from the start.
    pub t: u64,
}

impl CubeFaults {
    /// True if the machine has no faults.
    pub fn is_none(&self) -> bool {
        self.noise == 0.0 && self.dead.is_empty() && self.slips.is_empty()
    }

    /// True if the node's forwarder is stalled.
    pub fn is_hung(&self, node: u32) -> bool {
        let hung = |d: &DeadNode| d.node == node && d.mode == DeadMode::Hung;
        self.dead.iter().any(hung)
    }

    /// Returns the level at which a link's wire is stuck, or `None`.
    pub fn stuck_level(&self, link: Link) -> Option<bool> {
        let dead = self
            .dead
            .iter()
            .find(|d| d.mode != DeadMode::Hung && link.is_at(d.node))?;
        Some(dead.mode != DeadMode::Low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::{links, Hypercube};

    #[test]
    fn a_dead_node_sticks_its_wires() {
        let cube = Hypercube::new(3).unwrap();
        let disturbance = CubeFaults {
            dead: vec![DeadNode {
                node: 5,
                mode: DeadMode::Low,
            }],
            ..CubeFaults::default()
        };
        let stuck: Vec<Link> = links(&cube)
            .filter(|link| disturbance.stuck_level(*link) == Some(false))
            .collect();
        let own: Vec<Link> = links(&cube).filter(|link| link.is_at(5)).collect();
        assert_eq!((&stuck, own.len()), (&own, 3));
        assert!(!disturbance.is_hung(5));
    }
}
