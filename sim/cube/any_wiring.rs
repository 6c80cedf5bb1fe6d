//! A machine that is no hypercube, on all engines. Six nodes form a ring that passes values in both
//! directions, with further wires between distant nodes.

use crate::cube::fleet::same;
use hdl::prelude::*;
use lockstep::lanes::{LaneMap, LaneOptions};
use phasecube::engine::{InputRecorder, InputRecording, NodeEngine, Replay, WordStream};
use phasecube::machine::array::{Array, BlockCircuit, Feed, InputWiring, OutputBit};
use phasecube::report::EngineBench;
use phasecube::toolchain::Toolchain;
use phasecube::topology::{PortEnd, Topology};
use phasecube::traffic::SplitMix64;

const NODES: u32 = 6;
const CLOCK_CYCLES: u64 = 3_000;

/// Port 0 of a node leads upwards to port 1 of the next, and port 1 leads back.
#[derive(Debug)]
struct TwoWayRing;

impl Topology for TwoWayRing {
    fn name(&self) -> String {
        format!("ring of {NODES}")
    }

    fn nodes(&self) -> u32 {
        NODES
    }

    fn ports(&self) -> u32 {
        2
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        let step = [1, NODES - 1][end.port as usize];
        PortEnd { node: (end.node + step) % NODES, port: 1 - end.port }
    }
}

/// A node that combines all its inputs into a number.
#[derive(LogicBlock, Circuit, Default)]
struct Mixer {
    clock: Signal<In, Clock>,
    number: Signal<In, Bits<8>>,
    /// Shared by all nodes.
    count: Signal<In, Bits<5>>,
    /// From both neighbours.
    ring: Signal<In, Bits<2>>,
    /// From nodes far apart.
    far: Signal<In, Bits<8>>,
    /// From outside.
    seed: Signal<In, Bits<8>>,
    /// To both neighbours.
    forwarded: Signal<Out, Bits<2>>,
    word: Signal<Out, Bits<8>>,
    nibble: Signal<Out, Bits<4>>,
    reported: Signal<Out, Bit>,
    state: Reg<Bits<8>>,
}

impl Logic for Mixer {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        let state = self.state.q.val();
        let turned = (state << 3) | (state >> 5);
        let received = (self.far.val() ^ self.seed.val()) + bit_cast::<8, 2>(self.ring.val());
        let own = self.number.val() + bit_cast::<8, 5>(self.count.val());
        self.state.d.next = (turned + own) ^ received;
        self.forwarded.next = state.get_bits::<2>(6);
        self.word.next = state;
        self.nibble.next = state.get_bits::<4>(1);
        self.reported.next = state.get_bits::<4>(2) == 9;
    }
}

/// A counter with a variable step.
#[derive(LogicBlock, Circuit, Default)]
struct Counter {
    clock: Signal<In, Clock>,
    step: Signal<In, Bits<5>>,
    count: Signal<Out, Bits<5>>,
    held: Reg<Bits<5>>,
}

impl Logic for Counter {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.held.d.next = self.held.q.val() + self.step.val();
        self.count.next = self.held.q.val();
    }
}

/// Returns unordered bits of both outputs. They come from neighbours across a bit of the node
/// number, and from nodes listed in a table.
fn far() -> Vec<OutputBit> {
    let table = |nodes: [u32; 6]| LaneMap::Table(nodes.into());
    let line = |output: &str, bit, node: &LaneMap| OutputBit {
        output: output.into(),
        bit,
        node: node.clone(),
    };
    let (across, shuffled, fan) =
        (LaneMap::Xor(1), table([4, 2, 0, 5, 3, 1]), table([0, 0, 5, 5, 2, 2]));
    vec![
        line("word", 7, &across),
        line("word", 6, &shuffled),
        line("nibble", 0, &across),
        line("word", 3, &across),
        line("word", 4, &across),
        line("nibble", 3, &shuffled),
        line("nibble", 2, &fan),
        line("word", 0, &fan),
    ]
}

fn array() -> Array {
    Array {
        name: "mixers".into(),
        doc: "Six nodes in a ring.".into(),
        node: BlockCircuit::of(|| Box::<Mixer>::default()).unwrap(),
        nodes: NODES as usize,
        shared: BlockCircuit::of(|| Box::<Counter>::default()).unwrap(),
        wiring: vec![
            InputWiring::number("number"),
            InputWiring::shared("count", "count"),
            InputWiring::links("ring", "forwarded", &TwoWayRing),
            InputWiring { input: "far".into(), feed: Feed::Nodes(far()) },
        ],
    }
}

/// Records the reference with seeds that change occasionally, sometimes in all nodes at once.
fn recording(array: &Array, toggles: bool) -> InputRecording {
    let stream = WordStream { valid: "reported".into(), toggles, data: "word".into(), last: None };
    let mut reference = array.reference().unwrap();
    let mut engine = InputRecorder::new(&mut reference, stream);
    let (seed, reported) = (engine.port("seed"), engine.port("reported"));
    let step = engine.shared_port("step");
    let mut random = SplitMix64::new(3);
    let mut values = vec![];
    for clock in 0..CLOCK_CYCLES {
        for node in 0..NODES as usize {
            if clock % 500 == 7 || clock % (31 + node as u64) == 0 {
                engine.set(seed, node, random.below(256));
            }
        }
        if clock % 97 == 0 {
            engine.set_shared(step, random.below(32));
        }
        engine.settle().unwrap();
        engine.get_all(reported, &mut values);
        engine.clock().unwrap();
    }
    engine.finish()
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn all_engines_follow_every_wire() {
    let array = array();
    let tools = Toolchain::open().unwrap();
    let folder = env!("CARGO_TARGET_TMPDIR").as_ref();
    for (every_clock_cycle, toggles) in [(true, false), (false, false), (false, true)] {
        let replay =
            Replay { recording: recording(&array, toggles), every_clock_cycle, signals: vec![] };
        let words = replay.recording.words.len();
        // Some nodes change more often than one of them is high.
        let most = CLOCK_CYCLES as usize * if toggles { 3 } else { 2 } / 4;
        assert!(words > 500 && words < most, "{words}");
        let run = |engine: &mut dyn NodeEngine| replay.run(engine, &array.outputs()).unwrap();
        let wanted = run(&mut array.reference().unwrap());
        same(&wanted, &run(&mut array.evaluator().unwrap()));
        same(&wanted, &run(&mut array.lockstep(&LaneOptions::default()).unwrap()));

        let bench = EngineBench::new(&tools, folder, || Ok(array.clone()), &replay).unwrap();
        for threads in [1, 2] {
            same(&wanted, &bench.fingerprints(threads).unwrap());
        }
        let (fleet, run) = array.single_object_fleet(&replay, &tools, folder).unwrap();
        same(&wanted, &fleet.run(&run).unwrap().hashes);
    }
}

/// Port 0 of node 0 receives what node 1 sends from its port 1.
#[test]
fn ring_links_become_tables() {
    let Feed::Nodes(lines) = InputWiring::links("in", "out", &TwoWayRing).feed else {
        panic!("links come from nodes");
    };
    let table = |table: [u32; 6]| LaneMap::Table(table.into());
    assert_eq!(lines[0].bit, 1);
    assert_eq!(lines[0].node, table([1, 2, 3, 4, 5, 0]));
    assert_eq!(lines[1].bit, 0);
    assert_eq!(lines[1].node, table([5, 0, 1, 2, 3, 4]));
}
