use super::disturbance::{Disturbance, Noise};
use super::hosts::{Exchange, Hosts};
use super::ledger::{Counters, Ledger, MessageFate, ReceivedKind, Report, SentKind};
use crate::engine::{Engine, EngineError, PortId};
use crate::machine::event::Event;
use crate::machine::timing::PhaseTiming;
use crate::topology::Hypercube;
use crate::traffic::Message;
use thiserror::Error;

/// Clock cycles after the rising phase clock in which a node begins its phase.
const NODE_DELAY: u64 = 4;

#[derive(Debug, Error)]
pub enum CubeRunError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the phase clock stands still")]
    NoPhase,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Every message is accounted for.
    Complete,
    /// No message moved for this many superframes.
    Stuck { superframes: u64 },
    /// The limit of superframes was reached.
    Limit { superframes: u64 },
}

/// What a run left behind.
#[derive(Clone, Debug)]
pub struct CubeRun {
    /// For each message, in order.
    pub fates: Vec<MessageFate>,
    pub events: Vec<Event>,
    pub counters: Counters,
    pub end: RunEnd,
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
    engine: &'a mut dyn Engine,
    cube: Hypercube,
    timing: PhaseTiming,
    disturbance: Disturbance,
    /// Superframes without a move after which the machine is stuck.
    pub stuck_after: u64,
    /// Superframes after which the run ends in any case.
    pub limit: u64,
    pins: Pins,
    /// The phase that each node took part in last, if it was in step.
    last_phases: Vec<Option<u32>>,
}

struct Pins {
    phase_clock: PortId,
    nodes: Vec<NodePins>,
    flip: Vec<PortId>,
    clash: Vec<PortId>,
}

struct NodePins {
    phase: PortId,
    sent: PortId,
    sent_slot: PortId,
    received: PortId,
    late: PortId,
    muted: PortId,
    skip: PortId,
    slips: PortId,
}

impl<'a> CubeMachine<'a> {
    /// The engine runs a [`Cube`](crate::rtl::tdma::Cube) built for this timing.
    pub fn new(
        engine: &'a mut dyn Engine,
        cube: Hypercube,
        timing: PhaseTiming,
        disturbance: Disturbance,
    ) -> Self {
        let per_node = |i: u32| {
            let port = |name: &str| engine.port(&format!("{name}[{i}]"));
            NodePins {
                phase: port("node_phase"),
                sent: port("sent"),
                sent_slot: port("sent_slot"),
                received: port("received"),
                late: port("late"),
                muted: port("muted"),
                skip: port("skip"),
                slips: port("slips"),
            }
        };
        let per_link = |name: &str| -> Vec<PortId> {
            (0..cube.link_count())
                .map(|l| engine.port(&format!("{name}[{l}]")))
                .collect()
        };
        let pins = Pins {
            phase_clock: engine.port("phase_clock"),
            nodes: cube.addresses().map(per_node).collect(),
            flip: per_link("flip"),
            clash: per_link("clash"),
        };
        let (keep, hang) = (per_link("keep"), |i| engine.port(&format!("hang[{i}]")));
        let hang: Vec<PortId> = cube.addresses().map(hang).collect();
        let (enable, divider) = (engine.port("enable"), engine.port("divider"));
        for (link, keep) in keep.into_iter().enumerate() {
            let stuck = disturbance.stuck(cube, link);
            engine.set_u64(keep, u64::from(stuck.is_none()));
            engine.set_u64(pins.flip[link], u64::from(stuck == Some(true)));
        }
        for (node, hang) in cube.addresses().zip(hang) {
            engine.set_u64(hang, u64::from(disturbance.hangs(node)));
        }
        engine.set_u64(divider, timing.divider());
        engine.set_u64(enable, 1);
        CubeMachine {
            engine,
            cube,
            timing,
            disturbance,
            stuck_after: 10_000,
            limit: u64::MAX,
            last_phases: vec![None; pins.nodes.len()],
            pins,
        }
    }

    /// Sends all messages and runs until each is accounted for.
    ///
    /// # Errors
    /// If the circuit does not settle, or the schedule stands still.
    pub fn run(self, messages: &[Message]) -> Result<CubeRun, CubeRunError> {
        self.run_with(messages, |_, _| {})
    }

    /// As [`run`](Self::run), telling after each phase how many phases are over
    /// and how many messages are under way.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with(
        mut self,
        messages: &[Message],
        mut progress: impl FnMut(u64, usize),
    ) -> Result<CubeRun, CubeRunError> {
        let mut ledger = Ledger::new(self.cube, messages);
        let nodes = self.cube.nodes() as usize;
        let mut hosts = Hosts::new(self.engine, nodes, messages);
        let mut noise = Noise::new(&self.disturbance, self.cube.link_count());
        // Until the frame window opens; nodes begin a phase some clock cycles late.
        let service = u64::from(self.timing.service + self.timing.guard)
            * u64::from(self.timing.clocks_per_bit)
            + NODE_DELAY;
        let (mut clock_cycles, mut clashes) = (0u64, 0);
        let (mut begun, mut in_phase) = (0u64, 0u64);
        let (mut was_high, mut moved_at) = (false, 0);
        let end = loop {
            self.engine.settle()?;
            let high = self.engine.get_u64(self.pins.phase_clock) == 1;
            if high && !was_high {
                if begun > 0 {
                    let before = (ledger.counters.hops, ledger.open());
                    ledger.phase_over(begun - 1, &self.reports());
                    if before != (ledger.counters.hops, ledger.open()) {
                        moved_at = begun;
                    }
                    progress(begun, ledger.open());
                }
                begun += 1;
                in_phase = 0;
                self.skips(begun - 1);
                if let Some(end) = self.end(begun, moved_at, &mut ledger, &hosts) {
                    break end;
                }
            }
            was_high = high;
            if in_phase > u64::from(self.timing.clock_cycles()) {
                return Err(CubeRunError::NoPhase);
            }
            if in_phase <= service {
                let open = ledger.open();
                for exchange in hosts.exchange(self.engine) {
                    match exchange {
                        Exchange::Taken { node, message } => ledger.injected(node, message),
                        Exchange::Handed { node, why, bytes } => {
                            ledger.handed_over(node, why, &bytes)
                        }
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
            self.engine.clock()?;
            clock_cycles += 1;
            in_phase += 1;
        };
        let slips = |pins: &NodePins| self.engine.get_u64(pins.slips);
        Ok(CubeRun {
            slips: self.pins.nodes.iter().map(slips).sum(),
            fates: ledger.fates,
            events: ledger.events,
            counters: ledger.counters,
            end,
            phases: begun - 1,
            clock_cycles,
            clashes,
        })
    }

    /// What the nodes say of the phase that is over. A node out of step took no
    /// part in it; one that missed its beginning still shows the one before.
    fn reports(&mut self) -> Vec<Report> {
        let mut reports = vec![];
        for (pins, last) in self.pins.nodes.iter().zip(&mut self.last_phases) {
            let phase = self.engine.get_u64(pins.phase) as u32;
            let muted = self.engine.get_u64(pins.muted) == 1;
            let now = (!muted).then_some(phase);
            let report = match now.is_none() || now == *last {
                true => Report::nothing(phase / 2),
                false => Report {
                    dim: phase / 2,
                    sent: SentKind::decode(self.engine.get_u64(pins.sent)),
                    slot: self.engine.get_u64(pins.sent_slot) as u32,
                    received: ReceivedKind::decode(self.engine.get_u64(pins.received)),
                    late: self.engine.get_u64(pins.late) == 1,
                },
            };
            *last = now;
            reports.push(report);
        }
        reports
    }

    /// Lets nodes miss the phase that begins in this clock cycle.
    fn skips(&mut self, t: u64) {
        for slip in &self.disturbance.slips {
            let pin = self.pins.nodes[slip.node as usize].skip;
            if slip.t == t {
                self.engine.set_u64(pin, 1);
            } else if slip.t + 1 == t {
                self.engine.set_u64(pin, 0);
            }
        }
    }

    fn disturb(&mut self, noise: &mut Option<Noise>) {
        let Some(noise) = noise else { return };
        for (link, flip) in noise.next_bit().enumerate() {
            if self.disturbance.stuck(self.cube, link).is_none() {
                self.engine.set_u64(self.pins.flip[link], u64::from(flip));
            }
        }
    }

    /// Links whose wire both ends hold.
    fn clashes(&mut self) -> u64 {
        if self.disturbance.slips.is_empty() {
            return 0;
        }
        let engine = &mut *self.engine;
        self.pins.clash.iter().map(|c| engine.get_u64(*c)).sum()
    }

    /// Whether the run is over, at the beginning of a phase.
    fn end(&self, begun: u64, moved_at: u64, ledger: &mut Ledger, hosts: &Hosts) -> Option<RunEnd> {
        let superframe = u64::from(2 * self.cube.dims());
        let stands_still = |node: u32| self.disturbance.hangs(node);
        if ledger.all_free(stands_still) {
            // What is left is with nodes that will never do anything.
            let mut left = 0;
            for node in self.cube.addresses() {
                let waiting: Vec<usize> = hosts.waiting(node as usize).collect();
                left += waiting.len();
                if stands_still(node) {
                    left -= waiting.len();
                    let (received, injected) = ledger.held_by(node as usize);
                    for message in waiting.into_iter().chain(injected) {
                        ledger.settle(message, MessageFate::Undelivered);
                    }
                    for message in received {
                        ledger.settle(message, MessageFate::Unknown);
                    }
                }
            }
            if left == 0 && ledger.open() == 0 {
                return Some(RunEnd::Complete);
            }
        }
        if begun - moved_at > self.stuck_after * superframe {
            return Some(RunEnd::Stuck {
                superframes: self.stuck_after,
            });
        }
        if begun / superframe >= self.limit {
            return Some(RunEnd::Limit {
                superframes: self.limit,
            });
        }
        None
    }
}
