use super::lines::{DoneLine, Line, MessageLine, RunLine};
use super::port::{HostPort, PortError};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// A talk with a board over its host port.
pub struct Session<'a> {
    port: &'a mut dyn HostPort,
    /// Bytes of a line that has not ended.
    begun: Vec<u8>,
    transcript: Transcript,
}

/// All that was said.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Transcript {
    /// What the board says it runs, if it has said so.
    pub banner: Option<String>,
    pub runs: Vec<Run>,
    /// Commands that the board refused.
    pub refused: usize,
    /// Commands that a board which answers commands did not answer.
    pub unanswered: usize,
    /// Lines that are none of the protocol's.
    pub other: usize,
}

/// A run on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    #[serde(flatten)]
    pub traffic: RunLine,
    /// In order of arrival; messages to their own source have none.
    pub arrivals: Vec<MessageLine>,
    /// `None` if the board never came to an end.
    pub counters: Option<DoneLine>,
}

/// How long a board that says nothing is waited for, in its own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until it is taken to wait for a command: it may have said so before anyone
    /// listened.
    pub idle: Duration,
    /// In a run.
    pub running: Duration,
}

impl Patience {
    /// A board gives a run up after 100 superframes without an arrival, a third of a
    /// second. On a desk, where a person plugs things in.
    pub const DESK: Patience = Patience {
        idle: Duration::from_millis(1000),
        running: Duration::from_millis(3000),
    };

    /// In a simulation, where nobody is late and a millisecond takes long.
    pub const SIMULATION: Patience = Patience {
        idle: Duration::from_millis(4),
        running: Duration::from_millis(1000),
    };
}

impl<'a> Session<'a> {
    pub fn new(port: &'a mut dyn HostPort) -> Self {
        Session {
            port,
            begun: vec![],
            transcript: Transcript::default(),
        }
    }

    /// Gives a command when the board waits for one, and listens until it is done
    /// with it. `heard` gets every line as it comes.
    ///
    /// # Errors
    /// If the port fails.
    pub fn command(
        &mut self,
        command: &str,
        patience: Patience,
        heard: &mut dyn FnMut(&str, &Line) -> bool,
    ) -> Result<(), PortError> {
        self.listen(patience.idle, heard, |line| *line == Line::Ready)?;
        self.port.send(format!("{command}\n").as_bytes())?;
        // A board that speaks so answers every command, but first makes the messages.
        let answers = self.transcript.banner.is_some();
        let mut running = answers;
        let mut answered = false;
        loop {
            let patience = match running {
                true => patience.running,
                false => patience.idle,
            };
            let mut began = false;
            let ended = self.listen(patience, heard, |line| {
                began = matches!(line, Line::Run(_));
                began || matches!(line, Line::Done(_) | Line::Error(_))
            })?;
            answered |= ended;
            if !(ended && began) {
                self.transcript.unanswered += usize::from(answers && !answered);
                return Ok(());
            }
            running = true;
        }
    }

    /// Hears lines until one is the last, or nothing has come for as long as
    /// `patience`, or `heard` has had enough; whether the last one came.
    pub fn listen(
        &mut self,
        patience: Duration,
        heard: &mut dyn FnMut(&str, &Line) -> bool,
        mut is_last: impl FnMut(&Line) -> bool,
    ) -> Result<bool, PortError> {
        let mut silence = Duration::ZERO;
        while silence < patience {
            // Lines that came with the last one are not lost: one at a time.
            while let Some(text) = self.next_line() {
                let line = Line::read(&text);
                self.transcript.enter(&line);
                if !heard(&text, &line) {
                    return Ok(false);
                }
                if is_last(&line) {
                    return Ok(true);
                }
            }
            let (bytes, took) = self.port.receive()?;
            silence = match bytes.is_empty() {
                true => silence + took,
                false => Duration::ZERO,
            };
            self.begun.extend(bytes);
        }
        // What has no end of line, and will have none.
        if !self.begun.is_empty() {
            let text = String::from_utf8_lossy(&std::mem::take(&mut self.begun)).into_owned();
            let line = Line::read(&text);
            self.transcript.enter(&line);
            heard(&text, &line);
        }
        Ok(false)
    }

    /// The first whole line of what has come; empty ones are left out.
    fn next_line(&mut self) -> Option<String> {
        loop {
            let end = self.begun.iter().position(|byte| *byte == b'\n')?;
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\r', '\n']);
            if !text.is_empty() {
                return Some(text.into());
            }
        }
    }

    /// All that was said.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

impl Transcript {
    fn enter(&mut self, line: &Line) {
        match line {
            Line::Banner(what) => self.banner = Some(what.clone()),
            Line::Ready => {}
            Line::Error(_) => self.refused += 1,
            Line::Run(run) => self.runs.push(Run {
                traffic: run.clone(),
                arrivals: vec![],
                counters: None,
            }),
            Line::Message(message) => match self.runs.last_mut() {
                Some(run) => run.arrivals.push(message.clone()),
                // The start of the run was not heard.
                None => self.other += 1,
            },
            Line::Done(done) => match self.runs.last_mut() {
                Some(run) => run.counters = Some(done.clone()),
                None => self.other += 1,
            },
            Line::Other(_) => self.other += 1,
        }
    }

    /// What is wrong with it, if anything is.
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
    /// What is wrong with it: the counters tell of losses, or they are not what the
    /// message lines add up to.
    pub fn fault(&self) -> Option<String> {
        let name = format!("{} {:#x}", self.traffic.pattern, self.traffic.seed);
        let Some(done) = &self.counters else {
            return Some(format!("the run {name} did not end"));
        };
        if done.lost > 0 || done.wrong > 0 {
            return Some(format!(
                "the run {name} lost {} messages, and {} arrivals were wrong",
                done.lost, done.wrong
            ));
        }
        let told = self.arrivals.len() as u64 + self.traffic.to_self;
        if told != done.delivered || told != self.traffic.messages {
            return Some(format!(
                "the run {name} tells of {told} arrivals, {} delivered, {} messages",
                done.delivered, self.traffic.messages
            ));
        }
        None
    }
}

/// A line for each run.
impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.runs.is_empty() {
            return writeln!(f, "no run was heard, {} other lines", self.other);
        }
        for run in &self.runs {
            let RunLine {
                pattern,
                seed,
                messages,
                ..
            } = &run.traffic;
            match &run.counters {
                None => writeln!(f, "{pattern} {seed:#x}: did not end")?,
                Some(done) => writeln!(
                    f,
                    "{pattern} {seed:#x}: {} of {messages} messages delivered, {} superframes, {} hops",
                    done.delivered, done.superframes, done.hops
                )?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// A board that says a piece for each look, and another when it is told something.
    struct Scripted {
        says: VecDeque<&'static str>,
        answers: VecDeque<&'static str>,
        told: Vec<u8>,
    }

    impl HostPort for Scripted {
        fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
            self.told.extend(bytes);
            self.says.extend(self.answers.pop_front());
            Ok(())
        }

        fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
            let said = self.says.pop_front().unwrap_or_default();
            Ok((said.as_bytes().into(), Duration::from_millis(1)))
        }
    }

    const PATIENCE: Patience = Patience {
        idle: Duration::from_millis(3),
        running: Duration::from_millis(5),
    };

    fn talk(says: &[&'static str], answers: &[&'static str]) -> (Transcript, Vec<String>, String) {
        let mut port = Scripted {
            says: says.iter().copied().collect(),
            answers: answers.iter().copied().collect(),
            told: vec![],
        };
        let mut heard = vec![];
        let mut session = Session::new(&mut port);
        for _ in answers {
            session
                .command("complement 7", PATIENCE, &mut |text, _| {
                    heard.push(text.to_owned());
                    true
                })
                .unwrap();
        }
        let transcript = session.transcript().clone();
        (transcript, heard, String::from_utf8(port.told).unwrap())
    }

    const GOOD: &str = "run pattern=complement seed=0x7 messages=2 to_self=1\n\
         message t=5 from=0x0 to=0x7 payload=00\n\
         done delivered=2 lost=0 wrong=0 hops=3 refused=0 silences=0 late=0 superframes=1\nready\n";

    #[test]
    fn a_command_is_given_when_the_board_is_ready() {
        let (transcript, heard, told) =
            talk(&["phasecube cube", " nodes=8\r\nre", "ady\n"], &[GOOD]);
        assert_eq!(told, "complement 7\n");
        assert_eq!(transcript.banner.as_deref(), Some("cube nodes=8"));
        assert_eq!(heard[..2], ["phasecube cube nodes=8", "ready"]);
        assert_eq!(transcript.fault(), None);
        assert_eq!(
            transcript.to_string(),
            "complement 0x7: 2 of 2 messages delivered, 1 superframes, 3 hops\n"
        );
    }

    /// Making the messages takes longer than a board is idle.
    #[test]
    fn a_board_may_take_its_time_to_begin() {
        let mut port = Scripted {
            says: VecDeque::from(["phasecube cube nodes=8\nready\n"]),
            answers: VecDeque::new(),
            told: vec![],
        };
        // Four looks without a byte are more than `idle`, less than `running`.
        port.says.extend(["", "", "", "", GOOD]);
        let mut session = Session::new(&mut port);
        session
            .command("complement 7", PATIENCE, &mut |_, _| true)
            .unwrap();
        assert_eq!(session.transcript().fault(), None);
        assert_eq!(session.transcript().runs.len(), 1);
    }

    #[test]
    fn a_silent_board_is_given_the_command_all_the_same() {
        let (transcript, _, told) = talk(&[], &["hELLO", ""]);
        assert_eq!(told, "complement 7\ncomplement 7\n");
        assert_eq!(transcript.other, 1, "a line without an end is one");
    }

    #[test]
    fn what_is_wrong_is_told() {
        let fault = |answer| talk(&[], &[answer]).0.fault().unwrap();
        assert_eq!(fault("error accepted: x\n"), "the board refused a command");
        let (silent, ..) = talk(&["phasecube cube nodes=8\nready\n"], &[""]);
        assert_eq!(
            silent.fault().unwrap(),
            "the board did not answer a command"
        );
        let begun = "run pattern=complement seed=0x7 messages=2 to_self=1\n";
        assert_eq!(fault(begun), "the run complement 0x7 did not end");
        let lost: &str = Box::leak(GOOD.replace("lost=0", "lost=1").into_boxed_str());
        assert!(fault(lost).contains("lost 1 messages"));
        let fewer: &str = Box::leak(GOOD.replace("messages=2", "messages=3").into_boxed_str());
        assert!(fault(fewer).contains("tells of 2 arrivals, 2 delivered, 3 messages"));
    }
}
