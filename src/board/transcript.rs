//! Transcript of a dialogue with a board, run by run.

use super::lines::{BytesDoneLine, Cm1DoneLine, DoneLine, Line, MessageLine, RunLine};
use crate::counted::counted;
use serde::Serialize;
use std::fmt;

/// All lines of a dialogue.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Transcript {
    /// Identification of the design, if the board has sent it.
    pub banner: Option<String>,
    pub runs: Vec<Run>,
    /// Commands that the board refused.
    pub refused: usize,
    /// Commands without an answer, on a board that answers commands.
    pub unanswered: usize,
    /// Lines outside the protocol.
    pub other: usize,
}

/// Run on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    #[serde(flatten)]
    pub traffic: RunLine,
    /// Network of the messages, if the board has named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Arrivals in order. A message to its own source has no arrival.
    pub arrivals: Vec<MessageLine>,
    /// `None` if the board never finished.
    pub counters: Option<Counters>,
    /// Results of the same messages in the CM-1. `None` until the board starts that part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cm1: Option<Cm1Pass>,
}

/// Counters of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Counters {
    /// Counters of a run over the links of the cube.
    Links(DoneLine),
    /// Counters of a run through a byte network.
    Bytes(BytesDoneLine),
}

/// CM-1 part of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cm1Pass {
    /// As in [`Run`].
    pub arrivals: Vec<MessageLine>,
    /// `None` if the board never finished.
    pub counters: Option<Cm1DoneLine>,
}

impl Transcript {
    /// Adds the next line.
    pub fn enter(&mut self, line: &Line) {
        match line {
            Line::Banner(what) => self.banner = Some(what.clone()),
            Line::Ready => {}
            Line::Error(_) => self.refused += 1,
            Line::Run(run) => self.runs.push(Run {
                traffic: run.clone(),
                network: None,
                arrivals: vec![],
                counters: None,
                cm1: None,
            }),
            // Lines of a run whose start was missed are not added.
            line => {
                let known = self.runs.last_mut().is_some_and(|run| run.enter(line));
                self.other += usize::from(!known);
            }
        }
    }

    /// Describes the first fault in the transcript.
    pub fn fault(&self) -> Option<String> {
        if self.refused > 0 {
            return Some("the board refused a command".into());
        }
        if self.unanswered > 0 {
            return Some("the board did not answer a command".into());
        }
        self.runs.iter().find_map(Run::fault)
    }
}

impl Run {
    /// Adds a line of a run. Returns whether the line belongs to one.
    fn enter(&mut self, line: &Line) -> bool {
        match (line, &mut self.cm1) {
            (Line::Network(name), cm1 @ None) if name == "cm1" => *cm1 = Some(Cm1Pass::default()),
            (Line::Network(name), None) => self.network = Some(name.clone()),
            (Line::Message(message), None) => self.arrivals.push(message.clone()),
            (Line::Message(message), Some(cm1)) => cm1.arrivals.push(message.clone()),
            (Line::Done(done), None) => self.counters = Some(Counters::Links(done.clone())),
            (Line::BytesDone(done), None) => self.counters = Some(Counters::Bytes(done.clone())),
            (Line::Cm1Done(done), Some(cm1)) => cm1.counters = Some(done.clone()),
            _ => return false,
        }
        true
    }

    /// Describes the first fault: counters that report losses, or that disagree with the message
    /// lines, in either network.
    pub fn fault(&self) -> Option<String> {
        let name = format!("{} {:#x}", self.traffic.pattern, self.traffic.seed);
        let Some(done) = &self.counters else {
            return Some(format!("the run {name} did not end"));
        };
        let first = self.fault_of(&format!("the run {name}"), done.fates(), &self.arrivals);
        if first.is_some() || (!done.goes_on() && self.cm1.is_none()) {
            return first;
        }
        let through_cm1 = format!("the run {name} through the CM-1");
        let Some((cm1, done)) = self
            .cm1
            .as_ref()
            .and_then(|c| Some((c, c.counters.as_ref()?)))
        else {
            return Some(format!("{through_cm1} did not end"));
        };
        let counts = (done.delivered, done.lost, done.wrong);
        self.fault_of(&through_cm1, counts, &cm1.arrivals)
    }

    /// Checks these numbers of delivered, lost and wrong messages.
    fn fault_of(
        &self,
        what: &str,
        (delivered, lost, wrong): (u64, u64, u64),
        arrivals: &[MessageLine],
    ) -> Option<String> {
        if lost > 0 || wrong > 0 {
            return Some(format!(
                "{what} lost {}, and {wrong} arrivals were wrong",
                counted(lost, "message")
            ));
        }
        let told = arrivals.len() as u64 + self.traffic.to_self;
        if told != delivered || told != self.traffic.messages {
            return Some(format!(
                "{what} tells of {told} arrivals, {delivered} delivered, {} messages",
                self.traffic.messages
            ));
        }
        None
    }
}

impl Counters {
    /// Numbers of delivered messages, lost messages and wrong arrivals.
    fn fates(&self) -> (u64, u64, u64) {
        match self {
            Counters::Links(done) => (done.delivered, done.lost, done.wrong),
            Counters::Bytes(done) => (done.delivered, done.lost, done.wrong),
        }
    }

    /// True if the CM-1 part follows. Only then the board reports clock cycles of the links.
    fn goes_on(&self) -> bool {
        matches!(self, Counters::Links(done) if done.clocks.is_some())
    }
}

/// One line for each run, and in a comparison one more for the CM-1.
impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.runs.is_empty() {
            return writeln!(f, "no run was heard, {} other lines", self.other);
        }
        self.runs.iter().try_for_each(|run| run.fmt(f))
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunLine {
            pattern,
            seed,
            messages,
            ..
        } = &self.traffic;
        write!(f, "{pattern} {seed:#x}: ")?;
        match &self.counters {
            None => writeln!(f, "did not end")?,
            Some(Counters::Links(done)) => {
                write!(
                    f,
                    "{} of {} delivered, {}, {}",
                    done.delivered,
                    counted(*messages, "message"),
                    counted(done.superframes, "superframe"),
                    counted(done.hops, "hop")
                )?;
                if let Some(clocks) = done.clocks {
                    write!(f, ", {clocks} clock cycles")?;
                }
                writeln!(f)?;
            }
            Some(Counters::Bytes(done)) => writeln!(
                f,
                "{} of {} delivered, {} bytes over channels, {} clock cycles",
                done.delivered,
                counted(*messages, "message"),
                done.bytes,
                done.clocks
            )?,
        }
        let Some(cm1) = &self.cm1 else {
            return Ok(());
        };
        write!(f, "{pattern} {seed:#x} through the CM-1: ")?;
        match &cm1.counters {
            None => writeln!(f, "did not end"),
            Some(done) => writeln!(
                f,
                "{} of {} delivered, {}, {} bit-times, {} clock cycles",
                done.delivered,
                counted(*messages, "message"),
                counted(done.petits, "petit cycle"),
                done.bit_times,
                done.clocks
            ),
        }
    }
}
