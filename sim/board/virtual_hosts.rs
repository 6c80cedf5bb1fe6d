//! The published images that contain a host. Their bits are simulated and compared with the
//! circuits from the present sources. `virtual_echo` compares netlist and bits, because that is
//! quick there.

use crate::board::board_reference::BoardReference;
use crate::board::tools::{design, virtual_board};
use phasecube::board::lines::BoardTextLine;
use phasecube::board::virtual_board::BoardOutputs;
use phasecube::board::{expected, BoardDesign, BoardDesignName, Transcript};
use phasecube::networks::tdma::hosted::Terminal;
use phasecube::program::ByteNetwork;
use phasecube::rtl::hosted::HOST_CLOCKS;

/// Clock cycles after which a command has failed.
const PATIENCE: usize = 50_000_000;

/// Runs the circuit with a terminal on its line until it is ready after the last command. Returns
/// the levels of the line to it, its outputs in each clock cycle, and the lines that it sent.
pub fn run_session(
    design: &BoardDesign,
    commands: &[&str],
) -> (Vec<bool>, Vec<BoardOutputs>, Vec<String>) {
    let mut twin = BoardReference::new(design.circuit());
    let mut terminal = Terminal::new(HOST_CLOCKS);
    let (mut rx, mut seen, mut said) = (vec![], vec![], vec![]);
    let mut left = commands.iter();
    while rx.len() < PATIENCE {
        for _ in 0..1000 {
            rx.push(terminal.level());
            let pins = twin.step(rx[rx.len() - 1]);
            terminal.sample(pins.tx);
            seen.push(pins);
        }
        let lines = terminal.lines();
        let ready = lines
            .iter()
            .any(|line| BoardTextLine::parse(line) == BoardTextLine::Ready);
        said.extend(lines);
        if ready {
            match left.next() {
                Some(command) => terminal.send(format!("{command}\n")),
                None => return (rx, seen, said),
            }
        }
    }
    panic!("it is not ready: {said:#?}");
}

/// Checks that the published image shows the same line and lights as the simulated circuit in every
/// clock cycle. Returns the lines that it sent.
fn image_matches_circuit(name: BoardDesignName, commands: &[&str]) -> Vec<BoardTextLine> {
    image_matches_circuit_of(name, name.dims().first().copied().unwrap_or(0), commands)
}

/// Like `image_matches_circuit`, for a cube of `dims` dimensions.
fn image_matches_circuit_of(
    name: BoardDesignName,
    dims: u32,
    commands: &[&str],
) -> Vec<BoardTextLine> {
    let design = design(name, dims);
    let (rx, expected, said) = run_session(&design, commands);
    println!("{}: {} clock cycles: {said:#?}", design.name(), rx.len());
    let image = format!(
        "{}/bitstreams/alchitry-cu-{}.bin",
        env!("CARGO_MANIFEST_DIR"),
        design.name()
    );
    let image = std::fs::read(image).unwrap();
    let mut board = virtual_board(&image);
    assert_eq!(board.clock_mhz(), 25.0);
    let seen = board.run(&rx).unwrap();
    assert_eq!(seen.len(), expected.len());
    for (i, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
        assert_eq!(seen, expected, "in clock cycle {i} of {}", rx.len());
    }
    said.iter().map(|line| BoardTextLine::parse(line)).collect()
}

/// Two runs without faults.
#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_cube_image_behaves_like_the_circuit() {
    let commands = ["complement 7", "permutation 0x2a"];
    let lines = image_matches_circuit(BoardDesignName::Cube, &commands);
    let counts = lines.iter().filter_map(|line| match line {
        BoardTextLine::Done(done) => Some((done.delivered, done.lost, done.wrong)),
        _ => None,
    });
    let counts: Vec<_> = counts.collect();
    assert_eq!(counts, [(8, 0, 0); 2], "{lines:#?}");
}

/// Sixteen nodes. The simulated machine reports the same result.
#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_four_cube_image_behaves_like_the_circuit() {
    let lines = image_matches_circuit_of(BoardDesignName::Cube, 4, &["complement 7"]);
    let mut transcript = Transcript::default();
    lines.iter().for_each(|line| transcript.push(line));
    assert_eq!(transcript.banner.as_deref(), Some("cube nodes=16"));
    assert_eq!(transcript.fault(), None);
    assert_eq!(transcript.runs.len(), 1);
    let simulated = expected::expected_run(&transcript.runs[0]).unwrap();
    assert_eq!(expected::difference(&transcript.runs[0], &simulated), None);
}

/// One pattern through both networks. The simulated machines, which have neither core nor program,
/// report the same results.
#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_comparison_image_behaves_like_the_circuit() {
    let lines = image_matches_circuit(BoardDesignName::Compare, &["permutation 0x2a"]);
    let mut transcript = Transcript::default();
    lines.iter().for_each(|line| transcript.push(line));
    assert_eq!(transcript.banner.as_deref(), Some("compare nodes=8"));
    assert_eq!(transcript.fault(), None);
    let [run] = &transcript.runs[..] else {
        panic!("one run was asked for: {transcript:#?}");
    };
    let simulated = expected::expected_run(run).unwrap();
    assert_eq!(expected::difference(run, &simulated), None);
    println!("{transcript}");
}

/// The image answers a line of text in text. `host` tests its framed protocol.
#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_programs_image_behaves_like_the_circuit() {
    let lines = image_matches_circuit(BoardDesignName::Programs, &["complement 7"]);
    let mut transcript = Transcript::default();
    lines.iter().for_each(|line| transcript.push(line));
    assert_eq!(transcript.banner.as_deref(), Some("programs nodes=8"));
    assert_eq!(transcript.refused, 1, "{transcript:#?}");
    let said = |line: &BoardTextLine| matches!(line, BoardTextLine::Error(text) if text.contains("frames of host protocol 1"));
    assert!(lines.iter().any(said), "{lines:#?}");
}

#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_metacube_image_behaves_like_the_circuit() {
    report_matches_simulation(BoardDesignName::Metacube, "metacube");
}

#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_torus_image_behaves_like_the_circuit() {
    report_matches_simulation(BoardDesignName::Bytes(ByteNetwork::Torus), "torus");
}

#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_rotation_image_behaves_like_the_circuit() {
    report_matches_simulation(BoardDesignName::Bytes(ByteNetwork::Rotation), "rotation");
}

/// Compares the report with the simulated machine. One pattern only, because these images are slow.
/// `hosted` runs more patterns on the circuits.
fn report_matches_simulation(design: BoardDesignName, network: &str) {
    let commands = ["permutation 0x2a"];
    let lines = image_matches_circuit(design, &commands);
    let mut transcript = Transcript::default();
    lines.iter().for_each(|line| transcript.push(line));
    let banner = format!("{network} nodes=8");
    assert_eq!(transcript.banner, Some(banner));
    assert_eq!(transcript.fault(), None);
    assert_eq!(transcript.runs.len(), commands.len());
    for run in &transcript.runs {
        let simulated = expected::expected_run(run).unwrap();
        assert_eq!(expected::difference(run, &simulated), None);
    }
}
