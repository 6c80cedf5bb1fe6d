//! A machine with one wrong wire does not run as its golden file or second model.
//!
//! Each test takes the wiring of a machine and makes one connection wrong at a time: two lines of an
//! input are exchanged, a line comes from the node itself, or an input comes from other nodes or from
//! another output of the same width. All engines share the wiring, so their agreement cannot show such
//! a fault.

use engine::{EngineError, Feed, NodeEngine, NodePortId, ObservedEngine, Observer, OutputBit};
use interconnect::routing::tdma::ServiceOrder;
use interconnect::routing::Schedule;
use interconnect::topology::{Hypercube, Torus};
use interconnect::traffic::{Message, MessageList, SplitMix64};
use lockstep::design::{Design, SignalKind};
use lockstep::lanes::{LaneMap, LaneOptions};
use machine::array::Array;
use machine::networks::bytes::{ByteDriver, ByteShape};
use machine::networks::cm1::{Cm1Circuit, Cm1Driver, Cm1Faults, Cm1Message, Cm1Shape};
use machine::networks::rotation::{RotationCircuit, RotationShape};
use machine::networks::tdma::cube::{
    CubeCircuit, CubeDriver, CubeFaults, Slip, SyncSource, DEADLOCK_AFTER,
};
use machine::networks::torus::{TorusCircuit, TorusShape};
use machine::{drive, Delivery, Load, MachineCircuit, RunControl, RunStats};
use models::bytes::ModelTailFormat;
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use models::rotation::{RotationModelMachine, RotationModelPacket, RotationModelRule};
use models::torus::{TorusModelMachine, TorusModelPacket, TorusModelVcChange};
use rtl::cm1::{EjectMode, MessageFormat, PetitPlan};
use rtl::rotation::{FirstHop, RotationPlan};
use rtl::torus::{Tail, TorusPlan};
use serde_json::Value;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// Returns the outputs of this width, except `but`.
fn other_outputs(design: &Design, width: u32, but: &str) -> Vec<String> {
    let ports = design.top().ports();
    let outputs = ports.filter(|(_, port)| port.kind == SignalKind::Output);
    let outputs = outputs.filter(|(_, port)| port.width() == width && port.name != but);
    outputs.map(|(_, port)| port.name.clone()).collect()
}

/// Returns the nodes that feed all nodes through this map, in order.
fn sources(map: &LaneMap, nodes: usize) -> Vec<usize> {
    (0..nodes).map(|node| map.from(node)).collect()
}

/// Returns the feeds with one fault each, and what is wrong with them. `maps` are all maps of the
/// machine.
fn wrong_feeds(array: &Array, feed: &Feed, maps: &[LaneMap]) -> Vec<(String, Feed)> {
    let mut wrong = vec![];
    match feed {
        // The tests of topologies show that nodes have their own numbers.
        Feed::Number => {}
        Feed::Shared(output) => {
            let (_, port) = array.shared.design.top().port(output).unwrap();
            let others = other_outputs(&array.shared.design, port.width(), output);
            let others = others.into_iter().map(Feed::Shared);
            wrong.extend(others.map(|feed| (format!("from {feed:?}"), feed)));
        }
        Feed::Nodes(lines) => {
            let with = |change: &dyn Fn(&mut Vec<OutputBit>)| {
                let mut lines = lines.clone();
                change(&mut lines);
                Feed::Nodes(lines)
            };
            let last = lines.len() - 1;
            for bit in [0, last] {
                let own = with(&|lines| lines[bit].node = LaneMap::Xor(0));
                wrong.push((format!("bit {bit} from the node itself"), own));
            }
            if last > 0 {
                let exchanged = with(&|lines| lines.swap(0, last));
                wrong.push((format!("bits 0 and {last} exchanged"), exchanged));
            }
            for map in maps {
                let other = with(&|lines| lines.iter_mut().for_each(|l| l.node = map.clone()));
                wrong.push((format!("from the nodes {map:?}"), other));
            }
            let output = &lines[0].output;
            let (_, port) = array.node.design.top().port(output).unwrap();
            for name in other_outputs(&array.node.design, port.width(), output) {
                let renamed = with(&|lines| {
                    let outputs = lines.iter_mut().map(|line| &mut line.output);
                    outputs.for_each(|output| output.clone_from(&name));
                });
                wrong.push((format!("from the output {name}"), renamed));
            }
        }
    }
    wrong
}

/// Returns all machines with one wrong input, each with its description.
fn wrong_machines(array: &Array) -> Vec<(String, Array)> {
    let mut maps: Vec<LaneMap> = vec![];
    let same = |a: &LaneMap, b: &LaneMap| sources(a, array.nodes) == sources(b, array.nodes);
    let feeds = array.wiring.iter().map(|wire| &wire.feed);
    let lines = feeds.filter_map(|feed| match feed {
        Feed::Nodes(lines) => Some(lines),
        _ => None,
    });
    for line in lines.flatten() {
        if !maps.iter().any(|map| same(map, &line.node)) {
            maps.push(line.node.clone());
        }
    }
    let mut wrong = vec![];
    for (place, wire) in array.wiring.iter().enumerate() {
        for (what, feed) in wrong_feeds(array, &wire.feed, &maps) {
            let unchanged = match (&feed, &wire.feed) {
                (Feed::Nodes(new), Feed::Nodes(old)) => new.iter().zip(old).all(|(new, old)| {
                    (&new.output, new.bit) == (&old.output, old.bit) && same(&new.node, &old.node)
                }),
                _ => false,
            };
            if !unchanged {
                let mut array = array.clone();
                array.wiring[place].feed = feed;
                wrong.push((format!("{}: {what}", wire.input), array));
            }
        }
    }
    wrong
}

/// Checks the machine, and returns the wrong machines that pass the same check.
fn undetected(array: &Array, check: impl Fn(&Array)) -> Vec<String> {
    check(array);
    let wrong = wrong_machines(array);
    assert!(wrong.len() > 5, "{} wrong machines", wrong.len());
    let passes = |wrong: &Array| catch_unwind(AssertUnwindSafe(|| check(wrong))).is_ok();
    let passed = wrong.into_iter().filter(|(_, wrong)| passes(wrong));
    passed.map(|(what, _)| what).collect()
}

fn lockstep(array: &Array) -> impl NodeEngine {
    array.lockstep(&LaneOptions::default()).unwrap()
}

fn cube(dims: u64) -> Hypercube {
    Hypercube::new(dims).unwrap()
}

/// Runs messages between these pairs on a cube, for at most `limit` superframes.
fn run_cube(
    engine: &mut dyn NodeEngine,
    circuit: &CubeCircuit,
    faults: &CubeFaults,
    pairs: impl Iterator<Item = (u32, u32)>,
    limit: u64,
) -> RunStats {
    let message = |(i, (source, destination)): (usize, (u32, u32))| Message {
        source,
        destination,
        payload: vec![i as u8, 0xA5, source as u8],
    };
    let messages: Vec<Message> = pairs.enumerate().map(message).collect();
    let load = Load { keep_events: true, ..Load::at_once(MessageList::from(&messages[..])) };
    let mut driver = CubeDriver::new(engine, circuit, faults, &load);
    let period = circuit.schedule().period().into();
    let control = RunControl { limit, ..RunControl::to_end(period, Some(DEADLOCK_AFTER)) };
    drive(&mut driver, control).unwrap()
}

/// Checks that bit reversal on the 4-cube has the log of the golden file.
fn check_golden_cube(array: &Array, circuit: &CubeCircuit) {
    let golden = include_str!("../../../sim/golden/tdma_n4_bitrev_credit.json");
    let golden: Value = serde_json::from_str(golden).unwrap();
    let reversed = |source: u32| (source, source.reverse_bits() >> 28);
    let faults = CubeFaults::default();
    let pairs = (0..16).map(reversed);
    let superframes = golden["last_phase"].as_u64().unwrap() / 8 + 2;
    let mut engine = lockstep(array);
    let run = run_cube(&mut engine, circuit, &faults, pairs, superframes);
    let log = run.events.iter().map(|event| {
        // The golden file does not number the messages.
        let mut event = serde_json::to_value(event).unwrap();
        event.as_object_mut().unwrap().remove("message");
        event
    });
    assert_eq!(golden["log"], log.collect::<Value>());
    assert_eq!(run.undetected + run.duplicated, 0);
}

#[test]
fn the_golden_log_shows_every_wrong_wire_of_a_cube() {
    let circuit = CubeCircuit::new(cube(4), 4, true).unwrap();
    let circuit = circuit.with_order(ServiceOrder::Ascending);
    let mut array = circuit.array().unwrap();
    // No two nodes of a cube without slips hold the same wire, so its messages do not show a fault
    // of this input, which feeds a counter only.
    array.wiring.retain(|wire| wire.input != "other_holds");
    let found = undetected(&array, |array| check_golden_cube(array, &circuit));
    assert_eq!(found, [""; 0]);
}

/// Compares the levels and clashes that both ends of each wire see with the pulls of both nodes.
struct WireEnds {
    cube: Hypercube,
    ports: [NodePortId; 4],
    /// By dimension.
    clashes: [u32; 3],
}

impl Observer for WireEnds {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        let [pull, holds, level, clash] = self.ports.map(|port| {
            let mut words = vec![];
            engine.get_all(port, &mut words);
            words
        });
        for node in self.cube.addresses() {
            for dim in 0..self.cube.dims() {
                let ends = [node, node ^ 1 << dim];
                let both = |words: &[u64]| ends.map(|node| words[node as usize] >> dim & 1 == 1);
                let (seen, reported) = (both(&level)[0], both(&clash)[0]);
                let place = (clock, node, dim);
                assert_eq!(seen, both(&pull) == [false; 2], "level at {place:?}");
                assert_eq!(reported, both(&holds) == [true; 2], "clash at {place:?}");
                self.clashes[dim as usize] += u32::from(reported);
            }
        }
        Ok(())
    }
}

/// Checks both ends of all wires while three nodes have slipped. Each then holds a wire of another
/// dimension at the same time as its neighbour.
fn check_wire_ends(array: &Array, circuit: &CubeCircuit) {
    let mut engine = lockstep(array);
    let mut ends = WireEnds {
        cube: cube(3),
        ports: ["pull", "holds", "level", "clash"].map(|port| engine.port(port)),
        clashes: [0; 3],
    };
    let faults = CubeFaults {
        slips: [0, 4, 3].map(|node| Slip { node, t: 0 }).to_vec(),
        ..CubeFaults::default()
    };
    // A slipped node and its neighbour begin with messages for each other. Nodes 2 and 5 hold a wire
    // alone.
    let (there, back) = ([(0, 1), (4, 6), (3, 7)], [(1, 0), (6, 4), (7, 3)]);
    let pairs = there.into_iter().chain(back).chain([(2, 3), (5, 1)]);
    let mut observed = ObservedEngine::new(&mut engine, vec![&mut ends]);
    run_cube(&mut observed, circuit, &faults, pairs, 4);
    assert!(
        ends.clashes.iter().all(|clashes| *clashes > 0),
        "no two nodes hold a wire at once in some dimension: {:?}",
        ends.clashes
    );
}

#[test]
fn both_ends_of_a_cubes_wire_see_both_nodes() {
    let circuit = CubeCircuit::new(cube(3), 4, true).unwrap();
    let circuit = circuit.with_sync(SyncSource::Local);
    let array = circuit.array().unwrap();
    let mut found = undetected(&array, |array| check_wire_ends(array, &circuit));
    // The order of the phases is not a matter of the wires between nodes.
    found.retain(|what| !what.starts_with("phase_clock: "));
    assert_eq!(found, [""; 0]);
}

/// Draws messages between different nodes, two from each node, with different payloads.
fn drawn(nodes: u32, payload: usize) -> Vec<Message> {
    let mut random = SplitMix64::new(3);
    let mut draw = |i: u32| Message {
        source: i % nodes,
        destination: (i + 1 + random.below(u64::from(nodes) - 1) as u32) % nodes,
        payload: [vec![i as u8], vec![!(i as u8); payload]].concat(),
    };
    (0..2 * nodes).map(&mut draw).collect()
}

/// Checks the clock cycle in which each message arrives, and the bytes between nodes.
fn check_bytes(
    array: &Array,
    shape: Arc<dyn ByteShape>,
    messages: &[Message],
    (arrivals, crossings): (&[Option<u64>], u64),
) {
    let load = Load::at_once(MessageList::from(messages));
    let mut engine = lockstep(array);
    let mut driver = ByteDriver::new(&mut engine, shape, 1, &load);
    let last = arrivals.iter().flatten().max().unwrap();
    let control = RunControl {
        limit: last + 100,
        ..RunControl::to_end(1, Some(ByteDriver::QUIESCENT_AFTER))
    };
    let run = drive(&mut driver, control).unwrap();
    let wanted = arrivals.iter().map(|at| Delivery::Delivered { t: at.unwrap() as u32 });
    assert_eq!(run.deliveries, wanted.collect::<Vec<_>>());
    assert_eq!(run.figure("bytes"), crossings);
    assert_eq!(run.undetected + run.duplicated, 0);
}

#[test]
fn the_model_shows_every_wrong_wire_of_a_torus() {
    let radices = [4, 3];
    let plan = TorusPlan { dims: 2, dims_per_chip: 2, channels: 2, queue: 4, tail: Tail::Zero };
    let shape = TorusShape::new(Torus::new(&radices).unwrap());
    let shape = shape.with(plan).unwrap();
    let model = TorusModelMachine {
        radices: radices.to_vec(),
        channels: 2,
        queue: 4,
        vc_change: TorusModelVcChange::AtZero,
        format: ModelTailFormat::Zero,
        per_chip: 2,
    };
    let messages = drawn(12, 3);
    let packet = |m: &Message| TorusModelPacket {
        source: m.source,
        destination: m.destination,
        payload: m.payload.clone(),
    };
    let wanted = model.run(&messages.iter().map(packet).collect::<Vec<_>>());
    let array = TorusCircuit::new(shape.clone()).array().unwrap();
    let found = undetected(&array, |array| {
        let wanted = (&wanted.delivered[..], wanted.crossings);
        check_bytes(array, Arc::new(shape.clone()), &messages, wanted);
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_model_shows_every_wrong_wire_of_rotation_switches() {
    let model = RotationModelMachine {
        dims: 3,
        channels: 2,
        queue: 4,
        rule: RotationModelRule::Minimal,
        serial: false,
    };
    let shape = RotationShape::new(cube(3));
    let plan =
        RotationPlan { dims: 3, channels: 2, queue: 4, first: FirstHop::Table, ..shape.plan() };
    let shape = shape.with(plan).unwrap();
    let messages = drawn(8, 3);
    let packet = |m: &Message| RotationModelPacket {
        source: m.source,
        destination: m.destination,
        payload: m.payload.clone(),
    };
    let wanted = model.run(&messages.iter().map(packet).collect::<Vec<_>>());
    let array = RotationCircuit::new(shape).array().unwrap();
    let found = undetected(&array, |array| {
        let wanted = (&wanted.delivered[..], wanted.crossings);
        check_bytes(array, Arc::new(shape), &messages, wanted);
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_model_shows_every_wrong_cube_wire_of_a_cm1() {
    let model =
        Cm1ModelMachine { dims: 3, rows: 7, processors: 4, eject: Cm1ModelEject::Or, timeout: 40 };
    let format = MessageFormat { dims: 3, proc_bits: 2, vp_bits: 2, data_bits: 12 };
    let shape = Cm1Shape { rows: 7, format };
    let circuit = Cm1Circuit::new(shape, PetitPlan::new(format, EjectMode::Or)).unwrap();
    let mut random = SplitMix64::new(1);
    let pairs: Vec<(u32, u32)> = (0..64).map(|i| (i % 32, random.below(32) as u32)).collect();
    let message = |(i, (source, destination)): (usize, &(u32, u32))| Cm1Message {
        source: *source,
        destination: *destination,
        vp: i as u32 % 4,
        data: (i as u16).to_le_bytes().to_vec(),
    };
    let messages: Vec<Cm1Message> = pairs.iter().enumerate().map(message).collect();
    let wanted = models::cm1::run(model, &pairs, 20_000);
    let found = undetected(&circuit.array().unwrap(), |array| {
        let (mut engine, faults) = (lockstep(array), Cm1Faults::default());
        let mut driver = Cm1Driver::new(&mut engine, &circuit, &faults, &messages, &[]);
        driver.timeout = model.timeout;
        let control = RunControl { limit: wanted.petit_cycles + 20, ..RunControl::to_end(1, None) };
        let run = drive(&mut driver, control).unwrap();
        let petit = |delivery: &Delivery| delivery.arrival_step().map(u64::from);
        let arrivals: Vec<Option<u64>> = run.deliveries.iter().map(petit).collect();
        assert_eq!(arrivals, wanted.delivered);
        assert_eq!((run.hops, run.undetected), (wanted.hops, 0));
    });
    // The messages of this run do not need the other strobes of the control: they drain the router,
    // eject by banks, or come early enough in any case.
    let shown = |what: &&String| {
        let inputs = ["cube_in: ", "start: ", "cube: ", "proc: "];
        inputs.iter().any(|input| what.starts_with(input))
    };
    assert_eq!(found.iter().filter(shown).collect::<Vec<_>>(), [""; 0]);
}
