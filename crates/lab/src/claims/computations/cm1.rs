//! Figures of the paper "cm1-message-router".

use super::ClaimComputation;
use interconnect::topology::Hypercube;
use interconnect::traffic::SplitMix64;
use machine::networks::cm1::{decode, encode, BitStream, StandaloneHeart};
use rtl::cm1::{EjectMode, MessageFormat, PetitPlan, Pipeline};
use serde_json::{json, Value};

pub(super) const TABLE: &[(&str, ClaimComputation)] = &[
    ("cm1-machine", machine),
    ("cm1-format", format),
    ("cm1-parity", parity),
    ("cm1-address-rotation", address_rotation),
    ("cm1-full-pipeline", full_pipeline),
    ("cm1-bound", crossing_bound),
    ("cm1-stirling", stirling),
];

/// Dimensions, rows and processors per chip of the paper's machine.
pub(super) const DIMS: u32 = 12;
pub(super) const ROWS: u32 = 7;
const PROCESSORS: u32 = 16;

/// Typical message of that machine.
pub(super) const TYPICAL: MessageFormat =
    MessageFormat { dims: DIMS, proc_bits: 4, vp_bits: 0, data_bits: 32 };

/// Sizes of the machine.
fn machine() -> Value {
    let cube = Hypercube::of(DIMS);
    json!({
        "chips": cube.nodes(), "processors": cube.nodes() * PROCESSORS,
        "injector_sites": ROWS * PROCESSORS, "columns": DIMS, "heart_sites": ROWS * DIMS,
        // Only one column works at a time if there is no pipeline.
        "share_of_wires_without_a_pipeline": 1.0 / f64::from(DIMS),
        // Each column delays a message by 2 bit-times. A message of n bits is therefore in n/2
        // columns at once.
        "columns_that_a_message_is_in": TYPICAL.length().div_ceil(2).min(DIMS),
    })
}

/// Lengths of messages in bits.
fn format() -> Value {
    let of = |vp_bits, data_bits| {
        let format = MessageFormat { vp_bits, data_bits, ..TYPICAL };
        i64::from(format.length()) - i64::from(6 + DIMS + vp_bits + data_bits)
    };
    let sizes = || (0..=16).flat_map(|vp| (1..=64).map(move |data| (vp, data)));
    let worst = sizes().map(|(vp, data)| of(vp, data).abs()).max();
    json!({
        "typical": TYPICAL.length(), "worst_over_6_plus_c_v_d": worst,
    })
}

/// Inverts every bit of a message except MSGP, one at a time. Counts the errors that PARITY misses
/// if it covers CUBE, PROC and DATA, as printed. Counts them again if it also covers VP-ADDRESS.
fn parity() -> Value {
    let format = MessageFormat { vp_bits: 4, ..TYPICAL };
    let vp_begins = (1 + format.dims + format.proc_bits) as usize;
    let vp = vp_begins..vp_begins + format.vp_bits as usize;
    let sent = encode(format, 0xABC, 5, 0b1001, &[0x12, 0x34, 0x56, 0x78]);
    let last = sent.len() - 1;
    let ones = |stream: &BitStream, covered: &dyn Fn(usize) -> bool| {
        let bits = stream.iter().enumerate().take(last).skip(1);
        bits.filter(|(place, bit)| **bit && covered(*place)).count() % 2
    };
    let unnoticed = |covered: &dyn Fn(usize) -> bool| {
        let parity = |stream: &BitStream| ones(stream, covered) ^ usize::from(stream[last]);
        let damaged = |place: usize| {
            let mut stream = sent.clone();
            stream[place] = !stream[place];
            stream
        };
        (1..=last).filter(|place| parity(&damaged(*place)) == parity(&sent)).count()
    };
    let everywhere = |_: usize| true;
    let encoded = ones(&sent, &everywhere) == usize::from(sent[last]);
    json!({
        "as_printed": unnoticed(&|place| !vp.contains(&place)),
        "with_vp": unnoticed(&everywhere), "bits": last,
        "parity_of_ours_is_even": encoded,
    })
}

/// Order of the CUBE-ADDRESS bits as a message leaves each column. The model of a column keeps the
/// bit that arrives first and sends it last.
fn address_rotation() -> Value {
    let mut address: Vec<u32> = (0..DIMS).collect();
    let mut rotated = |column: u32| {
        address.rotate_left(1);
        let moved = address.iter().position(|bit| *bit == 0).unwrap_or(0) as u32;
        (DIMS - moved) as i64 - i64::from(column)
    };
    let more_than_column: Vec<i64> = (0..DIMS).map(&mut rotated).collect();
    let whole_again = address == (0..DIMS).collect::<Vec<_>>();
    json!({"more_than_the_columns_number": more_than_column, "whole_at_the_end": whole_again})
}

/// Number of VP-ADDRESS and DATA bits with which petit cycles follow each other without a gap.
fn full_pipeline() -> Value {
    let gap = |data_bits: u32| {
        let format = MessageFormat { data_bits, ..TYPICAL };
        PetitPlan::new(format, EjectMode::Or).period - format.length()
    };
    let enough = (1..64).find(|data_bits| gap(*data_bits) == 0);
    // With one processor on a chip there are no PROC bits.
    json!({"idle_with_6_bits": gap(6), "enough": enough})
}

/// Number of messages that cross a dimension of the cube, over all pairs of chips, and the
/// resulting bound.
fn crossing_bound() -> Value {
    let nodes = 1u64 << DIMS;
    let pairs = nodes * nodes;
    // Source and destination differ in this bit. The source's bit is 0.
    let crossing = |up: bool| -> u64 {
        let sources = (0..nodes).filter(|source| (source & 1 == 0) == up).count() as u64;
        sources * (0..nodes).filter(|to| (to & 1 == 1) == up).count() as u64
    };
    let share = |n: u64| n as f64 / pairs as f64;
    let messages = f64::from(PROCESSORS) * nodes as f64;
    let both_ways = share(crossing(true) + crossing(false));
    // In a petit cycle each chip sends one message across a dimension.
    let petit_cycles = messages * both_ways / nodes as f64;
    let [independent, exact] = [0.5f64, probability_within_quarter()].map(|p| p.powi(24));
    json!({
        "cross_one_way": share(crossing(true)), "cross_either_way": both_ways,
        "petit_cycles": petit_cycles, "within_all_by_2_to_minus_24": independent,
        "within_all_exactly": exact,
    })
}

/// Probability that at most a quarter of m = 2^16 messages cross, if each crosses with probability
/// 1/4.
fn probability_within_quarter() -> f64 {
    let m = 1u32 << 16;
    let quarter = m / 4;
    // Starts with the logarithm of the binomial term for 0. Each step adds the ratio to the next
    // term.
    let mut log = f64::from(m) * 0.75f64.ln();
    let mut sum = log.exp();
    for k in 1..=quarter {
        log += (f64::from(m - k + 1) / f64::from(k) / 3.0).ln();
        sum += log.exp();
    }
    sum
}

/// Middle term of the binomial distribution of 2^15 v for v = 1: exact, by the printed formula, and
/// by Stirling's formula.
fn stirling() -> Value {
    let m = f64::from(1u32 << 16);
    let half = m / 2.0;
    // C(2n, n) / 4^n is the product of (2k - 1) / 2k.
    let pairs = (half / 2.0) as u32;
    let exact: f64 = (1..=pairs).map(|k| f64::from(2 * k - 1) / f64::from(2 * k)).product();
    let pi = std::f64::consts::PI;
    let printed = 2.0 / (2.0 * pi * m).sqrt();
    let right = 2.0 / (pi * m).sqrt();
    json!({
        "exact": exact, "printed": printed, "right": right,
        "printed_over_exact": printed / exact, "right_over_exact": right / exact,
        "probability": (1.0 - exact) / 2.0,
    })
}

// Livelock in section 3.4.1 of the paper "cm1-message-router": messages that move for ever, and
// the number of rows that prevents this.
//
// All chips send the same messages here. Whatever leaves a chip on a wire also arrives on that
// wire, so one heart represents the whole machine.

pub(super) const LIVELOCK_TABLE: &[(&str, ClaimComputation)] = &[("cm1-livelock", livelock)];

/// Returns chips, relative to the sender, that a heart with `rows` rows never delivers to: one for
/// every second dimension from 0 on. In each column one of two things happens. No message wants the
/// wire and one is sent away because all rows are full, or the message that was sent away returns.
fn undeliverable_addresses(rows: u32) -> Vec<u32> {
    (0..rows).map(|i| 4u32.pow(i)).collect()
}

/// Returns the number of petit cycles after which a state repeats without a delivery; `None` if a
/// message was delivered. The state is the relative addresses in the rows.
fn livelock_period(
    first: Vec<u32>,
    mut petit_cycle: impl FnMut(&[u32]) -> Vec<u32>,
) -> Option<usize> {
    let mut seen = vec![first];
    loop {
        let next = petit_cycle(seen.last().expect("it begins with one"));
        if next.contains(&0) {
            return None;
        }
        if let Some(before) = seen.iter().position(|state| *state == next) {
            return Some(seen.len() - before);
        }
        seen.push(next);
    }
}

/// Runs the circuit of the heart.
fn circuit_livelock_period(rows: u32) -> Option<usize> {
    let format = MessageFormat { dims: DIMS, proc_bits: 0, vp_bits: 0, data_bits: 0 };
    let heart = StandaloneHeart::new(Pipeline::Rotating, format, rows as usize);
    let mut heart = heart.expect("it is lowered in the tests");
    livelock_period(undeliverable_addresses(rows), |state| {
        let messages: Vec<_> =
            state.iter().map(|relative| Some(encode(format, *relative, 0, 0, &[]))).collect();
        let passed = heart.pass(&messages).expect("it settles");
        let streams = passed.rows.iter().flatten();
        streams.map(|stream| decode(format, stream).relative).collect()
    })
}

/// Models a petit cycle by the rule of Figure 9. The lowest row that wants the wire gets it. If no
/// row wants it and all are full, the highest row gets it. The arriving message takes the highest
/// row.
fn petit_cycle_by_rule(rows: usize, dims: u32, state: &[u32]) -> Vec<u32> {
    let mut state = state.to_vec();
    for dim in 0..dims {
        let wanting = state.iter().position(|relative| relative >> dim & 1 == 1);
        let full = (state.len() == rows).then_some(rows - 1);
        if let Some(leaves) = wanting.or(full) {
            let comes = state.remove(leaves) ^ 1 << dim;
            state.push(comes);
        }
    }
    state
}

fn rule_livelock_period(rows: usize, dims: u32, state: Vec<u32>) -> Option<usize> {
    livelock_period(state, |state| petit_cycle_by_rule(rows, dims, state))
}

/// Returns the smallest cube on which a full heart of `rows` rows can fail to deliver for ever,
/// over all contents of the rows.
fn smallest_livelock_cube(rows: usize) -> u32 {
    (1..)
        .find(|dims| {
            let addresses = (1u32 << dims) - 1;
            let states = u64::from(addresses).pow(rows as u32);
            (0..states).any(|mut number| {
                let state = (0..rows).map(|_| {
                    let relative = 1 + (number % u64::from(addresses)) as u32;
                    number /= u64::from(addresses);
                    relative
                });
                rule_livelock_period(rows, *dims, state.collect()).is_some()
            })
        })
        .expect("the cubes go on")
}

/// Counts the states that never end among `states` random states of seven rows on the 12-cube.
fn livelocks_with_seven_rows(states: usize) -> usize {
    let mut random = SplitMix64::new(1);
    let mut state = || -> Vec<u32> {
        // Addresses have few bits, because messages that want few wires are sent away more often.
        let mut address = || (0..1 + random.below(3)).fold(0, |a, _| a | 1 << random.below(12));
        (0..7).map(|_| address()).collect()
    };
    let states = (0..states).map(|_| state());
    states.filter(|state| rule_livelock_period(7, DIMS, state.clone()).is_some()).count()
}

fn livelock() -> Value {
    let come_again = [2, 3, 4, 5, 6].map(circuit_livelock_period);
    json!({
        "rows": [2, 3, 4, 5, 6],
        "come_again": come_again,
        "smallest_cube_of_2_rows": smallest_livelock_cube(2),
        "smallest_cube_of_3_rows": smallest_livelock_cube(3),
        "drawn_with_7_rows": 2000,
        "of_these_never_end": livelocks_with_seven_rows(2000),
    })
}

#[cfg(test)]
mod tests {
    use super::{crossing_bound, full_pipeline, parity, stirling};

    /// The formula and the product are independent of each other.
    #[test]
    fn stirlings_formula_approximates_the_exact_term() {
        let found = stirling();
        let near = |name: &str, to: f64| (found[name].as_f64().unwrap() / to - 1.0).abs() < 1e-3;
        assert!(near("exact", 0.00441) && near("right_over_exact", 1.0));
        assert!((found["printed"].as_f64().unwrap() - 0.003_12).abs() < 1e-5);
    }

    #[test]
    fn figures_match_the_ledger() {
        assert_eq!(parity()["as_printed"], 4);
        assert_eq!(parity()["with_vp"], 0);
        assert_eq!(full_pipeline()["idle_with_6_bits"], 13);
        assert_eq!(full_pipeline()["enough"], 19);
        assert_eq!(crossing_bound()["petit_cycles"], 8.0);
        let exact = crossing_bound()["within_all_exactly"].as_f64().unwrap();
        assert!((exact - 6.6e-8).abs() < 1e-9, "{exact}");
    }
}

#[cfg(test)]
mod cm1_livelock_tests {
    use super::*;

    /// The rule and the circuit agree in every petit cycle.
    #[test]
    fn rule_and_circuit_agree() {
        for rows in [2, 3, 4] {
            let by_rule = rule_livelock_period(rows as usize, DIMS, undeliverable_addresses(rows));
            assert_eq!(circuit_livelock_period(rows), by_rule, "{rows}");
            assert_eq!(by_rule, Some(2));
        }
    }

    /// One more row, or one dimension less than two per row, lets all messages arrive.
    #[test]
    fn one_more_row_prevents_livelock() {
        for rows in [2, 3, 4, 5] {
            let state = undeliverable_addresses(rows);
            let dims = 2 * rows;
            let b = rows as usize;
            assert!(rule_livelock_period(b, dims, state.clone()).is_some());
            assert_eq!(rule_livelock_period(b + 1, dims, state.clone()), None);
            assert_eq!(rule_livelock_period(b, dims - 1, state), None);
        }
    }
}
