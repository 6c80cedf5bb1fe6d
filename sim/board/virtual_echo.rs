//! The image of `echo`: its netlist and its bits are simulated and compared with its circuit.

use crate::board::{build, design, virtual_board, virtual_boards, BoardReference};
use hdl::prelude::*;
use phasecube::board::lines::BoardTextLine;
use phasecube::board::manifest::{sha256, Manifest, ManifestEntry};
use phasecube::board::virtual_board::{BoardOutputs, VirtualBoard, FIRST_EDGE};
use phasecube::board::{
    expected, source_sha256, Board, BoardDesign, BoardDesignName, BuildError, Transcript,
};
use phasecube::networks::tdma::hosted::Terminal;
use phasecube::program::ByteNetwork;
use phasecube::rtl::board::Echo;
use phasecube::rtl::hosted::HOST_CLOCKS;
use phasecube::traffic::SplitMix64;
use phasecube::wave::decode_uart;
use std::path::Path;

fn boards() -> Vec<(&'static str, VirtualBoard)> {
    let built = build(&design(BoardDesignName::Echo, 0)).unwrap();
    virtual_boards(&built.image)
}

const CLOCKS: usize = 25;

/// Returns the levels of the line for bytes sent without a gap.
fn levels(bytes: &[u8]) -> Vec<bool> {
    let bits = bytes.iter().flat_map(|byte| {
        let data = (0..8).map(move |bit| byte >> bit & 1 == 1);
        [false].into_iter().chain(data).chain([true])
    });
    bits.flat_map(|bit| [bit; CLOCKS]).collect()
}

/// In every clock cycle the image shows the circuit's outputs, on bytes and on noise.
#[test]
fn the_image_is_the_circuit_in_every_clock_cycle() {
    let mut random = SplitMix64::new(5);
    let mut rx = vec![true; 400];
    for _ in 0..40 {
        rx.extend(levels(&[random.next_u64() as u8]));
        rx.extend(vec![true; random.below(60) as usize]);
    }
    for _ in 0..300 {
        let level = random.below(2) == 1;
        rx.extend(vec![level; 1 + random.below(40) as usize]);
    }
    let changes = agree(&rx);
    assert!(changes > 40, "something was received");
}

/// The clock starts in exactly the right clock cycle. The line is low before, so the first byte
/// starts with the clock and its bits are noise.
#[test]
fn the_clock_begins_after_the_pll_has_locked() {
    let mut changes = 0;
    for seed in 0..10 {
        let mut random = SplitMix64::new(seed);
        let mut rx = vec![false; FIRST_EDGE + CLOCKS];
        rx.extend((0..9 * CLOCKS).map(|_| random.below(2) == 1));
        rx.extend([true; 20 * CLOCKS]);
        changes += agree(&rx);
    }
    assert!(changes >= 3, "some of it was taken for bytes");
}

/// Runs image and circuit, and compares them. Returns how often the LEDs changed.
fn agree(rx: &[bool]) -> usize {
    let circuit = design(BoardDesignName::Echo, 0);
    let expected = BoardReference::new(circuit.circuit()).run(rx);
    for (what, mut board) in boards() {
        for (i, (seen, expected)) in board.run(rx).unwrap().iter().zip(&expected).enumerate() {
            assert_eq!(seen, expected, "{what}, in clock cycle {i}");
        }
    }
    expected.windows(2).filter(|pair| pair[0].led != pair[1].led).count()
}

/// Each byte's answer is a word of a block RAM. The words are in the image, whatever order the
/// tools chose.
#[test]
fn the_block_ram_holds_the_table_of_the_circuit() {
    for (_, board) in boards() {
        answers_from_its_table(board);
    }
}

fn answers_from_its_table(mut board: VirtualBoard) {
    let bytes: Vec<u8> = (0..=255).collect();
    let answer = |byte: u8| match byte {
        b'a'..=b'z' => byte.to_ascii_uppercase(),
        b'A'..=b'Z' => byte.to_ascii_lowercase(),
        other => other,
    };
    let mut rx = vec![true; 400];
    rx.extend(levels(&bytes));
    rx.extend(vec![true; 20 * CLOCKS]);
    let tx: Vec<bool> = board.run(&rx).unwrap().iter().map(|seen| seen.tx).collect();
    let answers: Vec<u8> = decode_uart(&tx, CLOCKS).iter().map(|byte| byte.value).collect();
    let expected: Vec<u8> = bytes.iter().map(|byte| answer(*byte)).collect();
    assert_eq!(answers, expected);

    // 512 x 8: a word is the even or the odd bits of a row.
    let [ram] = board.rams() else {
        panic!("{} block RAMs", board.rams().len());
    };
    let word = |row: u16, odd: u16| (0..8).map(|i| (row >> (2 * i + odd) & 1) << i).sum::<u16>();
    let mut words: Vec<u16> = ram.iter().flat_map(|row| [word(*row, 0), word(*row, 1)]).collect();
    words.sort();
    let mut stored: Vec<u16> = expected.iter().map(|byte| u16::from(*byte)).collect();
    stored.extend(vec![0; 256]);
    stored.sort();
    assert_eq!(words, stored);
}

#[test]
fn the_pll_makes_the_clock_of_the_design() {
    for (what, board) in boards() {
        assert_eq!(board.clock_mhz(), 25.0, "{what}");
    }
}

/// The button resets all state, and the board works again afterwards.
#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_button_reloads_the_chip() {
    for (_, board) in boards() {
        reloads_on_button(board);
    }
}

fn reloads_on_button(mut board: VirtualBoard) {
    let mut rx = vec![true; 400];
    rx.extend(levels(b"k"));
    let seen = board.run(&rx).unwrap();
    assert_eq!(seen.last().unwrap().led, b'k');
    // Shorter than a press that the board accepts.
    board.press(true);
    board.run(&[true; 16_000]).unwrap();
    board.press(false);
    board.run(&[true; 1_000]).unwrap();
    assert_eq!(board.reloads(), 0);
    board.press(true);
    let seen = board.run(&[true; 17_000]).unwrap();
    assert_eq!(board.reloads(), 1);
    assert_eq!(seen.last().unwrap().led, 0);
    board.press(false);
    let seen = board.run(&rx).unwrap();
    assert_eq!(seen.last().unwrap().led, b'k');
    assert_eq!(board.reloads(), 1);
}

// The published images that contain a host. Their bits are simulated and compared with the
// circuits from the present sources. The tests of `echo` above compare netlist and bits, because
// that is quick there.

/// Clock cycles after which a session has failed.
const PATIENCE: usize = 200_000_000;

/// Runs a board and a model of it with the same line from a terminal until the board is ready after
/// the last command. Both show the same outputs in every clock cycle. Returns the lines that the
/// board sent. `board` and `model` return the outputs for levels of the line.
pub fn same_session(
    mut board: impl FnMut(&[bool]) -> Vec<BoardOutputs>,
    mut model: impl FnMut(&[bool]) -> Vec<BoardOutputs>,
    commands: &[&str],
) -> Vec<BoardTextLine> {
    let mut terminal = Terminal::new(HOST_CLOCKS);
    let (mut cycles, mut printed) = (0, vec![]);
    let mut left = commands.iter();
    while cycles < PATIENCE {
        let rx: Vec<bool> = (0..1000).map(|_| terminal.level()).collect();
        let (expected, seen) = (board(&rx), model(&rx));
        assert_eq!((expected.len(), seen.len()), (rx.len(), rx.len()));
        for (i, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
            assert_eq!(seen, expected, "in clock cycle {}", cycles + i);
            terminal.sample(expected.tx);
        }
        cycles += rx.len();
        if cycles % 1_000_000 == 0 {
            println!("{} million clock cycles", cycles / 1_000_000);
        }
        let lines = terminal.lines();
        lines.iter().for_each(|line| println!("clock cycle {cycles}: {line}"));
        let lines = lines.iter().map(|line| BoardTextLine::parse(line));
        let before = printed.len();
        printed.extend(lines);
        if printed[before..].contains(&BoardTextLine::Ready) {
            match left.next() {
                Some(command) => terminal.send(format!("{command}\n")),
                None => return printed,
            }
        }
    }
    panic!("it is not ready: {printed:#?}");
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
    let image =
        format!("{}/bitstreams/alchitry-cu-{}.bin", env!("CARGO_MANIFEST_DIR"), design.name());
    let mut image = virtual_board(&std::fs::read(image).unwrap());
    assert_eq!(image.clock_mhz(), 25.0);
    let mut reference = BoardReference::new(design.circuit());
    same_session(|rx| reference.run(rx), |rx| image.run(rx).unwrap(), commands)
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
        panic!("one run was requested: {transcript:#?}");
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
    assert_eq!(transcript.rejected, 1, "{transcript:#?}");
    let printed = |line: &BoardTextLine| matches!(line, BoardTextLine::Error(text) if text.contains("frames of host protocol 1"));
    assert!(lines.iter().any(printed), "{lines:#?}");
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

// The files in `bitstreams/` match the manifest and the sources.

fn published() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/bitstreams"))
}

#[test]
fn every_image_is_the_one_of_the_manifest() {
    let manifest = Manifest::read(published()).unwrap();
    assert!(!manifest.images.is_empty());
    let mut files: Vec<String> = std::fs::read_dir(published())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".bin"))
        .collect();
    files.sort();
    let entered: Vec<&str> = manifest.images.iter().map(|e| e.file.as_str()).collect();
    assert_eq!(files, entered);
    for entry in &manifest.images {
        let image = std::fs::read(published().join(&entry.file)).unwrap();
        assert_eq!(image.len(), entry.bytes);
        assert_eq!(sha256(&image), entry.sha256, "{}", entry.file);
        assert!(entry.fmax_mhz >= f64::from(entry.clock_mhz), "{}", entry.file);
    }
}

/// Dimensions of the largest cube that fits the chip of the published images. Larger cubes need
/// more block RAM than the chip has.
const LARGEST: u32 = 4;

/// Published images are built from the present sources, so that boards run what the other tests
/// check. On failure, publish them again.
#[test]
#[ignore = "thorough: builds all images"]
fn every_image_is_of_the_present_sources() {
    let designs = BoardDesignName::ALL.iter().flat_map(|(name, design_name)| {
        let dims = match design_name.dims() {
            [] => &[0],
            dims => dims,
        };
        let dims = dims.iter().filter(|dims| **dims <= LARGEST);
        dims.map(move |dims| (name, design(*design_name, *dims)))
    });
    // A 4-cube fits with the data of `cube`, and not with that of `programs`.
    let chip = Board::ALCHITRY_CU.flow.block_rams();
    let fits = |design: &BoardDesign| chip.for_design(design.circuit()) <= chip.available;
    let designs: Vec<_> = designs.filter(|(_, design)| fits(design)).collect();
    let manifest = Manifest::read(published()).unwrap();
    assert_eq!(manifest.images.len(), designs.len());
    for (name, design) in designs {
        let file = format!("alchitry-cu-{}.bin", design.name());
        let entry = manifest.find(&file).unwrap();
        assert_eq!(
            entry.source_sha256,
            source_sha256(Board::ALCHITRY_CU, &design).unwrap(),
            "run `cargo run --release -- build --design {name} --publish`"
        );
    }
}

/// The same sources and tools produce the same bytes.
#[test]
fn echo_can_be_built_again() {
    let built = build(&design(BoardDesignName::Echo, 0)).unwrap();
    let entry = ManifestEntry::new(&built);
    let manifest = Manifest::read(published()).unwrap();
    assert_eq!(manifest.find(&entry.file), Some(&entry));
    let image = std::fs::read(published().join(&entry.file)).unwrap();
    assert!(image == built.image, "other bytes of the same digest");
}

// A design that is too slow or too large for the chip produces no image.

#[test]
#[ignore = "thorough: places designs"]
fn a_missed_clock_frequency_is_rejected() {
    let echo = lower(&Echo::<200>::default()).unwrap();
    let design = BoardDesign::new("echo", echo, 200, 1_000_000).unwrap();
    let error = build(&design).unwrap_err();
    let BuildError::TooSlow { reached, wanted, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*wanted, 200.0);
    assert!((100.0..200.0).contains(reached), "{reached}");
    let text = error.to_string();
    let says =
        format!("its clock machine.clock reaches {reached:.1} MHz; accepted: 200 MHz or more");
    assert!(text.contains(&says), "{text}");
    assert!(text.contains(" machine.uart."), "the path is named: {text}");
}

#[test]
fn an_unavailable_clock_frequency_is_rejected() {
    let echo = lower(&Echo::<25>::default()).unwrap();
    let design = BoardDesign::new("echo", echo, 26, 1_000_000).unwrap();
    let text = build(&design).unwrap_err().to_string();
    assert!(
        text.contains("Alchitry Cu cannot make a clock of 26 MHz from its crystal of 100 MHz"),
        "{text}"
    );
}

/// Uses one block RAM more than the chip has. The contents differ, so that none can be shared.
#[derive(LogicBlock, Circuit)]
struct TooManyBlockRams {
    pub clock: Signal<In, Clock>,
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    pub led: Signal<Out, Bits<8>>,
    memories: [Memory<Bits<16>, 8>; 33],
    sum: Signal<Local, Bits<16>>,
    count: Reg<Bits<8>>,
}

impl Default for TooManyBlockRams {
    fn default() -> Self {
        TooManyBlockRams {
            clock: Signal::default(),
            rx: Signal::default(),
            tx: Signal::default(),
            led: Signal::default(),
            memories: std::array::from_fn(|_| Memory::default().disjoint()),
            sum: Signal::default(),
            count: Reg::default(),
        }
    }
}

impl Logic for TooManyBlockRams {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.d.next = self.count.q.val() + 1;
        self.sum.next = bit_cast::<16, 8>(self.count.q.val());
        for i in 0..33 {
            self.memories[i].clock.next = self.clock.val();
            self.memories[i].read_address.next = self.count.q.val();
            self.memories[i].write_address.next = self.count.q.val() ^ 128;
            self.memories[i].write_data.next = self.sum.val();
            self.memories[i].write_enable.next = self.rx.val();
            self.sum.next = self.sum.val() ^ self.memories[i].read_data.val();
        }
        self.tx.next = self.rx.val();
        self.led.next = bit_cast::<8, 16>(self.sum.val() ^ (self.sum.val() >> 8));
    }
}

/// The error comes before synthesis.
#[test]
fn too_many_block_rams_are_rejected() {
    let memories = lower(&TooManyBlockRams::default()).unwrap();
    let design = BoardDesign::new("memories", memories, 25, 1_000_000).unwrap();
    let error = build(&design).unwrap_err();
    assert!(matches!(&error, BuildError::NoBlockRams { .. }), "{error}");
    let says = "memories does not fit the Alchitry Cu: it needs 33 block RAMs or more, and the chip has 32";
    assert!(error.to_string().starts_with(says), "{error}");
}
