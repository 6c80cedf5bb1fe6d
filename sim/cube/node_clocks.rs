//! Nodes with their own clocks. While they agree on the time to within a bit-time, they behave as
//! with a common clock. Otherwise frames are lost and wires are driven at both ends, but every
//! message is still accounted for.

use crate::cube::messages;
use crate::support::array_runs;
use crate::support::cube_runs;
use crate::support::whole_runs::{self, alive_but, OutputTrace};
use lockstep::lanes::LaneOptions;
use phasecube::engine::{ByNode, CircuitEngine, NodeEngine};
use phasecube::machine::{Delivery, EndReason, MachineCircuit, RunStats};
use phasecube::networks::tdma::cube::{
    ClockSpread, CubeCircuit, CubeFaults, NodeClock, Skew, Slip, SyncSource,
};
use phasecube::report::OutputProbe;
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;

/// Clock cycles in a bit-time.
const BIT: u64 = 8;

/// Clock cycles by which the phase clock may reach one end of a link later than the other. The
/// receiver's window opens that much later, and must still contain the start bit.
const TOLERATED: u64 = BIT - 1;

/// Clock cycles from the release of the wire by the sender to its use by the receiver: turnaround,
/// two bit-times, and half of the circuits' reaction time.
const BETWEEN: u64 = 3 * BIT;

fn circuit(dims: u32) -> CubeCircuit {
    CubeCircuit::new(Hypercube::of(dims), 4, true).unwrap()
}

fn run_on(
    engine: &mut dyn NodeEngine,
    circuit: &CubeCircuit,
    slips: &[Slip],
    messages: &[Message],
    limit: u64,
) -> RunStats {
    let disturbance = CubeFaults { slips: slips.to_vec(), ..CubeFaults::default() };
    cube_runs::run_for(engine, circuit, &disturbance, messages, limit)
}

/// Runs on the lockstep engine, with these clocks or with a common clock.
fn run(circuit: &CubeCircuit, clocks: Option<&[NodeClock]>, messages: &[Message]) -> RunStats {
    let circuit = match clocks {
        Some(clocks) => circuit.clone().with_node_clocks(clocks),
        None => circuit.clone(),
    };
    let mut engine = circuit.array().unwrap().lockstep(&LaneOptions::default()).unwrap();
    run_on(&mut engine, &circuit, &[], messages, u64::MAX)
}

/// Returns random clocks for a circuit.
fn drawn(circuit: &CubeCircuit, skew: Skew, ppm: f64, seed: u64) -> Vec<NodeClock> {
    let timing = circuit.timing();
    let (nodes, phase) = (circuit.shape().nodes(), timing.clock_cycles());
    let spread = ClockSpread { skew, ppm };
    let clocks = spread.clocks(nodes, phase, timing.clocks_per_bit, seed);
    clocks.unwrap()
}

fn each(bit_times: f64) -> Skew {
    Skew::Each { bit_times }
}

/// Returns clocks in which the phase clock is late at one end of every link: at the nodes with an
/// odd number of address bits set.
fn late_ends(nodes: u32, delay: u64) -> Vec<NodeClock> {
    let clock = |node: u32| NodeClock {
        delay: u64::from(node.count_ones() % 2) * delay,
        ..NodeClock::default()
    };
    (0..nodes).map(clock).collect()
}

/// Returns messages from every node to four destinations, which may include itself.
fn traffic(dims: u32) -> Vec<Message> {
    let nodes = 1 << dims;
    let pairs: Vec<(u32, u32)> =
        (0..nodes).flat_map(|s| [1, 3, 5, 7].map(|k| (s, (s * k + k) % nodes))).collect();
    messages(&pairs)
}

/// The message log equals the log with a common clock, event by event.
#[test]
fn skew_within_a_bit_time_changes_nothing() {
    for dims in [2, 3] {
        let circuit = circuit(dims);
        let messages = traffic(dims);
        let expected = run(&circuit, None, &messages);
        let most = TOLERATED as f64 / BIT as f64;
        for (skew, ppm) in
            [(each(0.0), 0.0), (each(most), 0.0), (each(0.0), 200.0), (each(most / 2.0), 1000.0)]
        {
            let clocks = drawn(&circuit, skew, ppm, 7);
            let found = run(&circuit, Some(&clocks), &messages);
            let which = format!("{dims} dimensions, {skew:?}, {ppm} ppm");
            assert_eq!(found.events, expected.events, "{which}");
            assert_eq!(found.notes, expected.notes, "{which}");
            assert_eq!(found.figure("clashes") + found.figure("slips"), 0, "{which}");
            assert_eq!(found.end, EndReason::Complete, "{which}");
        }
    }
}

/// A delay of one bit-time is too much. A wire is driven at both ends only if the delay exceeds the
/// turnaround.
#[test]
fn a_start_bit_is_missed_long_before_a_wire_is_held_twice() {
    let circuit = circuit(3);
    let messages = traffic(3);
    for delay in [0, 1, TOLERATED, BIT, 2 * BIT, BETWEEN, BETWEEN + BIT, 5 * BIT] {
        let run = run(&circuit, Some(&late_ends(8, delay)), &messages);
        let home = |delivery: &&Delivery| matches!(delivery, Delivery::Delivered { .. });
        let home = run.deliveries.iter().filter(home).count();
        assert_eq!(home == messages.len(), delay <= TOLERATED, "{delay}");
        assert_eq!(run.figure("silences") == 0, delay <= TOLERATED, "{delay}");
        assert_eq!(run.figure("clashes") == 0, delay <= BETWEEN, "{delay}");
        let open = |delivery: &Delivery| *delivery == Delivery::UnderWay;
        assert!(!run.deliveries.iter().any(open), "{delay}: all are accounted for");
        assert_eq!(run.duplicated + run.undetected, 0, "{delay}");
    }
}

/// Runs the case on which engines are compared: frequently missed edges, a skew that is too large
/// for some nodes, and a slip. Each node sends to its neighbour and to the opposite node.
fn probed(engine: &mut dyn CircuitEngine, circuit: &CubeCircuit, superframes: u64) -> OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let slip = Slip { node: 2, t: 5 };
    let mut nodes = ByNode::new(&mut probe, 4);
    let pairs: Vec<(u32, u32)> = (0..4).flat_map(|s| [(s, s ^ 1), (s, !s & 3)]).collect();
    let messages = messages(&pairs);
    run_on(&mut nodes, circuit, &[slip], &messages, superframes);
    probe.into_trace()
}

fn with_drawn_clocks(circuit: CubeCircuit) -> CubeCircuit {
    let clocks = drawn(&circuit, each(1.5), 50_000.0, 3);
    circuit.with_node_clocks(clocks)
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn four_engines_agree() {
    let circuit = with_drawn_clocks(circuit(2));
    let outputs =
        array_runs::agree(&circuit.array().unwrap(), |engine| probed(engine, &circuit, 4));
    alive_but(&outputs, &["missed_deadline", "slips", "clash", "out_reason", "frame"]);
}

/// Nodes with their own clocks can also count phases themselves.
#[test]
#[ignore = "thorough: four engines on a whole run"]
fn reference_and_lockstep_agree_without_a_common_sync() {
    let circuit = with_drawn_clocks(circuit(2).with_sync(SyncSource::Local));
    let array = circuit.array().unwrap();
    whole_runs::same(
        array.reference().unwrap().circuit(),
        &mut [("lockstep", &mut array_runs::lockstep(&array))],
        |engine| probed(engine, &circuit, 2),
    );
}
