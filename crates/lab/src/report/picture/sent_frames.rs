//! Frames in one period of a schedule, read from the event log.

use super::ScheduledMachine;
use machine::format_count::format_count;
use machine::{MessageEvent, MessageEventKind};
use std::collections::HashMap;

/// Outcome of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SendOutcome {
    Accepted,
    Nak,
    Timeout,
    Lost,
}

impl SendOutcome {
    pub const ALL: [SendOutcome; 4] = [
        SendOutcome::Accepted,
        SendOutcome::Nak,
        SendOutcome::Timeout,
        SendOutcome::Lost,
    ];

    /// Style class of the outcome.
    pub fn class(self) -> &'static str {
        match self {
            SendOutcome::Accepted => "taken",
            SendOutcome::Nak => "refused",
            SendOutcome::Timeout => "silent",
            SendOutcome::Lost => "lost",
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            SendOutcome::Accepted => "sent and taken (● at home)",
            SendOutcome::Nak => "NAK",
            SendOutcome::Timeout => "timeout",
            SendOutcome::Lost => "lost",
        }
    }
}

/// Frame that a node sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentFrame {
    pub outcome: SendOutcome,
    /// True if the message has reached its destination.
    pub delivered: bool,
    /// Source and destination of the message.
    pub route: (u32, u32),
}

/// Frames that were sent in a period.
pub struct SentFrames<'a> {
    pub machine: ScheduledMachine<'a>,
    /// Indexed by step and sender.
    sent: HashMap<(u32, u32), SentFrame>,
    /// Messages that were overwritten in a buffer, indexed by step and node.
    overwritten: HashMap<(u32, u32), (u32, u32)>,
}

impl<'a> SentFrames<'a> {
    pub fn new(machine: ScheduledMachine<'a>, events: &[MessageEvent], number: u64) -> Self {
        let period = machine.period;
        let (mut sent, mut overwritten) = (HashMap::new(), HashMap::new());
        for event in events.iter().filter(|e| period.number(e.t) == number) {
            let route = (event.src, event.dst);
            let place = (period.step(event.t), event.node);
            let outcome = match event.what {
                MessageEventKind::Forwarded
                | MessageEventKind::Delivered
                | MessageEventKind::Repeated => SendOutcome::Accepted,
                MessageEventKind::Nak => SendOutcome::Nak,
                MessageEventKind::Timeout => SendOutcome::Timeout,
                MessageEventKind::Lost if event.node == event.to => {
                    overwritten.insert(place, route);
                    continue;
                }
                MessageEventKind::Lost => SendOutcome::Lost,
                MessageEventKind::Undelivered
                | MessageEventKind::Unknown
                | MessageEventKind::Copy
                | MessageEventKind::Twice
                | MessageEventKind::Left => continue,
            };
            // A frame that was stored but not acknowledged has two log lines.
            let send = sent.entry(place).or_insert(SentFrame {
                outcome,
                delivered: false,
                route,
            });
            send.outcome = outcome;
            send.delivered |= event.what == MessageEventKind::Delivered;
        }
        SentFrames {
            machine,
            sent,
            overwritten,
        }
    }

    /// Number of steps in the period.
    pub fn steps(&self) -> u32 {
        self.machine.period.schedule.period()
    }

    /// True if a node may send in a step.
    pub fn may_send(&self, step: u32, node: u32) -> bool {
        let schedule = &self.machine.period.schedule;
        schedule.sends(node, step).is_some()
    }

    pub fn sent(&self, step: u32, node: u32) -> Option<SentFrame> {
        self.sent.get(&(step, node)).copied()
    }

    /// Message that a node lost because another message overwrote it in its buffer.
    pub fn overwritten(&self, step: u32, node: u32) -> Option<(u32, u32)> {
        self.overwritten.get(&(step, node)).copied()
    }

    /// Summary in one line.
    pub fn summary(&self) -> String {
        let count = |wanted| self.sent.values().filter(|s| s.outcome == wanted).count();
        let may = |step| (0..self.machine.nodes()).filter(move |node| self.may_send(step, *node));
        let places = (0..self.steps()).flat_map(may).count();
        let mut text = format!(
            "{} in {}",
            format_count(self.sent.len(), "frame"),
            format_count(places, "place")
        );
        for (outcome, what) in [
            (SendOutcome::Nak, "with a NAK"),
            (SendOutcome::Timeout, "with a timeout"),
            (SendOutcome::Lost, "lost"),
        ] {
            if count(outcome) > 0 {
                text += &format!(", {} {what}", count(outcome));
            }
        }
        if !self.overwritten.is_empty() {
            text += &format!(
                ", {} overwritten",
                format_count(self.overwritten.len(), "message")
            );
        }
        text
    }
}
