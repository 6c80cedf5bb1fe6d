//! The lockstep engine tells the same story as the evaluator: in every clock
//! cycle, in every signal that both name.

use crate::machine::{cube, messages, timing, Small, FOR_EVER};
use lockstep::lanes::{Backend, Keep, Options, Probe};
use lockstep::netlist::NetId;
use phasecube::engine::{Engine, PortId};
use phasecube::engine::{
    EngineError, EvaluatorEngine, LockstepEngine, NodeEngine, NodePort, SharedPort,
};
use phasecube::lower::lower;
use phasecube::machine::cube::{cube_array, CubeMachine, CubeRun, Disturbance, RunEnd, Slip};
use phasecube::traffic::Message;

/// Both engines, driven alike and compared before every clock edge.
struct Twins {
    lockstep: LockstepEngine,
    evaluator: EvaluatorEngine,
    nodes: usize,
    /// Ports by name, for the evaluator.
    ports: Vec<Vec<PortId>>,
    shared: Vec<PortId>,
    /// The signals that both name: of each node in the evaluator.
    signals: Vec<(String, Probe, Vec<NetId>)>,
    compared: u64,
}

impl Twins {
    fn new<const D: usize>(acked: bool, options: &Options) -> Self {
        let node = lower(&Small::<D>::new(timing(D, acked).plan(), FOR_EVER)).unwrap();
        let array = cube_array(cube(D), &node).unwrap();
        let options = Options {
            keep: Keep::All,
            ..options.clone()
        };
        let mut lockstep = array.lockstep(&options).unwrap();
        let evaluator = EvaluatorEngine::new(&array.whole()).unwrap();
        let (flat, machine) = (evaluator.evaluator().netlist(), lockstep.machine());
        let names: Vec<String> = machine
            .netlist()
            .names
            .iter()
            .map(|n| n.path.clone())
            .collect();
        let signals = names
            .into_iter()
            .map(|name| {
                let net = |i| flat.find(&format!("nodes[{i}].{name}"));
                let nets: Option<Vec<NetId>> = (0..array.nodes).map(net).collect();
                let probe = machine.probe(&name).unwrap();
                (name, probe, nets.expect("the evaluator has a name for it"))
            })
            .collect();
        Twins {
            lockstep,
            evaluator,
            nodes: array.nodes,
            ports: vec![],
            shared: vec![],
            signals,
            compared: 0,
        }
    }

    fn compare(&mut self) {
        for (name, probe, nets) in &self.signals {
            for (node, net) in nets.iter().enumerate() {
                let wanted = self.evaluator.evaluator().get(*net);
                let found = self.lockstep.machine().get(*probe, node);
                assert_eq!(found, wanted, "{name} of node {node}");
                self.compared += 1;
            }
        }
    }
}

impl NodeEngine for Twins {
    fn name(&self) -> &'static str {
        "twins"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn port(&mut self, name: &str) -> NodePort {
        let id = |i| self.evaluator.port(&format!("{name}[{i}]"));
        self.ports.push((0..self.nodes).map(id).collect());
        let port = self.lockstep.port(name);
        assert_eq!(port.0, self.ports.len() - 1);
        port
    }

    fn shared_port(&mut self, name: &str) -> SharedPort {
        self.shared.push(self.evaluator.port(name));
        self.lockstep.shared_port(name)
    }

    fn set(&mut self, port: NodePort, node: usize, value: u64) {
        self.evaluator.set_u64(self.ports[port.0][node], value);
        self.lockstep.set(port, node, value);
    }

    fn set_shared(&mut self, port: SharedPort, value: u64) {
        self.evaluator.set_u64(self.shared[port.0], value);
        self.lockstep.set_shared(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.evaluator.settle()?;
        self.lockstep.settle()
    }

    fn get(&mut self, port: NodePort, node: usize) -> u64 {
        self.lockstep.get(port, node)
    }

    fn get_all(&mut self, port: NodePort, values: &mut Vec<u64>) {
        self.lockstep.get_all(port, values);
    }

    fn get_shared(&mut self, port: SharedPort) -> u64 {
        let value = self.lockstep.get_shared(port);
        assert_eq!(value, self.evaluator.get_u64(self.shared[port.0]));
        value
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        self.compare();
        self.evaluator.clock()?;
        self.lockstep.clock()
    }
}

fn traffic(nodes: u32) -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..nodes)
        .flat_map(|s| [(s, !s & (nodes - 1)), (s, 0)])
        .collect();
    messages(&pairs)
}

fn run<const D: usize>(
    engine: &mut dyn NodeEngine,
    acked: bool,
    disturbance: &Disturbance,
) -> CubeRun {
    let timing = timing(D, acked);
    let mut machine = CubeMachine::new(engine, cube(D), timing, disturbance.clone());
    machine.limit = 12;
    let run = machine.run(&traffic(1 << D)).unwrap();
    assert!(run.counters.hops > 0);
    run
}

fn disturbed() -> Disturbance {
    Disturbance {
        noise: 2e-3,
        seed: 5,
        slips: vec![Slip { node: 6, t: 9 }],
        ..Disturbance::default()
    }
}

fn options(backend: Backend, threads: usize) -> Options {
    Options {
        backend,
        threads,
        ..Options::default()
    }
}

#[test]
fn every_signal_of_the_3_cube_in_every_clock_cycle() {
    for (backend, acked, disturbance) in [
        (Backend::Auto, true, Disturbance::default()),
        (Backend::Auto, false, Disturbance::default()),
        (Backend::Auto, true, disturbed()),
        (Backend::Tape, true, disturbed()),
    ] {
        let mut twins = Twins::new::<3>(acked, &options(backend, 1));
        run::<3>(&mut twins, acked, &disturbance);
        assert!(twins.compared > 1_000_000);
    }
}

#[test]
fn every_signal_of_the_4_cube_in_every_clock_cycle() {
    let mut twins = Twins::new::<4>(true, &options(Backend::Auto, 1));
    run::<4>(&mut twins, true, &disturbed());
}

/// Several chunks of lanes, so that links lead from one to another.
#[test]
fn runs_do_not_depend_on_backend_and_threads() {
    let node = lower(&Small::<10>::new(timing(10, true).plan(), FOR_EVER)).unwrap();
    let array = cube_array(cube(10), &node).unwrap();
    let disturbance = Disturbance {
        noise: 1e-4,
        ..disturbed()
    };
    let runs = [(Backend::Auto, 1), (Backend::Auto, 2), (Backend::Tape, 3)].map(|(b, threads)| {
        let mut engine = array.lockstep(&options(b, threads)).unwrap();
        let timing = timing(10, true);
        let mut machine = CubeMachine::new(&mut engine, cube(10), timing, disturbance.clone());
        machine.limit = 4;
        let run = machine.run(&traffic(1 << 10)).unwrap();
        assert_eq!(run.end, RunEnd::Limit { superframes: 4 });
        run
    });
    assert!(runs[0].counters.retries > 0 && runs[0].slips > 0);
    for run in &runs[1..] {
        assert_eq!(run.fates, runs[0].fates);
        assert_eq!(run.events, runs[0].events);
        assert_eq!(run.counters, runs[0].counters);
        assert_eq!(run.clock_cycles, runs[0].clock_cycles);
    }
}
