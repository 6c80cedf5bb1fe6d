//! The ends of a petit cycle: which message the injector takes, how long the buffer keeps a
//! message, and which parity the ejector checks.

use crate::agreement::engines::{self, put, put_all, see, see_all};
use interconnect::traffic::SplitMix64;
use rtl::cm1::{EjectMode, Ejector, EjectorRow, Injector, MessageBuffer};
use std::collections::VecDeque;

/// Checks buffers with one memory, and with two of which the second has 44 words.
#[test]
fn a_buffer_delays_by_one_bit_time_more_than_its_pointer_has_values() {
    for (rows, words) in [(3, 5), (2, 300)] {
        for mut engine in engines::both(|| MessageBuffer::new(rows, words)) {
            let mut random = SplitMix64::new(3);
            let mut under_way = VecDeque::new();
            for time in 0..4 * words {
                let exit = random.below(1 << rows);
                put(&mut *engine, "pointer", (time % words) as u64);
                put_all(&mut *engine, "exit", exit, rows);
                engine.settle().unwrap();
                if under_way.len() == words + 1 {
                    let buffered = see_all(&mut *engine, "buffered", rows);
                    let name = engine.name();
                    assert_eq!(
                        Some(buffered),
                        under_way.pop_front(),
                        "{words} words, {time}: {name}"
                    );
                }
                under_way.push_back(exit);
                engine.clock().unwrap();
            }
        }
    }
}

/// Origin of the message that a row carries into the heart.
#[derive(Clone, Copy, PartialEq)]
enum RowSource {
    Nobody,
    Buffer,
    Processor(usize),
}

/// Models one petit cycle of an injector. Returns the source of each row, the rows whose buffered
/// messages return to their processor, and the processors that are served.
fn inject(
    rows: usize,
    processors: usize,
    [stays, offers, drain]: [u64; 3],
) -> (Vec<RowSource>, Vec<usize>, u64) {
    let mut waiting: VecDeque<usize> =
        (0..processors).filter(|p| drain == 0 && offers >> p & 1 == 1).collect();
    let (mut sources, mut back, mut served) = (vec![], vec![], 0);
    for row in 0..rows {
        let has = |row: &usize| stays >> row & 1 == 1;
        let lowest = (row % processors..rows).step_by(processors).find(has) == Some(row);
        sources.push(if has(&row) && drain == 1 && lowest {
            back.push(row);
            RowSource::Nobody
        } else if has(&row) {
            RowSource::Buffer
        } else if let Some(processor) = waiting.pop_front() {
            served |= 1 << processor;
            RowSource::Processor(processor)
        } else {
            RowSource::Nobody
        });
    }
    (sources, back, served)
}

#[test]
fn a_row_carries_its_buffered_message_before_a_processors() {
    for (rows, processors) in [(3, 1), (4, 2), (3, 16)] {
        for mut engine in engines::both(|| Injector::new(rows, processors)) {
            let mut random = SplitMix64::new(4);
            for cycle in 0..600 {
                let stays = random.below(1 << rows);
                let offers = random.below(1 << processors);
                let drain = u64::from(random.below(4) == 0);
                // Nothing passes before the first petit cycle.
                let powers_up = cycle == 0;
                let (sources, back, served) = match powers_up {
                    true => (vec![RowSource::Nobody; rows], vec![], 0),
                    false => inject(rows, processors, [stays, offers, drain]),
                };
                for time in 0..3 + random.below(4) {
                    let first = time == 0 && !powers_up;
                    // Inputs that are sampled only at the start take random values later.
                    let [stays, drain] = match first {
                        true => [stays, drain],
                        false => [random.below(1 << rows), random.below(2)],
                    };
                    let buffered = random.below(1 << rows);
                    let send = match first {
                        true => offers,
                        false => random.below(1 << processors),
                    };
                    put(&mut *engine, "start", first.into());
                    put(&mut *engine, "drain", drain);
                    put_all(&mut *engine, "stays", stays, rows);
                    put_all(&mut *engine, "buffered", buffered, rows);
                    put_all(&mut *engine, "send", send, processors);
                    engine.settle().unwrap();
                    let row = (0..rows).fold(0, |bits, row| {
                        bits | match sources[row] {
                            RowSource::Nobody => 0,
                            RowSource::Buffer => buffered & 1 << row,
                            RowSource::Processor(processor) => (send >> processor & 1) << row,
                        }
                    });
                    let returned = back
                        .iter()
                        .fold(0, |bits, row| bits | (buffered >> row & 1) << (row % processors));
                    let acknowledge = if first { served } else { 0 };
                    let shown = [
                        see_all(&mut *engine, "row", rows),
                        see_all(&mut *engine, "returned", processors),
                        see_all(&mut *engine, "acknowledge", processors),
                    ];
                    let expected = [row, returned, acknowledge];
                    assert_eq!(shown, expected, "{rows} rows, {}", engine.name());
                    engine.clock().unwrap();
                }
            }
        }
    }
}

/// The parity covers all bits after MSGP including CUBE-ADDRESS, whatever the strobes do.
#[test]
fn a_row_of_the_ejector_counts_the_ones_of_the_whole_message() {
    for mut engine in engines::both(|| EjectorRow::new(4)) {
        let mut random = SplitMix64::new(5);
        let mut odd = None;
        for time in 0..2000 {
            let enter = random.below(20) == 0;
            let data = random.below(2);
            put(&mut *engine, "data", data);
            put(&mut *engine, "enter", enter.into());
            for strobe in ["cube", "proc", "vp", "bank", "sort", "over", "eject"] {
                put(&mut *engine, strobe, random.below(2));
            }
            engine.settle().unwrap();
            if let Some(odd) = odd {
                assert_eq!(see(&mut *engine, "odd"), odd, "{time}: {}", engine.name());
            }
            odd = match enter {
                true => Some(0),
                false => odd.map(|odd| odd ^ data),
            };
            engine.clock().unwrap();
        }
    }
}

// The ejector in each of its modes: which messages leave, what a processor receives and when, and
// which messages stay. Sources: docs/cm1.md, and `cm1-message-router`, sections 3.3 and 4.5.

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
                    assert_eq!(see(engine, &format!("stays[{row}]")) == 1, stays, "{place}");
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
