//! Of the paper "cm1-message-router".

use super::Computation;
use crate::networks::cm1::{encode, Stream};
use crate::rtl::cm1::{EjectMode, MessageFormat, PetitPlan};
use crate::topology::Hypercube;
use serde_json::{json, Value};

pub(super) const TABLE: &[(&str, Computation)] = &[
    ("cm1-machine", machine),
    ("cm1-format", format),
    ("cm1-parity", parity),
    ("cm1-address-rotation", address_rotation),
    ("cm1-full-pipeline", full_pipeline),
    ("cm1-bound", bound),
    ("cm1-stirling", stirling),
];

/// Dimensions, rows and processors of a chip of the paper's machine.
pub(super) const DIMS: u32 = 12;
pub(super) const ROWS: u32 = 7;
const PROCESSORS: u32 = 16;

/// Its typical message.
pub(super) const TYPICAL: MessageFormat = MessageFormat {
    dims: DIMS,
    proc_bits: 4,
    vp_bits: 0,
    data_bits: 32,
};

/// How much there is of everything.
fn machine() -> Value {
    let cube = Hypercube::of(DIMS);
    json!({
        "chips": cube.nodes(), "processors": cube.nodes() * PROCESSORS,
        "injector_sites": ROWS * PROCESSORS, "columns": DIMS, "heart_sites": ROWS * DIMS,
        // Without a pipeline one column works at a time.
        "share_of_wires_without_a_pipeline": 1.0 / f64::from(DIMS),
        // A message is in as many columns as its bits take, 2 bit-times in each.
        "columns_that_a_message_is_in": TYPICAL.length().div_ceil(2).min(DIMS),
    })
}

/// Lengths of messages in bits.
fn format() -> Value {
    let of = |vp_bits, data_bits| {
        let format = MessageFormat {
            vp_bits,
            data_bits,
            ..TYPICAL
        };
        i64::from(format.length()) - i64::from(6 + DIMS + vp_bits + data_bits)
    };
    let sizes = || (0..=16).flat_map(|vp| (1..=64).map(move |data| (vp, data)));
    let worst = sizes().map(|(vp, data)| of(vp, data).abs()).max();
    json!({
        "typical": TYPICAL.length(), "worst_over_6_plus_c_v_d": worst,
    })
}

/// Every bit of a message but MSGP inverted, one at a time: how many a parity of CUBE, PROC
/// and DATA, as it is printed, does not find, and how many one of VP-ADDRESS, too.
fn parity() -> Value {
    let format = MessageFormat {
        vp_bits: 4,
        ..TYPICAL
    };
    let vp_begins = (1 + format.dims + format.proc_bits) as usize;
    let vp = vp_begins..vp_begins + format.vp_bits as usize;
    let sent = encode(format, 0xABC, 5, 0b1001, &[0x12, 0x34, 0x56, 0x78]);
    let last = sent.len() - 1;
    let ones = |stream: &Stream, covered: &dyn Fn(usize) -> bool| {
        let bits = stream.iter().enumerate().take(last).skip(1);
        bits.filter(|(place, bit)| **bit && covered(*place)).count() % 2
    };
    let unnoticed = |covered: &dyn Fn(usize) -> bool| {
        let parity = |stream: &Stream| ones(stream, covered) ^ usize::from(stream[last]);
        let damaged = |place: usize| {
            let mut stream = sent.clone();
            stream[place] = !stream[place];
            stream
        };
        (1..=last)
            .filter(|place| parity(&damaged(*place)) == parity(&sent))
            .count()
    };
    let everywhere = |_: usize| true;
    let encoded = ones(&sent, &everywhere) == usize::from(sent[last]);
    json!({
        "as_printed": unnoticed(&|place| !vp.contains(&place)),
        "with_vp": unnoticed(&everywhere), "bits": last,
        "parity_of_ours_is_even": encoded,
    })
}

/// The bits of CUBE-ADDRESS as a message leaves each column, by a model of a column: it
/// keeps the bit that comes first and sends it last.
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

/// How many bits of VP-ADDRESS and DATA messages need for petit cycles to follow each other
/// without a gap.
fn full_pipeline() -> Value {
    let gap = |data_bits: u32| {
        let format = MessageFormat {
            data_bits,
            ..TYPICAL
        };
        PetitPlan::new(format, EjectMode::Or).period - format.length()
    };
    let enough = (1..64).find(|data_bits| gap(*data_bits) == 0);
    // With a processor on a chip there are no bits of PROC.
    json!({"idle_with_6_bits": gap(6), "enough": enough})
}

/// What crosses a dimension of the cube, of all pairs of chips, and the bound from that.
fn bound() -> Value {
    let nodes = 1u64 << DIMS;
    let pairs = nodes * nodes;
    // Source and destination differ in a bit, and the source's is 0.
    let crossing = |up: bool| -> u64 {
        let sources = (0..nodes).filter(|source| (source & 1 == 0) == up).count() as u64;
        sources * (0..nodes).filter(|to| (to & 1 == 1) == up).count() as u64
    };
    let share = |n: u64| n as f64 / pairs as f64;
    let messages = f64::from(PROCESSORS) * nodes as f64;
    let both_ways = share(crossing(true) + crossing(false));
    // Each chip sends one message across a dimension in a petit cycle.
    let petit_cycles = messages * both_ways / nodes as f64;
    let [independent, exact] = [0.5f64, likely_within()].map(|p| p.powi(24));
    json!({
        "cross_one_way": share(crossing(true)), "cross_either_way": both_ways,
        "petit_cycles": petit_cycles, "within_all_by_2_to_minus_24": independent,
        "within_all_exactly": exact,
    })
}

/// How likely it is that of m = 2^16 messages, each of which crosses with a quarter, no
/// more than a quarter do.
fn likely_within() -> f64 {
    let m = 1u32 << 16;
    let quarter = m / 4;
    // The logarithm of the binomial term for 0, and from each to the next.
    let mut log = f64::from(m) * 0.75f64.ln();
    let mut sum = log.exp();
    for k in 1..=quarter {
        log += (f64::from(m - k + 1) / f64::from(k) / 3.0).ln();
        sum += log.exp();
    }
    sum
}

/// The middle term of the binomial distribution of 2^15 v, exactly, by the formula that is
/// printed and by Stirling's, for v = 1.
fn stirling() -> Value {
    let m = f64::from(1u32 << 16);
    let half = m / 2.0;
    // C(2n, n) / 4^n is the product of (2k - 1) / 2k.
    let pairs = (half / 2.0) as u32;
    let exact: f64 = (1..=pairs)
        .map(|k| f64::from(2 * k - 1) / f64::from(2 * k))
        .product();
    let pi = std::f64::consts::PI;
    let printed = 2.0 / (2.0 * pi * m).sqrt();
    let right = 2.0 / (pi * m).sqrt();
    json!({
        "exact": exact, "printed": printed, "right": right,
        "printed_over_exact": printed / exact, "right_over_exact": right / exact,
        "probability": (1.0 - exact) / 2.0,
    })
}

#[cfg(test)]
mod tests {
    use super::{bound, full_pipeline, parity, stirling};

    /// By the formula and by the product, which know nothing of each other.
    #[test]
    fn stirlings_formula_is_near() {
        let found = stirling();
        let near = |name: &str, to: f64| (found[name].as_f64().unwrap() / to - 1.0).abs() < 1e-3;
        assert!(near("exact", 0.00441) && near("right_over_exact", 1.0));
        assert!((found["printed"].as_f64().unwrap() - 0.003_12).abs() < 1e-5);
    }

    #[test]
    fn figures_are_those_of_the_ledger() {
        assert_eq!(parity()["as_printed"], 4);
        assert_eq!(parity()["with_vp"], 0);
        assert_eq!(full_pipeline()["idle_with_6_bits"], 13);
        assert_eq!(full_pipeline()["enough"], 19);
        assert_eq!(bound()["petit_cycles"], 8.0);
        let exact = bound()["within_all_exactly"].as_f64().unwrap();
        assert!((exact - 6.6e-8).abs() < 1e-9, "{exact}");
    }
}
