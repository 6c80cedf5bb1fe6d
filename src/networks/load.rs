//! A network under steady load: what is found of a machine, and what that makes of a
//! paper's claim.

use serde::Serialize;

/// What a sweep over load has found of a machine.
///
/// Loads are shares of what the channels can carry at most, if messages go by shortest
/// ways to nodes drawn at random and all channels are always busy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadFound {
    /// The lightest load that was tried.
    pub lightest: f64,
    /// Channels on the ways of its messages, the mean; `None` if there are none.
    pub distance: Option<f64>,
    /// Their mean latency, in bit-times; `None` if none arrived.
    pub latency: Option<f64>,
    /// The greatest share of the channels' time that was used; `None` if nobody counts it.
    pub most_used: Option<f64>,
}

/// A claim of a paper, and what is so.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Paper and section.
    pub source: &'static str,
    /// In a sentence, without its full stop.
    pub claim: String,
    /// What was found, with the figures.
    pub found: String,
    pub holds: bool,
    /// The share of the channels that is claimed, for a line in the plot.
    pub share: Option<f64>,
}
