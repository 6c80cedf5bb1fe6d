//! Reports of boards, compared with the simulator's results for the same messages. The simulated
//! machine has nodes with hardware forwarders.

use crate::hosted::text::number;
use crate::hosted::{circuit_of, Boards};
use crate::support::cube_runs;
use lockstep::design::Design;
use lockstep::lanes::LaneOptions;
use phasecube::board::lines::BoardTextLine;
use phasecube::board::{expected, Transcript};
use phasecube::machine::{MachineCircuit, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeFaults};
use phasecube::rtl::hosted::HostedShape;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, Recipe};

const COMMANDS: [(&str, &str); 8] = [
    ("xor:5", "7"),
    ("complement", "0x1"),
    ("bitrev", "2"),
    ("shuffle", "3"),
    ("permutation", "42"),
    ("random", "0x123456789abcdef"),
    ("hotspot", "4"),
    ("relation:8", "6"),
];

/// Runs one board of the design for each command. `network` is the network's name. Returns the
/// reports and the LEDs.
pub fn board_reports(
    network: &str,
    design: &Design,
    commands: &[(&str, &str)],
) -> (Vec<Transcript>, Vec<u64>) {
    let mut boards = Boards::of(design, commands.len());
    let hello = format!("phasecube {network} nodes=8");
    let banners = boards.until_ready();
    for ((pattern, seed), terminal) in commands.iter().zip(&mut boards.terminals) {
        terminal.send(format!("{pattern} {seed}\n"));
    }
    let printed = boards.until_ready();
    let transcripts = banners.iter().zip(&printed).map(|(banner, printed)| {
        println!("{printed:#?}");
        assert_eq!(banner, &[hello.as_str(), "ready"]);
        let mut transcript = Transcript::default();
        for line in banner.iter().chain(printed) {
            transcript.push(&BoardTextLine::parse(line));
        }
        assert_eq!(transcript.other, 0);
        transcript
    });
    let transcripts = transcripts.collect();
    let lights = (0..commands.len()).map(|board| boards.lights(board));
    (transcripts, lights.collect())
}

/// Checks a run of every pattern against the simulator.
pub fn every_pattern(network: &str, design: &Design) {
    let (transcripts, lights) = board_reports(network, design, &COMMANDS);
    for (((pattern, seed), transcript), lights) in COMMANDS.iter().zip(transcripts).zip(lights) {
        let [run] = &transcript.runs[..] else {
            panic!("one run was requested: {transcript:?}");
        };
        assert_eq!((&run.traffic.pattern[..], run.traffic.seed), (*pattern, number(seed)));
        assert_eq!(transcript.fault(), None, "{pattern}");
        assert_eq!(run.network.as_deref(), Some(network));
        let simulated = expected::expected_run(run).unwrap();
        assert_eq!(expected::difference(run, &simulated), None, "{pattern}");
        // Lines are in order of arrival.
        assert!(run.arrivals.windows(2).all(|two| two[0].t <= two[1].t));
        // The LEDs for the end of a run, without an error and with no run active.
        assert_eq!(lights & !1, 4, "{pattern}");
        println!("{run}");
    }
}

/// Payload bytes of the board's messages.
const PAYLOAD: usize = 8;

/// Returns the messages of a pattern in a cube, as `phasecube run` creates them.
pub fn messages(dims: u32, pattern: &str, seed: u64) -> Vec<Message> {
    let recipe = Recipe {
        pattern: pattern.parse().unwrap(),
        seed,
        payload: PAYLOAD,
        order: ExchangeOrder::Pairs,
    };
    recipe.messages(Hypercube::of(dims)).unwrap()
}

/// Runs the messages in the machine.
pub fn run(dims: u32, messages: &[Message]) -> RunStats {
    let cube = Hypercube::of(dims);
    let circuit = CubeCircuit::new(cube, PAYLOAD, true).unwrap();
    let mut engine = circuit.array().unwrap().lockstep(&LaneOptions::default()).unwrap();
    cube_runs::run(&mut engine, &circuit, &CubeFaults::default(), messages)
}

/// Every message is delivered in the same phase as in the machine of forwarders, and the counters
/// are equal.
#[test]
#[ignore = "thorough: long runs"]
fn every_pattern_is_reported_as_by_the_simulator() {
    let circuit = circuit_of(HostedShape::Metacube);
    every_pattern("metacube", &circuit.design().unwrap());
}
