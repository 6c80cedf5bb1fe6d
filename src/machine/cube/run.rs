//! Runs of the TDMA cube, phase by phase until every message is accounted for.

use super::disturbance::{Disturbance, Noise};
use super::hosts::{Exchange, Hosts};
use super::ledger::{Counters, Ledger, MessageFate};
use super::pace::Pace;
use super::phase_report::{ReceivedKind, Report, SentKind};
use super::traps::{Cores, Trap};
use crate::engine::{EngineError, NodeEngine, NodePort};
use crate::machine::event::{Event, Note};
use crate::machine::timing::PhaseTiming;
use crate::topology::{Hypercube, Link};
use crate::traffic::{Message, MessageList};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CubeRunError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the phase clock stands still")]
    NoPhase,
}

/// Superframes without a move after which nothing can move any more. A link may wait
/// for 64 silences, one a superframe, before that for the 64 phases after which a node
/// that does not decide falls silent, and that once more behind a message that was
/// given up.
pub const STUCK_AFTER: u64 = 192;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Every message is accounted for.
    Complete,
    /// No message moved for this many superframes.
    Stuck { superframes: u64 },
    /// The limit of superframes was reached.
    Limit { superframes: u64 },
    /// Every core has halted ([`CubeRun::traps`] says where), and messages are left.
    Halted { superframes: u64 },
    /// Somebody asked it to stop.
    Stopped { superframes: u64 },
}

/// What a run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubeRun {
    /// For each message, in order.
    pub fates: Vec<MessageFate>,
    /// The log of the messages, if it was to be kept.
    pub events: Vec<Event>,
    /// That of the nodes.
    pub notes: Vec<Note>,
    pub counters: Counters,
    pub end: RunEnd,
    /// The cores that have halted, by node.
    pub traps: Vec<Trap>,
    /// Phases that were over.
    pub phases: u64,
    pub clock_cycles: u64,
    /// Slips that the nodes counted.
    pub slips: u64,
    /// Bit-times, summed over all links, in which both ends held the wire; only
    /// looked at if nodes slip.
    pub clashes: u64,
}

/// The machine in an engine, its hosts and what disturbs it.
pub struct CubeMachine<'a> {
    engine: &'a mut dyn NodeEngine,
    cube: Hypercube,
    timing: PhaseTiming,
    disturbance: Disturbance,
    /// Superframes without a move after which the machine is stuck:
    /// [`STUCK_AFTER`], unless told otherwise.
    pub stuck_after: u64,
    /// Superframes after which the run ends in any case; 2^32 phases at most.
    pub limit: u64,
    /// Of each message the phase, counted from the start, from which its host has
    /// it; past the end of the list, from the first.
    pub releases: Vec<u64>,
    /// Whether to keep the event log, as it does unless told not to: it has a line
    /// for every frame.
    pub keep_events: bool,
    /// The run ends at the beginning of the next phase when somebody sets this.
    pub stop: Arc<AtomicBool>,
    pins: Pins,
    /// The phase that each node took part in last, if it was in step.
    last_phases: Vec<Option<u32>>,
    /// How often each node had slipped by the end of the last phase.
    slipped: Vec<u64>,
    /// What each end of a wire is told of its disturbance.
    flips: Vec<u64>,
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

impl<'a> CubeMachine<'a> {
    /// The engine runs a [`Cube`](crate::rtl::tdma::Cube), or an array like it,
    /// built for this timing.
    pub fn new(
        engine: &'a mut dyn NodeEngine,
        cube: Hypercube,
        timing: PhaseTiming,
        disturbance: Disturbance,
    ) -> Self {
        let nodes = engine.nodes();
        let pins = Pins::new(engine);
        let mut keeps = vec![(1 << cube.dims()) - 1; nodes];
        let mut flips = vec![0; nodes];
        for link in 0..cube.link_count() {
            if let Some(high) = disturbance.stuck(cube, link) {
                set_ends(&mut keeps, cube.link(link), false);
                set_ends(&mut flips, cube.link(link), high);
            }
        }
        let (keep, hang) = (engine.port("keep"), engine.port("hang"));
        for node in 0..nodes {
            engine.set(keep, node, keeps[node]);
            engine.set(pins.flip, node, flips[node]);
            engine.set(hang, node, u64::from(disturbance.hangs(node as u32)));
        }
        let divider = engine.shared_port("divider");
        engine.set_shared(divider, timing.divider());
        let enable = engine.shared_port("enable");
        engine.set_shared(enable, 1);
        CubeMachine {
            engine,
            cube,
            timing,
            disturbance,
            stuck_after: STUCK_AFTER,
            limit: u64::MAX,
            releases: vec![],
            keep_events: true,
            stop: Arc::default(),
            last_phases: vec![None; nodes],
            slipped: vec![0; nodes],
            flips,
            pins,
        }
    }

    /// Sends all messages and runs until each is accounted for.
    ///
    /// # Errors
    /// If the circuit does not settle, or the schedule stands still.
    pub fn run(self, messages: &[Message]) -> Result<CubeRun, CubeRunError> {
        self.run_with(&messages.into(), |_, _| {})
    }

    /// As [`run`](Self::run), telling after each phase how many phases are over
    /// and how many messages are under way.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with(
        mut self,
        messages: &MessageList,
        mut progress: impl FnMut(u64, usize),
    ) -> Result<CubeRun, CubeRunError> {
        let mut ledger = Ledger::new(self.cube, messages, self.keep_events);
        let mut hosts = Hosts::new(self.engine, messages, &self.releases);
        let mut noise = Noise::new(&self.disturbance, self.cube.link_count());
        let mut pace = Pace::new(self.engine, &self.timing);
        let mut cores = Cores::new(self.engine);
        let (mut clock_cycles, mut clashes) = (0u64, 0);
        let (mut begun, mut moved_at) = (0u64, 0);
        let end = loop {
            self.engine.settle()?;
            if pace.begins(self.engine) {
                if begun > 0 {
                    let before = (ledger.counters.hops, ledger.open());
                    ledger.phase_over(&self.reports());
                    self.take_down_slips(&mut ledger);
                    if before != (ledger.counters.hops, ledger.open()) {
                        moved_at = begun;
                    }
                    progress(begun, ledger.open());
                }
                begun += 1;
                self.skips(begun - 1);
                if hosts.release(self.engine, begun - 1) {
                    moved_at = begun;
                }
                if let Some(end) = self.end(begun, moved_at, &mut ledger, &hosts) {
                    break end;
                }
                if cores.are_over(self.engine, |node| self.disturbance.hangs(node)) {
                    break RunEnd::Halted {
                        superframes: begun / u64::from(2 * self.cube.dims()),
                    };
                }
                ledger.phase_begins(begun as u32 - 1);
            }
            if pace.is_overdue() {
                return Err(CubeRunError::NoPhase);
            }
            if pace.in_service() {
                let open = ledger.open();
                for exchange in hosts.exchange(self.engine) {
                    match exchange {
                        Exchange::Taken { node, message } => ledger.injected(node, message),
                        Exchange::Handed {
                            node,
                            slot,
                            why,
                            bytes,
                        } => ledger.handed_over(node, slot, why, &bytes),
                    }
                }
                if open != ledger.open() {
                    moved_at = begun;
                }
            }
            if clock_cycles.is_multiple_of(u64::from(self.timing.clocks_per_bit)) {
                self.disturb(&mut noise);
                clashes += self.clashes();
            }
            let at_most = self.undisturbed(clock_cycles);
            clock_cycles += pace.advance(self.engine, &hosts, at_most)?;
        };
        ledger.run_over();
        Ok(CubeRun {
            slips: self.values(self.pins.slips).iter().sum(),
            traps: cores.traps(self.engine),
            fates: ledger.fates,
            events: ledger.events,
            notes: ledger.notes,
            counters: ledger.counters,
            end,
            phases: begun - 1,
            clock_cycles,
            clashes,
        })
    }

    /// Clock cycles until something is done to the wires: at the next bit-time, if
    /// they are disturbed.
    fn undisturbed(&self, clock_cycles: u64) -> u64 {
        let bit = u64::from(self.timing.clocks_per_bit);
        let disturbed = self.disturbance.noise > 0.0 || !self.disturbance.slips.is_empty();
        match disturbed {
            true => bit - clock_cycles % bit,
            false => u64::MAX,
        }
    }

    /// What the nodes say of the phase that is over. A node out of step took no
    /// part in it; one that missed its beginning still shows the one before.
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
            let report = match now.is_none() || now == *last {
                true => Report::nothing(phase / 2),
                false => Report {
                    dim: phase / 2,
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

    /// For the log: which nodes fell out of step in the phase that is over.
    fn take_down_slips(&mut self, ledger: &mut Ledger) {
        if !self.keep_events {
            return;
        }
        let now = self.values(self.pins.slips);
        for (node, (now, before)) in now.iter().zip(&self.slipped).enumerate() {
            if now != before {
                ledger.slipped(node);
            }
        }
        self.slipped = now;
    }

    /// The values of a port of all nodes.
    fn values(&mut self, port: NodePort) -> Vec<u64> {
        let mut values = vec![];
        self.engine.get_all(port, &mut values);
        values
    }

    /// Lets nodes miss the phase that begins in this clock cycle.
    fn skips(&mut self, t: u64) {
        for slip in &self.disturbance.slips {
            let node = slip.node as usize;
            if slip.t == t {
                self.engine.set(self.pins.skip, node, 1);
            } else if slip.t + 1 == t {
                self.engine.set(self.pins.skip, node, 0);
            }
        }
    }

    fn disturb(&mut self, noise: &mut Option<Noise>) {
        let Some(noise) = noise else { return };
        let before = self.flips.clone();
        for (link, flip) in noise.next_bit().enumerate() {
            if self.disturbance.stuck(self.cube, link).is_none() {
                set_ends(&mut self.flips, self.cube.link(link), flip);
            }
        }
        for (node, (before, now)) in before.iter().zip(&self.flips).enumerate() {
            if before != now {
                self.engine.set(self.pins.flip, node, *now);
            }
        }
    }

    /// Links whose wire both ends hold.
    fn clashes(&mut self) -> u64 {
        if self.disturbance.slips.is_empty() {
            return 0;
        }
        let ends: u32 = self
            .values(self.pins.clash)
            .iter()
            .map(|c| c.count_ones())
            .sum();
        u64::from(ends / 2)
    }

    /// Whether the run is over, at the beginning of a phase.
    fn end(&self, begun: u64, moved_at: u64, ledger: &mut Ledger, hosts: &Hosts) -> Option<RunEnd> {
        let superframe = u64::from(2 * self.cube.dims());
        let stands_still = |node: u32| self.disturbance.hangs(node);
        if ledger.all_free(stands_still) {
            // What is left is with nodes that will never do anything.
            let (still, alive): (Vec<u32>, Vec<u32>) =
                self.cube.addresses().partition(|node| stands_still(*node));
            let waits = |node: &u32| hosts.waiting(*node as usize).len() > 0;
            if !alive.iter().any(waits) {
                for node in still {
                    ledger.stands_still(node as usize, hosts.waiting(node as usize));
                }
                if ledger.open() == 0 {
                    return Some(RunEnd::Complete);
                }
            }
        }
        if begun - moved_at > self.stuck_after * superframe && !hosts.expect_more() {
            return Some(RunEnd::Stuck {
                superframes: self.stuck_after,
            });
        }
        if self.stop.load(Ordering::Relaxed) {
            return Some(RunEnd::Stopped {
                superframes: begun / superframe,
            });
        }
        let limit = self.limit.min(u64::from(u32::MAX) / superframe);
        if begun / superframe >= limit {
            return Some(RunEnd::Limit { superframes: limit });
        }
        None
    }
}

/// Sets the bit of a link in the words of both its ends.
fn set_ends(words: &mut [u64], link: Link, value: bool) {
    for node in [link.low, link.high] {
        let word = &mut words[node as usize];
        *word = *word & !(1 << link.dim) | u64::from(value) << link.dim;
    }
}
