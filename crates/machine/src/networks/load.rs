//! Networks under steady load: the measurements on a machine, and their comparison with a paper's
//! claim.

use serde::Serialize;

/// Results of a load sweep on a machine.
///
/// Loads are shares of the maximum that the channels can carry. At the maximum, messages take
/// shortest routes to random nodes and all channels are always busy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadSweepResult {
    /// Lightest load of the sweep.
    pub lightest: f64,
    /// Mean number of channels on the routes of the messages at the lightest load. `None` if there
    /// are no messages.
    pub distance: Option<f64>,
    /// Mean latency of these messages, in bit-times. `None` if none arrived.
    pub latency: Option<f64>,
    /// Highest share of the channels' time that was used. `None` if the machine does not count it.
    pub peak_utilisation: Option<f64>,
}

/// Claim of a paper and the measured result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimVerdict {
    /// Paper and section.
    pub source: &'static str,
    /// Claim in one sentence, without its full stop.
    pub claim: String,
    /// Measured result, with figures.
    pub found: String,
    pub holds: bool,
    /// Claimed share of the channels, drawn as a line in the plot.
    pub share: Option<f64>,
}
