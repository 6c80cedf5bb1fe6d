//! The ends of a petit cycle: which message the injector takes, how long the buffer keeps a
//! message, and which parity the ejector checks.

use crate::agreement::engines;
use crate::agreement::ports::{put, put_all, see, see_all};
use interconnect::traffic::SplitMix64;
use rtl::cm1::{EjectorRow, Injector, MessageBuffer};
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
    [kept, offers, drain]: [u64; 3],
) -> (Vec<RowSource>, Vec<usize>, u64) {
    let mut waiting: VecDeque<usize> = (0..processors)
        .filter(|p| drain == 0 && offers >> p & 1 == 1)
        .collect();
    let (mut sources, mut back, mut served) = (vec![], vec![], 0);
    for row in 0..rows {
        let has = |row: &usize| kept >> row & 1 == 1;
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
    for (rows, processors) in [(3, 1), (4, 2)] {
        for mut engine in engines::both(|| Injector::new(rows, processors)) {
            let mut random = SplitMix64::new(4);
            for _ in 0..600 {
                let kept = random.below(1 << rows);
                let offers = random.below(1 << processors);
                let drain = u64::from(random.below(4) == 0);
                let (sources, back, served) = inject(rows, processors, [kept, offers, drain]);
                for time in 0..3 + random.below(4) {
                    let first = time == 0;
                    // Inputs that are sampled only at the start take random values later.
                    let [kept, drain] = match first {
                        true => [kept, drain],
                        false => [random.below(1 << rows), random.below(2)],
                    };
                    let buffered = random.below(1 << rows);
                    let send = match first {
                        true => offers,
                        false => random.below(1 << processors),
                    };
                    put(&mut *engine, "start", first.into());
                    put(&mut *engine, "drain", drain);
                    put_all(&mut *engine, "kept", kept, rows);
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
                    let returned = back.iter().fold(0, |bits, row| {
                        bits | (buffered >> row & 1) << (row % processors)
                    });
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
