//! Event log of a run: events of messages and nodes, phase by phase.

use serde::Serialize;
use std::fmt;

/// One line of the log of a TDMA machine, about a message. In a run of programs with data, a message
/// is a frame between neighbours, numbered in the order of the log.
///
/// Within a phase the messages that nodes return to their traffic sources come first. The frames
/// follow in ascending order of their senders, except that a loss precedes the arrival that caused
/// it. A frame has a line for the result at the receiver. A second line exists if the sender got no
/// answer or a NAK. The final outcome of a message is its last line that is a delivery, a loss, a drop
/// or [`Left`](MessageEventKind::Left).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MessageEvent {
    /// Phase, counted from the start.
    pub t: u64,
    /// Phase in the superframe.
    pub phase: u32,
    /// Sender. If no frame was sent, the node that has the message.
    pub node: u32,
    /// Number of the buffer that the message left, is in or was lost from. The number of dimensions
    /// denotes the injection buffer.
    pub from_reg: u32,
    /// Receiver. If no frame was sent, the node that has the message.
    pub to: u32,
    /// Source of the message.
    pub src: u32,
    /// Destination of the message.
    pub dst: u32,
    /// Position in the list of messages, counted from 0.
    pub message: u32,
    pub what: MessageEventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum MessageEventKind {
    /// The message advanced by one hop.
    #[serde(rename = "fwd")]
    Forwarded,
    /// The message arrived.
    #[serde(rename = "dlv")]
    Delivered,
    /// The receiver already had the message and acknowledged it once more.
    #[serde(rename = "repeat")]
    Repeated,
    /// The message was overwritten or damaged.
    #[serde(rename = "LOST")]
    Lost,
    /// The receive buffer was full (NAK), so the message stays at the sender.
    #[serde(rename = "held")]
    Nak,
    /// Timeout: no answer came. The frame will be sent again, even if it has arrived.
    #[serde(rename = "silent")]
    Timeout,
    /// The link is down, and the message was never accepted. The node returned it to its traffic
    /// source.
    #[serde(rename = "undelivered")]
    Undelivered,
    /// The link went down while an answer was missing. The node returned the message to its traffic
    /// source.
    #[serde(rename = "unknown")]
    Unknown,
    /// As `Undelivered` or `Unknown`, but another node has or had the message, too.
    #[serde(rename = "copy")]
    Copy,
    /// The message was delivered a second time.
    #[serde(rename = "twice")]
    Twice,
    /// The message was under way at the end of the run.
    #[serde(rename = "left")]
    Left,
}

impl fmt::Display for MessageEventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            MessageEventKind::Forwarded => "fwd",
            MessageEventKind::Delivered => "dlv",
            MessageEventKind::Repeated => "repeat",
            MessageEventKind::Lost => "LOST",
            MessageEventKind::Nak => "held",
            MessageEventKind::Timeout => "silent",
            MessageEventKind::Undelivered => "undelivered",
            MessageEventKind::Unknown => "unknown",
            MessageEventKind::Copy => "copy",
            MessageEventKind::Twice => "twice",
            MessageEventKind::Left => "left",
        })
    }
}

/// One line of the log about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeEvent {
    /// Phase, counted from the start.
    pub t: u64,
    /// Phase in the superframe.
    pub phase: u32,
    pub node: u32,
    pub what: NodeEventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeEventKind {
    /// Missed deadline: the node had not decided at the time when it might have sent.
    #[serde(rename = "late")]
    MissedDeadline,
    /// The node detected that it had lost sync.
    Slip,
    /// The node accepted something that was wrong.
    Error,
    /// The program of the node took a message of its host.
    Input,
    /// The node passed a message to its host: one of its program, or a routed one that it dropped.
    Output,
    /// The program of the node printed a text.
    Print,
    /// The program of the node ended.
    Exit,
}

impl fmt::Display for NodeEventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            NodeEventKind::MissedDeadline => "late",
            NodeEventKind::Slip => "slip",
            NodeEventKind::Error => "error",
            NodeEventKind::Input => "input",
            NodeEventKind::Output => "output",
            NodeEventKind::Print => "print",
            NodeEventKind::Exit => "exit",
        })
    }
}

/// A line of `--trace`: an event of a message or of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum LogLine {
    Message(MessageEvent),
    Node(NodeEvent),
}

/// Merges all lines by phase. In each phase the lines about nodes come last.
pub fn merge_by_phase(events: &[MessageEvent], notes: &[NodeEvent]) -> Vec<LogLine> {
    let mut lines: Vec<(u64, LogLine)> = vec![];
    lines.extend(events.iter().map(|e| (e.t, LogLine::Message(*e))));
    lines.extend(notes.iter().map(|n| (n.t, LogLine::Node(*n))));
    lines.sort_by_key(|(t, _)| *t);
    lines.into_iter().map(|(_, line)| line).collect()
}
