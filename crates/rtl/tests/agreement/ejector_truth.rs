//! The ejector in each of its modes: which messages leave, what a processor receives and when, and
//! which messages stay. Sources: docs/cm1.md, and `cm1-message-router`, sections 3.3 and 4.5.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use interconnect::traffic::SplitMix64;
use rtl::cm1::{EjectMode, Ejector};

const ROWS: usize = 4;
/// Bits of CUBE-ADDRESS, VP-ADDRESS, and of DATA with PARITY.
const CUBE: usize = 3;
const VP: usize = 2;
const REST: usize = 4;

/// Bits of a message in the order in which they leave the heart.
type MessageBits = Vec<bool>;

/// Returns a random message whose PROC-ADDRESS has `proc` bits.
fn message(random: &mut SplitMix64, proc: usize) -> MessageBits {
    let present = random.below(5) > 0;
    let home = random.below(3) > 0;
    let bit = |t| match t {
        0 => present,
        1..=CUBE => present && !home && random.below(2) == 1,
        _ => present && random.below(2) == 1,
    };
    (0..1 + CUBE + proc + VP + REST).map(bit).collect()
}

/// Returns the rows whose messages are ejected. Lower rows have priority.
fn ejected(
    mode: EjectMode,
    proc: usize,
    messages: &[MessageBits; ROWS],
    bank: [bool; VP],
) -> Vec<usize> {
    let processor = |row: usize| &messages[row][1 + CUBE..][..proc];
    let home = |row: &usize| {
        let message = &messages[*row];
        let in_bank = message[1 + CUBE + proc..][..VP] == bank;
        message[0] && !message[1..=CUBE].contains(&true) && (mode != EjectMode::Bank || in_bank)
    };
    let mut out: Vec<usize> = vec![];
    for row in (0..ROWS).filter(home) {
        let free = match mode {
            EjectMode::Or => true,
            EjectMode::PerChip => out.is_empty(),
            EjectMode::PerProcessor | EjectMode::Bank => {
                !out.iter().any(|other| processor(*other) == processor(row))
            }
        };
        if free {
            out.push(row);
        }
    }
    out
}

/// Checks `cycles` petit cycles. PROC-ADDRESS has `proc` bits.
fn petit_cycles(mode: EjectMode, proc: usize, cycles: usize) {
    let (processors, length) = (1 << proc, 1 + CUBE + proc + VP + REST);
    let mut engine = engines::evaluator(&Ejector::new(ROWS, processors, mode));
    let engine = &mut *engine;
    let mut random = SplitMix64::new(6);
    let home = CUBE;
    let sort = match mode {
        EjectMode::Bank => CUBE + proc + VP,
        _ => CUBE + proc,
    };
    let settle = match mode {
        EjectMode::Or | EjectMode::PerChip => home,
        EjectMode::PerProcessor | EjectMode::Bank => sort,
    };
    for cycle in 0..cycles {
        let messages: [MessageBits; ROWS] = std::array::from_fn(|_| message(&mut random, proc));
        let bank: [bool; VP] = std::array::from_fn(|_| random.below(2) == 1);
        let out = ejected(mode, proc, &messages, bank);
        let to = |row: usize| {
            let bits = messages[row][1 + CUBE..][..proc].iter().rev();
            bits.fold(0, |address, bit| 2 * address + usize::from(*bit))
        };
        for t in 0..length + 2 {
            // The rows carry random values between messages.
            for (row, message) in messages.iter().enumerate() {
                let bit = message.get(t).copied();
                let bit = bit.unwrap_or_else(|| random.below(2) == 1);
                put(engine, &format!("exit[{row}]"), bit.into());
            }
            let vps = CUBE + proc + 1..=CUBE + proc + VP;
            put(engine, "enter", (t == 0).into());
            put(engine, "cube", (1..=CUBE).contains(&t).into());
            put(engine, "proc", (CUBE + 1..=CUBE + proc).contains(&t).into());
            put(engine, "vp", vps.contains(&t).into());
            let of_bank = match vps.contains(&t) {
                true => bank[t - vps.start()],
                false => random.below(2) == 1,
            };
            put(engine, "bank", of_bank.into());
            put(engine, "settle", (t == settle).into());
            put(engine, "sort", (t == sort).into());
            put(engine, "over", (t == length).into());
            engine.settle().unwrap();
            let place = format!("{mode:?}, petit cycle {cycle}, bit-time {t}");
            let ejecting = |row: &usize| t > sort && t <= length && out.contains(row);
            for (row, message) in messages.iter().enumerate() {
                let found = see(engine, &format!("ejecting[{row}]")) == 1;
                assert_eq!(found, ejecting(&row), "{place}");
                if t > settle {
                    let stays = message[0] && !out.contains(&row);
                    assert_eq!(see(engine, &format!("kept[{row}]")) == 1, stays, "{place}");
                }
            }
            for processor in 0..processors {
                let here = |row: &usize| ejecting(row) && to(*row) == processor;
                // The bits are one bit-time late. MSGP takes the position of the last address bit.
                let bit = |row: usize| t == sort + 1 || messages[row][t - 1];
                let odd = |row: usize| messages[row][1..].iter().filter(|bit| **bit).count() % 2;
                let gets = (0..ROWS).filter(here).any(bit);
                let wrong = t == length && (0..ROWS).filter(here).any(|row| odd(row) == 1);
                let found = ["deliver", "parity_error"]
                    .map(|output| see(engine, &format!("{output}[{processor}]")) == 1);
                assert_eq!(found, [gets, wrong], "{place}");
            }
            engine.clock().unwrap();
        }
    }
}

#[test]
fn arrived_messages_are_ejected_according_to_the_mode() {
    for (proc, cycles) in [(1, 400), (4, 150)] {
        petit_cycles(EjectMode::Or, proc, cycles);
        petit_cycles(EjectMode::PerProcessor, proc, cycles);
        petit_cycles(EjectMode::PerChip, proc, cycles);
        petit_cycles(EjectMode::Bank, proc, cycles);
    }
}
