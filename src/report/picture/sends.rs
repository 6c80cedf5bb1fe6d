//! Frames in one period of a schedule, read from the event log.

use super::Scheduled;
use crate::counted::counted;
use crate::machine::{Event, EventKind};
use std::collections::HashMap;

/// Outcome of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FrameFate {
    Taken,
    Refused,
    Silent,
    Lost,
}

impl FrameFate {
    pub const ALL: [FrameFate; 4] = [
        FrameFate::Taken,
        FrameFate::Refused,
        FrameFate::Silent,
        FrameFate::Lost,
    ];

    /// Style class of the outcome.
    pub fn class(self) -> &'static str {
        match self {
            FrameFate::Taken => "taken",
            FrameFate::Refused => "refused",
            FrameFate::Silent => "silent",
            FrameFate::Lost => "lost",
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            FrameFate::Taken => "sent and taken (● at home)",
            FrameFate::Refused => "refused",
            FrameFate::Silent => "not answered",
            FrameFate::Lost => "lost",
        }
    }
}

/// Frame that a node sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    pub outcome: FrameFate,
    /// True if the message has reached its destination.
    pub home: bool,
    /// Source and destination of the message.
    pub route: (u32, u32),
}

/// Frames that were sent in a period.
pub struct Sends<'a> {
    pub machine: Scheduled<'a>,
    /// Indexed by step and sender.
    sent: HashMap<(u32, u32), Send>,
    /// Messages that were overwritten in a buffer, indexed by step and node.
    overwritten: HashMap<(u32, u32), (u32, u32)>,
}

impl<'a> Sends<'a> {
    pub fn new(machine: Scheduled<'a>, events: &[Event], number: u64) -> Self {
        let period = machine.period;
        let (mut sent, mut overwritten) = (HashMap::new(), HashMap::new());
        for event in events.iter().filter(|e| period.number(e.t) == number) {
            let route = (event.src, event.dst);
            let place = (period.step(event.t), event.node);
            let outcome = match event.what {
                EventKind::Forwarded | EventKind::Delivered | EventKind::Repeated => {
                    FrameFate::Taken
                }
                EventKind::Held => FrameFate::Refused,
                EventKind::Silent => FrameFate::Silent,
                EventKind::Lost if event.node == event.to => {
                    overwritten.insert(place, route);
                    continue;
                }
                EventKind::Lost => FrameFate::Lost,
                EventKind::Undelivered
                | EventKind::Unknown
                | EventKind::Copy
                | EventKind::Twice
                | EventKind::Left => continue,
            };
            // A frame that was stored but not acknowledged has two log lines.
            let send = sent.entry(place).or_insert(Send {
                outcome,
                home: false,
                route,
            });
            send.outcome = outcome;
            send.home |= event.what == EventKind::Delivered;
        }
        Sends {
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

    pub fn sent(&self, step: u32, node: u32) -> Option<Send> {
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
            counted(self.sent.len(), "frame"),
            counted(places, "place")
        );
        for (outcome, what) in [
            (FrameFate::Refused, "refused"),
            (FrameFate::Silent, "not answered"),
            (FrameFate::Lost, "lost"),
        ] {
            if count(outcome) > 0 {
                text += &format!(", {} {what}", count(outcome));
            }
        }
        if !self.overwritten.is_empty() {
            text += &format!(
                ", {} overwritten",
                counted(self.overwritten.len(), "message")
            );
        }
        text
    }
}
