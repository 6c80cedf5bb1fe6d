//! Plans of total exchange executed by the RTL. With a programmed order of links, every UART is
//! always busy.

use crate::metacube::TestMetacube;
use crate::support::cube_runs;
use lockstep::lanes::LaneOptions;
use phasecube::engine::NodeEngine;
use phasecube::machine::array::Array;
use phasecube::machine::{Delivery, EndReason, Load, MessageEventKind, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, Slip};
use phasecube::routing::metacube::exchange::{
    cyclic_plan, first_pairs, lockstep_plan, memoryless_route, plan_links, ExchangePlan,
};
use phasecube::routing::metacube::offset;
use phasecube::routing::tdma::PhaseSchedule;
use phasecube::traffic::Message;
use std::collections::BTreeSet;

/// A total exchange according to a plan.
pub struct PlannedExchange {
    machine: TestMetacube,
    plan: ExchangePlan,
    schedule: PhaseSchedule,
    messages: Vec<Message>,
    /// The phase in which each message is available at its host.
    releases: Vec<u64>,
}

impl PlannedExchange {
    /// Creates a lockstep exchange for a machine whose order is programmed.
    pub fn in_lockstep(machine: TestMetacube) -> Self {
        let plan = lockstep_plan(machine.shape, |o| memoryless_route(machine.shape, o));
        let schedule = PhaseSchedule::programmed(machine.shape, plan_links(&plan));
        PlannedExchange::new(machine, plan, schedule)
    }

    fn new(machine: TestMetacube, plan: ExchangePlan, schedule: PhaseSchedule) -> Self {
        let (mut messages, mut releases) = (vec![], vec![]);
        for (offset, pair) in first_pairs(&plan) {
            for source in 0..machine.shape.nodes() {
                let destination = offset::destination(machine.shape, source, offset);
                messages.push(Message {
                    source,
                    destination,
                    payload: vec![source as u8, destination as u8],
                });
                releases.push(2 * pair as u64);
            }
        }
        PlannedExchange { machine, plan, schedule, messages, releases }
    }

    pub fn run_on(&self, engine: &mut dyn NodeEngine, disturbance: &CubeFaults) -> RunStats {
        let circuit = match self.schedule.order() {
            Some(order) => self.machine.circuit().programmed(order).unwrap(),
            None => self.machine.circuit(),
        };
        let load = Load {
            keep_events: true,
            ..cube_runs::load_from(&self.messages, &self.releases, circuit.timing())
        };
        let control = cube_runs::limit(&circuit, u64::MAX);
        cube_runs::run_load(engine, &circuit, disturbance, &load, control)
    }

    fn run(&self, array: &Array, disturbance: &CubeFaults) -> RunStats {
        let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
        let run = self.run_on(&mut engine, disturbance);
        assert_eq!(run.end, EndReason::Complete);
        assert_eq!(run.undetected + run.duplicated, 0);
        // Every node sends to every other node.
        let pairs = self.messages.iter().map(|m| (m.source, m.destination));
        let (nodes, all) = (self.machine.shape.nodes(), pairs.collect::<BTreeSet<_>>());
        assert_eq!(all.len() as u32, nodes * (nodes - 1));
        for (message, delivery) in self.messages.iter().zip(&run.deliveries) {
            assert!(matches!(delivery, Delivery::Delivered { .. }), "{message:?}: {delivery:?}");
        }
        run
    }

    /// Checks that each hop of the run is in the plan with its phase, sender and receiver, and that
    /// there are no others.
    fn check_follows_plan(&self, run: &RunStats) {
        let shape = self.machine.shape;
        let mut planned = BTreeSet::new();
        for (pair, at) in (0..).zip(&self.plan) {
            if at.offset.is_none() {
                continue;
            }
            for node in 0..shape.nodes() {
                let second = node >> shape.link_bit(node, at.link) & 1;
                let to = shape.neighbour(node, at.link);
                planned.insert((2 * pair + u64::from(second), node, to));
            }
        }
        let moves = [MessageEventKind::Forwarded, MessageEventKind::Delivered];
        assert!(run.events.iter().all(|event| moves.contains(&event.what)));
        let sent = run.events.iter().map(|e| (e.t, e.node, e.to));
        assert_eq!(sent.clone().count(), planned.len());
        assert_eq!(sent.collect::<BTreeSet<_>>(), planned);
        assert_eq!(run.figure("refused") + run.figure("silences"), 0);
    }
}

/// The specification's figures (networks.md, section 4). The exchange takes as many pairs of phases
/// as a node's messages have hops, and every node sends in each pair.
#[test]
fn in_lockstep_every_uart_is_busy_in_every_phase() {
    for (class_bits, pairs) in [(1, 16), (2, 296)] {
        let machine = TestMetacube::new(class_bits, 1);
        let exchange = PlannedExchange::in_lockstep(machine);
        let run = exchange.run(&machine.programmed_array(), &CubeFaults::default());
        exchange.check_follows_plan(&run);
        let nodes = u64::from(machine.shape.nodes());
        assert_eq!((run.figure("phase_pairs"), run.hops), (pairs, pairs * nodes));
        assert_eq!(run.periods, 1);
        assert_eq!(run.wire_utilisation, Some(1.0));
    }
}

/// An exchange in fixed superframes, one offset after another.
#[test]
fn in_fixed_superframes_an_exchange_takes_those_of_the_plan() {
    let machine = TestMetacube::new(2, 1);
    let plan = cyclic_plan(machine.shape, |o| memoryless_route(machine.shape, o));
    let exchange = PlannedExchange::new(machine, plan, machine.shape.into());
    let run = exchange.run(&machine.array(), &CubeFaults::default());
    exchange.check_follows_plan(&run);
    assert_eq!(run.periods, 165);
}

/// Noise and nodes that lose sync cost rounds of the order, but no message.
#[test]
fn a_programmed_order_survives_noise_and_slips() {
    let machine = TestMetacube::new(1, 1);
    let exchange = PlannedExchange::in_lockstep(machine);
    let array = machine.programmed_array();
    for seed in 0..4 {
        let disturbance = CubeFaults {
            noise: 1e-3,
            seed,
            slips: vec![Slip { node: 3, t: 7 }, Slip { node: 6, t: 40 }],
            ..CubeFaults::default()
        };
        let run = exchange.run(&array, &disturbance);
        assert_eq!(run.figure("slips"), 2);
        assert!(run.figure("retries") > 0);
        assert!(run.periods > 1);
    }
}
