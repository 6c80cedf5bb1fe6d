//! Hearts with each of the paper's three pipelines, against the rule of section 3.4.1 on whole
//! messages. Checks every bit of each message, and the row that it leaves in.

use phasecube::networks::cm1::{encode, BitStream, StandaloneHeart};
use phasecube::rtl::cm1::{MessageFormat, Pipeline};
use phasecube::traffic::SplitMix64;

/// A message with its relative address and data.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RelativeMessage {
    relative: u32,
    data: u8,
}

/// Returns the rows after all columns. All chips send alike, so a message that crosses a wire
/// returns to the same chip, one hop further.
fn routed(
    mut rows: Vec<Option<RelativeMessage>>,
    dims: u32,
    oblivious: bool,
) -> Vec<Option<RelativeMessage>> {
    let highest = rows.len() - 1;
    for dim in 0..dims {
        let wants = |row: &Option<RelativeMessage>| {
            row.is_some_and(|message| message.relative >> dim & 1 == 1)
        };
        let full = rows.iter().all(Option::is_some);
        let mut crossing = rows.iter().position(wants);
        if oblivious {
            // A loser is stopped. So is a message that would have to make room.
            let losers: Vec<usize> = match crossing {
                Some(first) => (first + 1..=highest).filter(|r| wants(&rows[*r])).collect(),
                None if full => vec![highest],
                None => vec![],
            };
            losers.into_iter().for_each(|row| rows[row] = None);
        } else if full && crossing.is_none() {
            crossing = Some(highest);
        }
        let hopped = crossing.and_then(|row| rows[row].take());
        let mut next = rows;
        let packs = !oblivious || dim == 0;
        if packs {
            next.retain(Option::is_some);
        } else {
            // Gaps remain. Rows after the crossing one move down by one, and the highest moves to
            // the first empty row.
            let top = next.pop().flatten();
            if let Some(row) = crossing.filter(|row| *row < highest) {
                next.remove(row);
                next.push(None);
            }
            if let Some(empty) = next.iter_mut().find(|row| row.is_none()) {
                *empty = top;
            }
        }
        next.resize(highest, None);
        next.push(
            hopped.map(|message| RelativeMessage {
                relative: message.relative ^ 1 << dim,
                ..message
            }),
        );
        rows = next;
    }
    rows
}

fn format(dims: u32) -> MessageFormat {
    MessageFormat { dims, proc_bits: 2, vp_bits: 0, data_bits: 8 }
}

/// Returns the bits of a message, without CUBE-ADDRESS after a heart that drops it.
fn stream(dims: u32, message: RelativeMessage, dropped: bool) -> BitStream {
    let dims = if dropped { 0 } else { dims };
    let relative = if dropped { 0 } else { message.relative };
    encode(format(dims), relative, 1, 0, &[message.data])
}

/// Sends some sets of messages through one heart in sequence.
fn check(pipeline: Pipeline, dims: u32, rows: usize, sets: u32) {
    let oblivious = pipeline == Pipeline::Dropping;
    let mut heart = StandaloneHeart::new(pipeline, format(dims), rows).unwrap();
    let mut random = SplitMix64::new(u64::from(dims) << 8 | rows as u64);
    for set in 0..sets {
        // From nearly empty to full, with some messages nearly at their destination.
        let some = 1 + u64::from(set % 4);
        let sent: Vec<Option<RelativeMessage>> = (0..rows)
            .map(|row| {
                let relative = random.below(1 << dims) as u32;
                let near = random.below(2) as u32 * u32::MAX;
                let whole = RelativeMessage {
                    relative: relative & (near | random.below(1 << dims) as u32),
                    data: (random.below(32) as u8) << 3 | row as u8,
                };
                (random.below(4) < some).then_some(whole)
            })
            .collect();
        let streams: Vec<_> =
            sent.iter().map(|row| row.map(|message| stream(dims, message, false))).collect();
        let passed = heart.pass(&streams).unwrap();
        let expected: Vec<_> = routed(sent.clone(), dims, oblivious)
            .into_iter()
            .map(|row| row.map(|message| stream(dims, message, oblivious)))
            .collect();
        assert_eq!(passed.rows, expected, "{pipeline:?}, {dims} dimensions, set {set}: {sent:?}");
    }
}

/// Checks all small sizes, and the paper's.
fn check_sizes(pipeline: Pipeline) {
    for dims in 1..=5 {
        for rows in 2..=7 {
            check(pipeline, dims, rows, 24);
        }
    }
    check(pipeline, 12, 7, 8);
}

#[test]
fn a_rotating_heart_follows_the_rule() {
    check_sizes(Pipeline::Rotating);
}

#[test]
fn a_naive_heart_follows_the_rule() {
    check_sizes(Pipeline::Naive);
}

#[test]
fn a_dropping_heart_follows_the_oblivious_rule() {
    check_sizes(Pipeline::Dropping);
}

/// The paper's formulas. Storage is b(c^2 + 3c)/2 bits for the naive pipeline and 2bc for the
/// others. The delay is (c^2 + 3c)/2 bit-times for the naive one and 2c for the others.
#[test]
fn storage_and_time_are_those_of_the_formulas() {
    for dims in 1..=6 {
        for rows in [2, 7] {
            let l = format(dims).length();
            // PARITY is one, so that the last bit is visible.
            let whole = RelativeMessage { relative: 0, data: 0 };
            let message = Some(stream(dims, whole, false));
            assert_eq!(message.as_ref().unwrap().last(), Some(&true));
            for (pipeline, delay, bits, left) in [
                (Pipeline::Naive, (dims * dims + 3 * dims) / 2, (dims * dims + 3 * dims) / 2, l),
                (Pipeline::Dropping, 2 * dims, 2 * dims, l - dims),
                (Pipeline::Rotating, 2 * dims, 2 * dims, l),
            ] {
                let mut heart = StandaloneHeart::new(pipeline, format(dims), rows).unwrap();
                assert_eq!(heart.storage(), rows as u32 * bits, "{pipeline:?}");
                let passed = heart.pass(std::slice::from_ref(&message)).unwrap();
                assert_eq!(passed.bit_times, Some(left + delay), "{pipeline:?}");
            }
        }
    }
}
