//! The published image of the 3-cube, unpacked and simulated, against the circuit
//! that the sources make now.

use crate::tools::{builds, design, TOOLS};
use crate::twin::Twin;
use phasecube::board::lines::Line;
use phasecube::board::virtual_board::{Seen, VirtualBoard};
use phasecube::board::{Board, BoardDesignName};
use phasecube::machine::hosted::Terminal;
use phasecube::rtl::shared::HOST_CLOCKS;

/// Clock cycles in which a command is done, or never will be.
const PATIENCE: usize = 10_000_000;

/// The circuit with a terminal at its line, until it is ready after the last of the
/// commands: the levels of both lines and the lights in each clock cycle, and what
/// was said.
fn talk(commands: &[&str]) -> (Vec<bool>, Vec<Seen>, Vec<String>) {
    let mut twin = Twin::new(design(BoardDesignName::Cube, 3).circuit());
    let mut terminal = Terminal::new(HOST_CLOCKS);
    let (mut rx, mut seen, mut said) = (vec![], vec![], vec![]);
    let mut left = commands.iter();
    while rx.len() < PATIENCE {
        for _ in 0..1000 {
            rx.push(terminal.level());
            let pins = twin.step(rx[rx.len() - 1]);
            terminal.hear(pins.tx);
            seen.push(pins);
        }
        let lines = terminal.lines();
        let ready = lines.iter().any(|line| Line::read(line) == Line::Ready);
        said.extend(lines);
        if ready {
            match left.next() {
                Some(command) => terminal.send(&format!("{command}\n")),
                None => return (rx, seen, said),
            }
        }
    }
    panic!("it is not ready: {said:#?}");
}

/// For two patterns the host port says exactly what it says in the simulation of the
/// circuit, in every clock cycle, and the lights show the same; and it is a good run.
#[test]
fn the_image_says_what_the_circuit_says() {
    let (rx, expected, said) = talk(&["complement 7", "permutation 0x2a"]);
    let lines: Vec<Line> = said.iter().map(|line| Line::read(line)).collect();
    let done: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Done(done) => Some(done),
            _ => None,
        })
        .collect();
    assert_eq!(done.len(), 2, "{said:#?}");
    for done in done {
        assert_eq!(
            (done.delivered, done.lost, done.wrong),
            (8, 0, 0),
            "{said:#?}"
        );
    }
    let image = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/bitstreams/alchitry-cu-cube3.bin"
    );
    let image = std::fs::read(image).unwrap();
    let mut board = VirtualBoard::new(&TOOLS, Board::AlchitryCu, &image, builds()).unwrap();
    assert_eq!(board.clock_mhz(), 25.0);
    let seen = board.run(&rx).unwrap();
    for (i, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
        assert_eq!(seen, expected, "in clock cycle {i} of {}", rx.len());
    }
}
