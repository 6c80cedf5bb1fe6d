//! The shortest phase by calculation, term by term.

use super::Conditions;
use serde::Serialize;
use std::fmt;

/// Clock cycles that a phase needs for the circuits at most: from the edge of the
/// phase clock to a pull of the wire 5 to 6, from there to a byte 3 to 4 less what
/// the receiver samples early, and the receiver's own begin comes 3 to 4 after the
/// edge that ends the phase. How the clocks stand to each other decides.
const LATENCY: f64 = 6.0;

/// Bit-times from the edge of a start bit to the middle of the stop bit.
const LAST_SAMPLE: f64 = 9.5;

/// What sets the minimum, beside the frame itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The synchronisers and registers on the way.
    Latency,
    /// The phase clock comes later to one node than to the other.
    Skew,
    /// The sender waits, for a receiver that begins the phase later.
    Guard,
    /// A slow sender's frame takes longer.
    Mismatch,
    /// The receiver's last sample is off by half a bit: no phase is long enough.
    UartSampling,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Limit::Latency => "latency",
            Limit::Skew => "skew",
            Limit::Guard => "guard",
            Limit::Mismatch => "frame x mismatch",
            Limit::UartSampling => "UART sampling",
        })
    }
}

/// The minimum by calculation, for the worst alignment of the clocks, in
/// bit-times; a phase is the sum of its terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expectation {
    /// The frame up to the middle of its last stop bit.
    pub frame: f64,
    /// What a slow sender adds to it.
    pub mismatch: f64,
    pub skew: f64,
    /// The dead time: how long a sender waits that begins the phase first. A
    /// receiver that comes late still finds a start bit for half a bit-time, less
    /// what the mismatch takes of that.
    pub guard: f64,
    pub latency: f64,
    /// Whether the receiver samples the last bit where it is.
    pub samples_well: bool,
}

impl Expectation {
    pub fn of(conditions: &Conditions) -> Self {
        let clock_cycle = 1.0 / f64::from(conditions.clocks_per_bit);
        let mismatch = conditions.mismatch.abs() * 1e-6;
        // An edge is seen up to a clock cycle late, and sampling points are whole
        // clock cycles.
        let slack = 0.5 - LAST_SAMPLE * mismatch;
        let guard = conditions.skew.abs() - slack.max(0.0) - clock_cycle;
        Expectation {
            frame: conditions.frame() - 0.5,
            mismatch: conditions.frame() * mismatch / 2.0,
            skew: conditions.skew.abs(),
            guard: guard.max(0.0),
            latency: LATENCY * clock_cycle,
            samples_well: slack > clock_cycle / 2.0,
        }
    }

    /// Bit-times of the shortest phase.
    pub fn phase(&self) -> f64 {
        self.frame + self.mismatch + self.skew + self.guard + self.latency
    }

    /// The largest term beside the frame.
    pub fn limit(&self) -> Limit {
        if !self.samples_well {
            return Limit::UartSampling;
        }
        let terms = [
            (Limit::Latency, self.latency),
            (Limit::Skew, self.skew),
            (Limit::Guard, self.guard),
            (Limit::Mismatch, self.mismatch),
        ];
        let larger = |a: (Limit, f64), b: (Limit, f64)| if b.1 > a.1 { b } else { a };
        terms.into_iter().fold(terms[0], larger).0
    }
}
