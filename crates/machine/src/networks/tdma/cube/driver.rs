//! Driver of the TDMA cube: hosts, faults, and the bookkeeping in every phase.

use super::circuit::{CubeCircuit, OrderWriter};
use super::faults::{CubeFaults, FaultInjector};
use super::hosts::{HostAction, HostOutput, HostPorts, TrafficSources};
use super::ledger::CubeLedger;
use super::phases::{PhaseEvent, PhaseReporter, PhaseTracker};
use crate::{CoreMonitor, EndReason, Load, MachineDriver, RunError, RunStats, StepStatus};
use engine::{NodeEngine, NodePortId};
use interconnect::routing::Schedule;
use rtl::tdma::DeliveryReason;

/// Run in progress.
pub struct CubeDriver<'a> {
    engine: &'a mut dyn NodeEngine,
    pub(super) circuit: CubeCircuit,
    pub(super) injector: FaultInjector,
    keep_events: bool,
    pub(super) ledger: CubeLedger,
    sources: HostPorts<TrafficSources>,
    tracker: PhaseTracker,
    writer: OrderWriter,
    cores: CoreMonitor,
    slips: NodePortId,
    clash: NodePortId,
    reporter: PhaseReporter,
    /// Slips of each node up to the end of the last phase.
    slipped: Vec<u64>,
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
        let timing = circuit.timing();
        let injector = FaultInjector::new(engine, circuit.shape(), faults);
        let delay = set_clocks(engine, circuit);
        let divider = engine.shared_port("divider");
        engine.set_shared(divider, timing.divider());
        let (messages, order) = (load.messages.clone(), circuit.schedule().order());
        let releases = load.releases(timing.bit_times().into());
        CubeDriver {
            sources: HostPorts::traffic(engine, messages.clone(), &releases),
            reporter: PhaseReporter::new(engine),
            tracker: PhaseTracker::new(engine, &timing, delay),
            writer: OrderWriter::new(engine, timing.start, order, circuit.programs()),
            cores: CoreMonitor::new(engine),
            ledger: CubeLedger::new(
                circuit.schedule(),
                circuit.buffer_numbers(),
                messages,
                load.keep_events,
            ),
            slips: engine.port("slips"),
            clash: engine.port("clash"),
            injector,
            slipped: vec![0; nodes],
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
            keep_events: load.keep_events,
            engine,
        }
    }

    /// Completes the bookkeeping of the phase before the one that begins.
    fn phase_over(&mut self) {
        let (hop, open) = (self.ledger.last_hop, self.ledger.open());
        let reports = self.reporter.reports(self.engine, self.circuit.schedule());
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
        let disturbance = &self.injector.faults;
        let is_hung = |node: u32| disturbance.is_hung(node);
        if !self.ledger.all_free(is_hung) {
            return false;
        }
        let addresses = 0..self.circuit.schedule().shape().nodes();
        let (hung, alive): (Vec<u32>, Vec<u32>) = addresses.partition(|node| is_hung(*node));
        let queues = &self.sources.hosts.queues;
        let waits = |node: &u32| queues.waiting(*node as usize).len() > 0;
        if alive.iter().any(waits) {
            return false;
        }
        for node in hung {
            let node = node as usize;
            self.ledger.drop_stalled_node(node, queues.waiting(node));
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
        match self.injector.faults.noise > 0.0 || self.may_clash() {
            true => self.circuit.timing().clocks_until_bit(self.clock_cycles),
            false => u64::MAX,
        }
    }

    /// Records the actions of hosts and nodes in this phase. A message delivered in the answer slot
    /// may have arrived in this phase, which the nodes report only at its end.
    fn record_actions(&mut self) {
        let open = self.ledger.open();
        let after_frames = self.tracker.is_after_frames();
        for exchange in std::mem::take(&mut self.pending_actions) {
            match exchange {
                HostAction::Output(output)
                    if after_frames && output.reason == DeliveryReason::Delivered =>
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
            HostAction::Taken { node, slot, message } => {
                self.ledger.record_injection(node, slot, message)
            }
            HostAction::Output(HostOutput { node, slot, reason: why, bytes }) => {
                self.ledger.record_host_output(node, slot, why, &bytes)
            }
        }
    }

    /// Logs the nodes that lost sync in the phase that is over.
    fn record_slips(&mut self) {
        if !self.keep_events {
            return;
        }
        let now = self.values(self.slips);
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

    /// True if nodes can disagree about the phase.
    fn may_clash(&self) -> bool {
        !self.injector.faults.slips.is_empty() || self.circuit.clocks().is_some()
    }

    /// Returns the number of links whose wire both ends drive.
    fn clashes(&mut self) -> u64 {
        if !self.may_clash() {
            return 0;
        }
        let ends: u32 = self.values(self.clash).iter().map(|c| c.count_ones()).sum();
        u64::from(ends / 2)
    }
}

impl MachineDriver for CubeDriver<'_> {
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError> {
        self.engine.settle()?;
        let sim_time = self.tracker.poll_event(self.engine)?;
        if sim_time != PhaseEvent::Nothing && self.phases_risen == self.phases_begun {
            self.phases_risen += 1;
            self.injector.apply_slips(self.engine, self.phases_begun);
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
        let disturbance = &self.injector.faults;
        let halted = self.cores.check_all_halted(self.engine, |node| disturbance.is_hung(node));
        let to_come = self.sources.hosts.queues.has_later_messages();
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
        self.ledger.phase_begins((self.phases_begun as u32).saturating_sub(1));
        if self.tracker.in_service() {
            let exchanged = self.sources.exchange(self.engine);
            self.pending_actions.extend(exchanged);
            if !self.tracker.is_beginning() {
                self.record_actions();
            }
        }
        let bit = u64::from(self.circuit.timing().clocks_per_bit);
        if self.clock_cycles.is_multiple_of(bit) {
            self.injector.inject_noise(self.engine);
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
        let slips = self.values(self.slips).iter().sum();
        let traps = self.cores.traps(self.engine);
        self.stats(slips, traps)
    }
}

/// Sets the clock inputs of nodes with individual clocks. Returns the largest delay in clock
/// cycles, or `None` if all nodes share one clock.
pub(super) fn set_clocks(engine: &mut dyn NodeEngine, circuit: &CubeCircuit) -> Option<u64> {
    let clocks = circuit.clocks()?;
    let [delay, slower, start] = ["delay", "slower", "start"].map(|port| engine.port(port));
    for (node, clock) in clocks.iter().enumerate() {
        engine.set(delay, node, clock.delay);
        engine.set(slower, node, clock.slower);
        engine.set(start, node, clock.start);
    }
    clocks.iter().map(|clock| clock.delay).max()
}
