//! Transcript of a dialogue with a board, run by run.

use super::lines::{BoardTextLine, BytesDoneLine, Cm1DoneLine, DoneLine, MessageLine, RunLine};
use machine::text::format_count;
use serde::Serialize;
use std::fmt;

/// All lines of a dialogue.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Transcript {
    /// Identification of the design, if the board has sent it.
    pub banner: Option<String>,
    pub runs: Vec<RecordedRun>,
    /// Commands that the board refused.
    pub rejected: usize,
    /// Commands without an answer, on a board that answers commands.
    pub unanswered: usize,
    /// Lines outside the protocol.
    pub other: usize,
}

/// Run on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedRun {
    #[serde(flatten)]
    pub traffic: RunLine,
    /// Network of the messages, if the board has named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Arrivals in order. A message to its own source has no arrival.
    pub arrivals: Vec<MessageLine>,
    /// `None` if the board never finished.
    pub counters: Option<RunCounters>,
    /// Results of the same messages in the CM-1. `None` until the board starts that part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cm1: Option<Cm1Pass>,
}

/// Counters that the host on the board prints after a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RunCounters {
    /// Counters of a run over the links of the cube.
    Links(DoneLine),
    /// Counters of a run through a byte network.
    Bytes(BytesDoneLine),
}

/// CM-1 part of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cm1Pass {
    /// As in [`RecordedRun`].
    pub arrivals: Vec<MessageLine>,
    /// `None` if the board never finished.
    pub counters: Option<Cm1DoneLine>,
}

impl Transcript {
    /// Adds the next line.
    pub fn push(&mut self, line: &BoardTextLine) {
        match line {
            BoardTextLine::Banner(what) => self.banner = Some(what.clone()),
            BoardTextLine::Ready => {}
            BoardTextLine::Error(_) => self.rejected += 1,
            BoardTextLine::Run(run) => self.runs.push(RecordedRun {
                traffic: run.clone(),
                network: None,
                arrivals: vec![],
                counters: None,
                cm1: None,
            }),
            // Lines of a run whose start was missed are not added.
            line => {
                let known = self.runs.last_mut().is_some_and(|run| run.push(line));
                self.other += usize::from(!known);
            }
        }
    }

    /// Describes the first fault in the transcript.
    pub fn fault(&self) -> Option<String> {
        if self.rejected > 0 {
            return Some("the board rejected a command".into());
        }
        if self.unanswered > 0 {
            return Some("the board did not answer a command".into());
        }
        self.runs.iter().find_map(RecordedRun::fault)
    }
}

impl RecordedRun {
    /// Adds a line of a run. Returns whether the line belongs to one.
    fn push(&mut self, line: &BoardTextLine) -> bool {
        match (line, &mut self.cm1) {
            (BoardTextLine::Network(name), cm1 @ None) if name == "cm1" => {
                *cm1 = Some(Cm1Pass::default())
            }
            (BoardTextLine::Network(name), None) => self.network = Some(name.clone()),
            (BoardTextLine::Message(message), None) => self.arrivals.push(message.clone()),
            (BoardTextLine::Message(message), Some(cm1)) => cm1.arrivals.push(message.clone()),
            (BoardTextLine::Done(done), None) => {
                self.counters = Some(RunCounters::Links(done.clone()))
            }
            (BoardTextLine::BytesDone(done), None) => {
                self.counters = Some(RunCounters::Bytes(done.clone()))
            }
            (BoardTextLine::Cm1Done(done), Some(cm1)) => cm1.counters = Some(done.clone()),
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
        let first =
            self.check_counts(&format!("the run {name}"), done.message_counts(), &self.arrivals);
        if first.is_some() || (!done.cm1_follows() && self.cm1.is_none()) {
            return first;
        }
        let through_cm1 = format!("the run {name} through the CM-1");
        let Some((cm1, done)) = self.cm1.as_ref().and_then(|c| Some((c, c.counters.as_ref()?)))
        else {
            return Some(format!("{through_cm1} did not end"));
        };
        let counts = (done.delivered, done.lost, done.wrong);
        self.check_counts(&through_cm1, counts, &cm1.arrivals)
    }

    /// Checks these numbers of delivered, lost and wrong messages.
    fn check_counts(
        &self,
        what: &str,
        (delivered, lost, wrong): (u64, u64, u64),
        arrivals: &[MessageLine],
    ) -> Option<String> {
        if lost > 0 || wrong > 0 {
            return Some(format!(
                "{what} lost {}, and {wrong} arrivals were wrong",
                format_count(lost, "message")
            ));
        }
        let reported = arrivals.len() as u64 + self.traffic.to_self;
        if reported != delivered || reported != self.traffic.messages {
            return Some(format!(
                "{what} reports {reported} arrivals, {delivered} delivered, {} messages",
                self.traffic.messages
            ));
        }
        None
    }
}

impl RunCounters {
    /// Numbers of delivered messages, lost messages and wrong arrivals.
    fn message_counts(&self) -> (u64, u64, u64) {
        match self {
            RunCounters::Links(done) => (done.delivered, done.lost, done.wrong),
            RunCounters::Bytes(done) => (done.delivered, done.lost, done.wrong),
        }
    }

    /// True if the CM-1 part follows. Only then the board reports clock cycles of the links.
    fn cm1_follows(&self) -> bool {
        matches!(self, RunCounters::Links(done) if done.clocks.is_some())
    }
}

/// One line for each run, and in a comparison one more for the CM-1.
impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.runs.is_empty() {
            return writeln!(f, "no run was received, {} other lines", self.other);
        }
        self.runs.iter().try_for_each(|run| run.fmt(f))
    }
}

impl fmt::Display for RecordedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunLine { pattern, seed, messages, .. } = &self.traffic;
        write!(f, "{pattern} {seed:#x}: ")?;
        match &self.counters {
            None => writeln!(f, "did not end")?,
            Some(RunCounters::Links(done)) => {
                write!(
                    f,
                    "{} of {} delivered, {}, {}",
                    done.delivered,
                    format_count(*messages, "message"),
                    format_count(done.superframes, "superframe"),
                    format_count(done.hops, "hop")
                )?;
                if let Some(clocks) = done.clocks {
                    write!(f, ", {clocks} clock cycles")?;
                }
                writeln!(f)?;
            }
            Some(RunCounters::Bytes(done)) => writeln!(
                f,
                "{} of {} delivered, {} bytes over channels, {} clock cycles",
                done.delivered,
                format_count(*messages, "message"),
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
                format_count(*messages, "message"),
                format_count(done.petits, "petit cycle"),
                done.bit_times,
                done.clocks
            ),
        }
    }
}
