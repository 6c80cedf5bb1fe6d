//! Figures of the paper "cm1-message-router": circuits of the three ways to pipeline the heart.

use super::cm1::{ROWS, TYPICAL};
use super::ClaimComputation;
use machine::networks::cm1::{encode, BitStream, StandaloneHeart};
use rtl::cm1::Pipeline;
use serde_json::{json, Value};

pub(super) const TABLE: &[(&str, ClaimComputation)] = &[
    ("cm1-pipelines", pipelines),
    ("cm1-desperation", desperate_sends),
];

/// Size of a heart, and its timing measured with messages.
struct HeartMeasurement {
    /// Bits of message storage.
    bits: u32,
    /// Bit-times from MSGP at the first column to the last bit of the message at the exit.
    bit_times: u32,
    /// Bit-times from MSGP at the first column to MSGP at the exit.
    delay: u32,
    /// Number of messages that leave when two messages want the same wire at once.
    left_of_two: usize,
}

/// Message for the chip `relative`. Its last bit is one, because the measurement waits for that
/// bit.
fn test_message(relative: u32) -> BitStream {
    let even = relative.count_ones().is_multiple_of(2);
    encode(TYPICAL, relative, u32::from(even), 0, &[])
}

fn measure(pipeline: Pipeline) -> HeartMeasurement {
    let mut heart =
        StandaloneHeart::new(pipeline, TYPICAL, ROWS as usize).expect("it is lowered in the tests");
    let alone = heart.pass(&[Some(test_message(0))]).expect("it settles");
    let bit_times = alone.bit_times.expect("it leaves");
    let left = alone.rows.iter().flatten().next().expect("it leaves");
    let both = [Some(test_message(1)), Some(test_message(1))];
    let passed = heart.pass(&both).expect("it settles");
    HeartMeasurement {
        bits: heart.storage(),
        bit_times,
        delay: bit_times - left.len() as u32,
        left_of_two: passed.rows.iter().flatten().count(),
    }
}

/// Bits and bit-times of each pipeline, and how many of two messages for the same wire leave
/// through it.
fn pipelines() -> Value {
    let [rotating, naive, dropping] = Pipeline::ALL.map(measure);
    let length = TYPICAL.length();
    json!({
        "naive": {
            "bits": naive.bits, "bit_times": naive.bit_times, "petit_cycle": naive.delay,
            "wire_busy": length, "with_two_batches": 2 * length, "of_two": naive.left_of_two,
        },
        "dropping": {
            "bits": dropping.bits, "bit_times": dropping.bit_times, "of_two": dropping.left_of_two,
        },
        "rotating": {
            "bits": rotating.bits, "bit_times": rotating.bit_times, "of_two": rotating.left_of_two,
        },
        "delivery_cycle_of_12": 12 * length + rotating.delay,
    })
}

/// Seven messages that want dimension 2 only, as in Figure 10 (b). Returns the cube wires that
/// carry a message if no other message arrives on the wire of dimension 0.
fn desperate_sends() -> Value {
    let heart = StandaloneHeart::new(Pipeline::Rotating, TYPICAL, ROWS as usize);
    let heart = heart.expect("it is lowered in the tests");
    let passed = heart
        .with_silent_neighbour(0)
        .pass(&vec![Some(test_message(4)); ROWS as usize]);
    let passed = passed.expect("it settles");
    json!({
        "column_0_sends": passed.crossed[0],
        "column_1_sends": passed.crossed[1],
        "column_2_sends": passed.crossed[2],
        "later_columns_that_send": passed.crossed[3..].iter().filter(|sends| **sends).count(),
        "left_at_the_exit": passed.rows.iter().flatten().count(),
    })
}

#[cfg(test)]
mod tests {
    use super::pipelines;

    /// Figures printed in the paper.
    #[test]
    fn pipeline_figures_match_the_paper() {
        let found = pipelines();
        let of = |pipeline: &str, figure: &str| found[pipeline][figure].as_u64();
        assert_eq!(of("naive", "bits"), Some(630));
        assert_eq!(of("naive", "bit_times"), Some(140));
        assert_eq!(of("naive", "petit_cycle"), Some(90));
        assert_eq!(of("dropping", "bits"), Some(168));
        assert_eq!(of("dropping", "bit_times"), Some(62));
        assert_eq!(of("rotating", "bit_times"), Some(74));
        assert_eq!(found["delivery_cycle_of_12"], 624);
    }
}
