//! The image of `echo`: its netlist and its bits are simulated and compared with its circuit.

use crate::board::board_reference::BoardReference;
use crate::board::tools::{build, design, virtual_boards};
use phasecube::board::virtual_board::{VirtualBoard, FIRST_EDGE};
use phasecube::board::BoardDesignName;
use phasecube::traffic::SplitMix64;
use phasecube::wave::decode_uart;

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
    expected
        .windows(2)
        .filter(|pair| pair[0].led != pair[1].led)
        .count()
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
    let answers: Vec<u8> = decode_uart(&tx, CLOCKS)
        .iter()
        .map(|byte| byte.value)
        .collect();
    let expected: Vec<u8> = bytes.iter().map(|byte| answer(*byte)).collect();
    assert_eq!(answers, expected);

    // 512 x 8: a word is the even or the odd bits of a row.
    let [ram] = board.rams() else {
        panic!("{} block RAMs", board.rams().len());
    };
    let word = |row: u16, odd: u16| (0..8).map(|i| (row >> (2 * i + odd) & 1) << i).sum::<u16>();
    let mut words: Vec<u16> = ram
        .iter()
        .flat_map(|row| [word(*row, 0), word(*row, 1)])
        .collect();
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
