//! Driver of the TDMA cube: hosts, faults, and the bookkeeping in every phase.

use super::host_port::{Handed, HandedOver};
use super::hosts::{Exchange, Hosts};
use super::ledger::Ledger;
use super::order_writer::OrderWriter;
use super::pace::{Moment, Pace};
use super::phase_report::{ReceivedKind, Report, SentKind};
use super::run::{CubeMachine, CubeRun};
use crate::engine::{NodeEngine, NodePort};
use crate::machine::Cores;
use crate::machine::{Account, Driver, Ran, RunError, Step};
use crate::networks::noise::Noise;
use crate::routing::Schedule;
use crate::topology::{links, Link};
use crate::traffic::MessageList;
use std::sync::Arc;

/// Run in progress.
pub struct CubeDriver<'a> {
    machine: CubeMachine<'a>,
    messages: Arc<MessageList>,
    ledger: Ledger,
    hosts: Hosts,
    noise: Option<Noise>,
    pace: Pace,
    writer: OrderWriter,
    cores: Cores,
    pins: Pins,
    links: Vec<Link>,
    /// For each node, the last phase in which it took part. `None` if it was out of sync.
    last_phases: Vec<Option<u32>>,
    /// Slips of each node up to the end of the last phase.
    slipped: Vec<u64>,
    /// Fault inputs of each end of a wire.
    flips: Vec<u64>,
    /// Phases that have begun at one node at least.
    risen: u64,
    /// Phases that have begun at all nodes.
    begun: u64,
    /// Values of `begun` at the last movement of a message, and at the last decision on a fate.
    moved_at: u64,
    decided_at: u64,
    complete: bool,
    clock_cycles: u64,
    clashes: u64,
    /// Actions of hosts and nodes that the ledger does not know yet. Some nodes are in a phase that
    /// has not begun at all nodes.
    exchanged: Vec<Exchange>,
    /// Messages delivered in the answer slot of this phase.
    delivered: Vec<Handed>,
}

struct Pins {
    phase: NodePort,
    sent: NodePort,
    sent_slot: NodePort,
    received: NodePort,
    late: NodePort,
    muted: NodePort,
    skip: NodePort,
    slips: NodePort,
    flip: NodePort,
    clash: NodePort,
}

impl Pins {
    fn new(engine: &mut dyn NodeEngine) -> Self {
        Pins {
            phase: engine.port("node_phase"),
            sent: engine.port("sent"),
            sent_slot: engine.port("sent_slot"),
            received: engine.port("received"),
            late: engine.port("late"),
            muted: engine.port("muted"),
            skip: engine.port("skip"),
            slips: engine.port("slips"),
            flip: engine.port("flip"),
            clash: engine.port("clash"),
        }
    }
}

impl<'a> CubeDriver<'a> {
    /// Creates the driver and sets the constant inputs.
    pub fn new(mut machine: CubeMachine<'a>, messages: Arc<MessageList>) -> Self {
        let nodes = machine.engine.nodes();
        let shape = machine.schedule.shape();
        let pins = Pins::new(machine.engine);
        let mut keeps = vec![(1 << shape.links()) - 1; nodes];
        let mut flips = vec![0; nodes];
        let links: Vec<Link> = links(&shape).collect();
        for link in &links {
            if let Some(high) = machine.disturbance.stuck(*link) {
                set_ends(&mut keeps, *link, false);
                set_ends(&mut flips, *link, high);
            }
        }
        let (keep, hang) = (machine.engine.port("keep"), machine.engine.port("hang"));
        for node in 0..nodes {
            machine.engine.set(keep, node, keeps[node]);
            machine.engine.set(pins.flip, node, flips[node]);
            machine.engine.set(
                hang,
                node,
                u64::from(machine.disturbance.hangs(node as u32)),
            );
        }
        let delay = machine.set_clocks();
        let divider = machine.engine.shared_port("divider");
        machine.engine.set_shared(divider, machine.timing.divider());
        let ledger = Ledger::new(
            &machine.schedule,
            machine.registers(),
            messages.clone(),
            machine.keep_events,
        );
        CubeDriver {
            ledger,
            hosts: Hosts::new(machine.engine, messages.clone(), &machine.releases),
            noise: Noise::new(
                machine.disturbance.noise,
                machine.disturbance.seed,
                links.len(),
            ),
            pace: Pace::new(machine.engine, &machine.timing, delay),
            writer: OrderWriter::new(
                machine.engine,
                machine.timing.start,
                machine.schedule.order(),
                machine.programs.clone(),
            ),
            cores: Cores::new(machine.engine),
            pins,
            links,
            last_phases: vec![None; nodes],
            slipped: vec![0; nodes],
            flips,
            risen: 0,
            begun: 0,
            moved_at: 0,
            decided_at: 0,
            complete: false,
            clock_cycles: 0,
            clashes: 0,
            exchanged: vec![],
            delivered: vec![],
            messages,
            machine,
        }
    }

    /// Returns the result of the run, which must be over.
    pub fn run(mut self, ran: &Ran) -> CubeRun {
        self.ledger.run_over();
        CubeRun {
            slips: self.values(self.pins.slips).iter().sum(),
            traps: self.cores.traps(self.machine.engine),
            fates: self.ledger.fates,
            events: self.ledger.events,
            notes: self.ledger.notes,
            counters: self.ledger.counters,
            last_hop: self.ledger.last_hop,
            end: ran.end,
            phases: ran.steps,
            clock_cycles: ran.clock_cycles,
            clashes: self.clashes,
        }
    }

    /// Completes the bookkeeping of the phase before the one that begins.
    fn phase_over(&mut self) {
        let (hops, open) = (self.ledger.counters.hops, self.ledger.open());
        let reports = self.reports();
        self.ledger.phase_over(&reports);
        for handed in std::mem::take(&mut self.delivered) {
            self.take_down(Exchange::Handed(handed));
        }
        self.take_down_slips();
        if hops != self.ledger.counters.hops {
            self.moved_at = self.begun;
        }
        self.look_for_decisions(open);
    }

    /// True if every message is accounted for, at the beginning of a phase. Messages at nodes that
    /// are stalled permanently are dropped.
    fn all_are_known(&mut self) -> bool {
        if self.is_past_schedule() {
            self.ledger.schedule_over();
            return true;
        }
        let disturbance = &self.machine.disturbance;
        let stands_still = |node: u32| disturbance.hangs(node);
        if !self.ledger.all_free(stands_still) {
            return false;
        }
        let addresses = 0..self.machine.schedule.shape().nodes();
        let (still, alive): (Vec<u32>, Vec<u32>) = addresses.partition(|node| stands_still(*node));
        let waits = |node: &u32| self.hosts.waiting(*node as usize).len() > 0;
        if alive.iter().any(waits) {
            return false;
        }
        for node in still {
            let node = node as usize;
            self.ledger.stands_still(node, self.hosts.waiting(node));
        }
        self.ledger.open() == 0
    }

    /// True if a compiled schedule has ended and the messages that arrived in its last phase were
    /// delivered.
    fn is_past_schedule(&self) -> bool {
        let period = u64::from(self.machine.schedule.period());
        self.machine.programs.is_some() && self.begun > period + 1
    }

    /// Returns the clock cycles until the next change of the fault inputs. With faults on the wires
    /// this is the next bit-time.
    fn undisturbed(&self) -> u64 {
        let bit = u64::from(self.machine.timing.clocks_per_bit);
        match self.machine.disturbance.noise > 0.0 || self.may_clash() {
            true => bit - self.clock_cycles % bit,
            false => u64::MAX,
        }
    }

    /// Returns the reports of the nodes for the phase that is over. A node that is out of sync took
    /// no part in it. A node that missed its beginning still shows the previous phase.
    fn reports(&mut self) -> Vec<Report> {
        let pins = &self.pins;
        let [phases, muted, sent, slots, received, late] = [
            pins.phase,
            pins.muted,
            pins.sent,
            pins.sent_slot,
            pins.received,
            pins.late,
        ]
        .map(|port| self.values(port));
        let mut reports = vec![];
        for (i, last) in self.last_phases.iter_mut().enumerate() {
            let phase = phases[i] as u32;
            let now = (muted[i] == 0).then_some(phase);
            let dim = self.machine.schedule.link(phase);
            let report = match now.is_none() || now == *last {
                true => Report::nothing(dim),
                false => Report {
                    dim,
                    sent: SentKind::decode(sent[i]),
                    slot: slots[i] as u32,
                    received: ReceivedKind::decode(received[i]),
                    late: late[i] == 1,
                },
            };
            *last = now;
            reports.push(report);
        }
        reports
    }

    /// Records the actions of hosts and nodes in this phase. A message delivered in the answer slot
    /// may have arrived in this phase, which the nodes report only at its end.
    fn take_down_exchanges(&mut self) {
        let open = self.ledger.open();
        let after_frames = self.pace.is_after_frames();
        for exchange in std::mem::take(&mut self.exchanged) {
            match exchange {
                Exchange::Handed(handed) if after_frames && handed.why == HandedOver::Delivered => {
                    self.delivered.push(handed);
                }
                exchange => self.take_down(exchange),
            }
        }
        self.look_for_decisions(open);
    }

    /// Notes a decision if the number of open messages is no longer `open`.
    fn look_for_decisions(&mut self, open: usize) {
        if open != self.ledger.open() {
            self.moved_at = self.begun;
            self.decided_at = self.begun;
        }
    }

    fn take_down(&mut self, exchange: Exchange) {
        match exchange {
            Exchange::Taken {
                node,
                slot,
                message,
            } => self.ledger.injected(node, slot, message),
            Exchange::Handed(Handed {
                node,
                slot,
                why,
                bytes,
            }) => self.ledger.handed_over(node, slot, why, &bytes),
        }
    }

    /// Logs the nodes that lost sync in the phase that is over.
    fn take_down_slips(&mut self) {
        if !self.machine.keep_events {
            return;
        }
        let now = self.values(self.pins.slips);
        for (node, (now, before)) in now.iter().zip(&self.slipped).enumerate() {
            if now != before {
                self.ledger.slipped(node);
            }
        }
        self.slipped = now;
    }

    /// Returns the values of a port of all nodes.
    fn values(&mut self, port: NodePort) -> Vec<u64> {
        let mut values = vec![];
        self.machine.engine.get_all(port, &mut values);
        values
    }

    /// Makes nodes miss the phase that begins in this clock cycle.
    fn skips(&mut self, t: u64) {
        for slip in &self.machine.disturbance.slips {
            let node = slip.node as usize;
            if slip.t == t {
                self.machine.engine.set(self.pins.skip, node, 1);
            } else if slip.t + 1 == t {
                self.machine.engine.set(self.pins.skip, node, 0);
            }
        }
    }

    fn disturb(&mut self) {
        let Some(noise) = &mut self.noise else {
            return;
        };
        let before = self.flips.clone();
        for (link, flip) in self.links.iter().zip(noise.next_bit()) {
            if self.machine.disturbance.stuck(*link).is_none() {
                set_ends(&mut self.flips, *link, flip);
            }
        }
        for (node, (before, now)) in before.iter().zip(&self.flips).enumerate() {
            if before != now {
                self.machine.engine.set(self.pins.flip, node, *now);
            }
        }
    }

    /// True if nodes can disagree about the phase.
    fn may_clash(&self) -> bool {
        !self.machine.disturbance.slips.is_empty() || self.machine.clocks.is_some()
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

impl Driver for CubeDriver<'_> {
    fn begins(&mut self) -> Result<Option<Step>, RunError> {
        self.machine.engine.settle()?;
        let moment = self.pace.look(self.machine.engine)?;
        if moment != Moment::Nothing && self.risen == self.begun {
            self.risen += 1;
            self.skips(self.begun);
        }
        if moment != Moment::Begins {
            return Ok(None);
        }
        if self.begun > 0 {
            self.phase_over();
        }
        self.begun += 1;
        if self.hosts.release(self.machine.engine, self.begun - 1) {
            self.moved_at = self.begun;
            self.decided_at = self.begun;
        }
        self.complete = self.all_are_known();
        let disturbance = &self.machine.disturbance;
        let halted = self
            .cores
            .are_over(self.machine.engine, |node| disturbance.hangs(node));
        let to_come = self.hosts.expect_more();
        Ok(Some(Step {
            open: self.ledger.open(),
            quiet: (!to_come).then_some(self.begun - self.moved_at),
            fruitless: (!to_come).then_some(self.begun - self.decided_at),
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
            .phase_begins((self.begun as u32).saturating_sub(1));
        if self.pace.in_service() {
            let exchanged = self.hosts.exchange(self.machine.engine);
            self.exchanged.extend(exchanged);
            if !self.pace.is_beginning() {
                self.take_down_exchanges();
            }
        }
        let bit = u64::from(self.machine.timing.clocks_per_bit);
        if self.clock_cycles.is_multiple_of(bit) {
            self.disturb();
            self.clashes += self.clashes();
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        let at_most = self.undisturbed();
        let engine = &mut *self.machine.engine;
        self.writer.write(engine);
        let clock_cycles = self.pace.advance(engine, self.hosts.idle(), at_most)?;
        self.clock_cycles += clock_cycles;
        Ok(clock_cycles)
    }

    fn news(&mut self) -> Vec<String> {
        self.cores.news()
    }

    fn carried(&self) -> Option<f64> {
        Some(self.ledger.counters.hops as f64)
    }

    fn account(self: Box<Self>, ran: &Ran) -> Account {
        let (schedule, timing) = (self.machine.schedule.clone(), self.machine.timing);
        let (messages, disturbance) = (self.messages.clone(), self.machine.disturbance.clone());
        // A compiled schedule loses messages only if the machine has faults.
        let keeps = match self.machine.programs {
            Some(_) => disturbance.is_none(),
            None => timing.acked,
        };
        let routing = self.machine.routing;
        let disturbance = keeps.then_some(&disturbance);
        let run = self.run(ran);
        run.account(&schedule, routing, timing, &messages, disturbance)
    }
}

/// Sets the bit of a link in the words of both its ends.
fn set_ends(words: &mut [u64], link: Link, value: bool) {
    for node in [link.from.node, link.to.node] {
        let word = &mut words[node as usize];
        *word = *word & !(1 << link.from.port) | u64::from(value) << link.from.port;
    }
}
