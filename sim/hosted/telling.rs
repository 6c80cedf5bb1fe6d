//! What boards say of runs, against what the simulator makes of the same messages.

use crate::hosted::board::Boards;
use crate::hosted::text::number;
use lockstep::design::Design;
use phasecube::board::lines::Line;
use phasecube::board::{expected, Transcript};

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

/// What boards of this design, whose network is called so, say to these commands, a board
/// for each; and their lights.
pub fn told(
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
    let said = boards.until_ready();
    let transcripts = banners.iter().zip(&said).map(|(banner, said)| {
        println!("{said:#?}");
        assert_eq!(banner, &[hello.as_str(), "ready"]);
        let mut transcript = Transcript::default();
        for line in banner.iter().chain(said) {
            transcript.enter(&Line::read(line));
        }
        assert_eq!(transcript.other, 0);
        transcript
    });
    let transcripts = transcripts.collect();
    let lights = (0..commands.len()).map(|board| boards.lights(board));
    (transcripts, lights.collect())
}

/// A run of every pattern is told as the simulator tells it.
pub fn every_pattern(network: &str, design: &Design) {
    let (transcripts, lights) = told(network, design, &COMMANDS);
    for (((pattern, seed), transcript), lights) in COMMANDS.iter().zip(transcripts).zip(lights) {
        let [run] = &transcript.runs[..] else {
            panic!("one run was asked for: {transcript:?}");
        };
        assert_eq!(
            (&run.traffic.pattern[..], run.traffic.seed),
            (*pattern, number(seed))
        );
        assert_eq!(transcript.fault(), None, "{pattern}");
        assert_eq!(run.network.as_deref(), Some(network));
        let simulated = expected::of(run).unwrap();
        assert_eq!(expected::difference(run, &simulated), None, "{pattern}");
        // The lines come in the order of their arrival.
        assert!(run.arrivals.windows(2).all(|two| two[0].t <= two[1].t));
        // No error, done, and no run under way.
        assert_eq!(lights & !1, 4, "{pattern}");
        println!("{run}");
    }
}
