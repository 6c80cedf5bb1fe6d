//! What happened to messages, phase by phase.

use serde::Serialize;
use std::fmt;

/// One line of the event log of a TDMA machine. Within a phase the lines ascend
/// by sender, except that a loss stands before the arrival that caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The phase, counted from the start.
    pub t: u64,
    /// The phase in the superframe.
    pub phase: u32,
    /// The sender; of a loss, the node that lost the message.
    pub node: u32,
    /// The register that the message left or was lost from; the number of
    /// dimensions is the injection register.
    pub from_reg: u32,
    /// The receiver; of a loss, the node that lost the message.
    pub to: u32,
    /// Where the message comes from.
    pub src: u32,
    /// Where it is to go.
    pub dst: u32,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum What {
    /// It went one hop further.
    #[serde(rename = "fwd")]
    Forwarded,
    /// It arrived.
    #[serde(rename = "dlv")]
    Delivered,
    /// It was overwritten.
    #[serde(rename = "LOST")]
    Lost,
    /// The receiver's register was full: it stays where it is.
    #[serde(rename = "held")]
    Held,
    /// There was no answer: it stays, and will be sent again.
    #[serde(rename = "silent")]
    Silent,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            What::Forwarded => "fwd",
            What::Delivered => "dlv",
            What::Lost => "LOST",
            What::Held => "held",
            What::Silent => "silent",
        })
    }
}
