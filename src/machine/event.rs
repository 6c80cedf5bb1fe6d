//! What happened to messages and nodes, phase by phase: the log of a run.

use serde::Serialize;
use std::fmt;

/// One line of the log of a TDMA machine, about a message.
///
/// Within a phase what nodes give to their hosts stands first. Then come the frames:
/// their lines ascend by sender, except that a loss stands before the arrival that
/// caused it. A frame has a line for what the receiver made of it, and one if the
/// sender got no answer or a refusal. What a message has last of the lines that
/// [end](EventKind::ends) it is its fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The phase, counted from the start.
    pub t: u64,
    /// The phase in the superframe.
    pub phase: u32,
    /// The sender; where no frame was sent, the node that has the message.
    pub node: u32,
    /// The register that the message left, is in or was lost from; the number of
    /// dimensions is the injection register.
    pub from_reg: u32,
    /// The receiver; where no frame was sent, the node that has the message.
    pub to: u32,
    /// Where the message comes from.
    pub src: u32,
    /// Where it is to go.
    pub dst: u32,
    /// Its place in the list of messages, counted from 0.
    pub message: u32,
    pub what: EventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum EventKind {
    /// It went one hop further.
    #[serde(rename = "fwd")]
    Forwarded,
    /// It arrived.
    #[serde(rename = "dlv")]
    Delivered,
    /// The receiver had it already, and said so once more.
    #[serde(rename = "repeat")]
    Repeated,
    /// It was overwritten or damaged.
    #[serde(rename = "LOST")]
    Lost,
    /// The receiver's register was full: it stays where it is.
    #[serde(rename = "held")]
    Held,
    /// There was no answer: it will be sent again, arrived or not.
    #[serde(rename = "silent")]
    Silent,
    /// Its link is down, and it was never taken: the node gave it to its host.
    #[serde(rename = "undelivered")]
    Undelivered,
    /// Its link went down while an answer was missing: the node gave it to its host.
    #[serde(rename = "unknown")]
    Unknown,
    /// As `Undelivered` or `Unknown`, but another node has or had it too.
    #[serde(rename = "copy")]
    Copy,
    /// It was handed over a second time.
    #[serde(rename = "twice")]
    Twice,
    /// The run ended, and it was still under way.
    #[serde(rename = "left")]
    Left,
}

impl EventKind {
    /// Whether such a line says what became of the message, until a later one
    /// says otherwise.
    pub fn ends(self) -> bool {
        use EventKind::{Delivered, Left, Lost, Undelivered, Unknown};
        matches!(self, Delivered | Lost | Undelivered | Unknown | Left)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            EventKind::Forwarded => "fwd",
            EventKind::Delivered => "dlv",
            EventKind::Repeated => "repeat",
            EventKind::Lost => "LOST",
            EventKind::Held => "held",
            EventKind::Silent => "silent",
            EventKind::Undelivered => "undelivered",
            EventKind::Unknown => "unknown",
            EventKind::Copy => "copy",
            EventKind::Twice => "twice",
            EventKind::Left => "left",
        })
    }
}

/// One line of the log about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The phase, counted from the start.
    pub t: u64,
    /// The phase in the superframe.
    pub phase: u32,
    pub node: u32,
    pub what: NoteKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteKind {
    /// The node had not decided when it might have sent.
    Late,
    /// It found itself out of step.
    Slip,
    /// It took something for right that is not.
    Error,
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            NoteKind::Late => "late",
            NoteKind::Slip => "slip",
            NoteKind::Error => "error",
        })
    }
}

/// A line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum LogLine {
    Message(Event),
    Node(Note),
}

/// All lines by phase, those about nodes last in theirs.
pub fn merged(events: &[Event], notes: &[Note]) -> Vec<LogLine> {
    let mut lines: Vec<(u64, LogLine)> = vec![];
    lines.extend(events.iter().map(|e| (e.t, LogLine::Message(*e))));
    lines.extend(notes.iter().map(|n| (n.t, LogLine::Node(*n))));
    lines.sort_by_key(|(t, _)| *t);
    lines.into_iter().map(|(_, line)| line).collect()
}
