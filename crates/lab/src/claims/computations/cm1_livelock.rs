//! Livelock in section 3.4.1 of the paper "cm1-message-router": messages that move for ever, and
//! the number of rows that prevents this.
//!
//! All chips send the same messages here. Whatever leaves a chip on a wire also arrives on that
//! wire, so one heart represents the whole machine.

use super::cm1::DIMS;
use super::ClaimComputation;
use interconnect::traffic::SplitMix64;
use machine::networks::cm1::{decode, encode, StandaloneHeart};
use rtl::cm1::{MessageFormat, Pipeline};
use serde_json::{json, Value};

pub(super) const TABLE: &[(&str, ClaimComputation)] = &[("cm1-livelock", livelock)];

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
    let format = MessageFormat {
        dims: DIMS,
        proc_bits: 0,
        vp_bits: 0,
        data_bits: 0,
    };
    let heart = StandaloneHeart::new(Pipeline::Rotating, format, rows as usize);
    let mut heart = heart.expect("it is lowered in the tests");
    livelock_period(undeliverable_addresses(rows), |state| {
        let messages: Vec<_> = state
            .iter()
            .map(|relative| Some(encode(format, *relative, 0, 0, &[])))
            .collect();
        let passed = heart.pass(&messages).expect("it settles");
        let streams = passed.rows.iter().flatten();
        streams
            .map(|stream| decode(format, stream).relative)
            .collect()
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
    states
        .filter(|state| rule_livelock_period(7, DIMS, state.clone()).is_some())
        .count()
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
