//! Calculation of the shortest phase, term by term.

use super::SkewConditions;
use serde::Serialize;
use std::fmt;

/// Maximum clock cycles that a phase needs for the circuits. From the edge of the phase clock to a
/// pull of the wire are 5 to 6 clock cycles. From there to a byte are 3 to 4, less the early
/// sampling of the receiver. The receiver begins its own phase 3 to 4 after the edge that ends the
/// phase. The exact value depends on the alignment of the clocks.
const LATENCY: f64 = 6.0;

/// Bit-times from the edge of a start bit to the middle of the stop bit.
const LAST_SAMPLE: f64 = 9.5;

/// Term that determines the minimum, in addition to the frame itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Synchronisers and registers on the path.
    Latency,
    /// Later arrival of the phase clock at one node than at the other.
    Skew,
    /// Wait of the sender for a receiver that begins the phase later.
    Guard,
    /// Longer duration of a slow sender's frame.
    Mismatch,
    /// The receiver's last sample is off by half a bit. No phase is long enough.
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

/// Calculated minimum for the worst alignment of the clocks, in bit-times. A phase is the sum of
/// its terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expectation {
    /// Frame up to the middle of its last stop bit.
    pub frame: f64,
    /// Additional duration with a slow sender.
    pub mismatch: f64,
    pub skew: f64,
    /// Dead time: wait of a sender that begins the phase first. A late receiver still detects a
    /// start bit for half a bit-time, less the share lost to the mismatch.
    pub guard: f64,
    pub latency: f64,
    /// True if the receiver samples the last bit within the bit.
    pub samples_well: bool,
}

impl Expectation {
    pub fn of(conditions: &SkewConditions) -> Self {
        let clock_cycle = 1.0 / f64::from(conditions.clocks_per_bit);
        let mismatch = conditions.mismatch.abs() * 1e-6;
        // An edge is detected up to a clock cycle late, and sampling points are whole clock cycles.
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

    /// Returns the bit-times of the shortest phase.
    pub fn phase(&self) -> f64 {
        self.frame + self.mismatch + self.skew + self.guard + self.latency
    }

    /// Returns the largest term other than the frame.
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
