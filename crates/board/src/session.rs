//! Dialogue with a board: sends commands, reads lines and groups them into runs.

use super::lines::BoardTextLine;
use super::port::{BoardPort, PortError};
use super::Transcript;
use std::time::Duration;

/// Dialogue with a board over its host port.
pub struct Session<'a> {
    port: &'a mut dyn BoardPort,
    /// Bytes of an incomplete line.
    partial_line: Vec<u8>,
    transcript: Transcript,
}

/// Timeouts of a board: longest times without a byte from it, in the board's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// After this time a board counts as ready for a command, because it may have reported so
    /// before the session started.
    pub idle: Duration,
    /// Timeout during a run.
    pub running: Duration,
}

impl Timeouts {
    /// Timeouts for a real board. A board ends a run after 100 superframes without an arrival. This
    /// takes two and a half seconds with sixteen nodes, and less with eight.
    pub const HARDWARE: Timeouts =
        Timeouts { idle: Duration::from_millis(1000), running: Duration::from_millis(3000) };

    /// Timeouts for a simulation. A simulated board is never late, and a simulated millisecond
    /// takes long.
    pub const SIMULATION: Timeouts =
        Timeouts { idle: Duration::from_millis(4), running: Duration::from_millis(3000) };
}

impl<'a> Session<'a> {
    pub fn new(port: &'a mut dyn BoardPort) -> Self {
        Session { port, partial_line: vec![], transcript: Transcript::default() }
    }

    /// Sends a command when the board is ready, and reads lines until the command is done. `received`
    /// receives every line as it comes.
    ///
    /// # Errors
    /// If the port fails.
    pub fn command(
        &mut self,
        command: &str,
        timeouts: Timeouts,
        received: &mut dyn FnMut(&str, &BoardTextLine) -> bool,
    ) -> Result<(), PortError> {
        // A board that has sent its banner reports when it is ready. After a run this takes until
        // the end of the superframe, and earlier commands are lost.
        let patience = match self.transcript.banner {
            Some(_) => timeouts.running,
            None => timeouts.idle,
        };
        self.listen(patience, received, |line| *line == BoardTextLine::Ready)?;
        self.port.send(format!("{command}\n").as_bytes())?;
        // A board with a banner answers every command, but generates the messages first.
        let answers = self.transcript.banner.is_some();
        let mut running = answers;
        let mut answered = false;
        loop {
            let timeout = match running {
                true => timeouts.running,
                false => timeouts.idle,
            };
            let mut goes_on = false;
            let received_one = self.listen(timeout, received, |line| {
                goes_on = match line {
                    BoardTextLine::Run(_) | BoardTextLine::Network(_) => true,
                    BoardTextLine::Done(done) => done.clocks.is_some(),
                    _ => false,
                };
                let ends = matches!(
                    line,
                    BoardTextLine::Done(_)
                        | BoardTextLine::Cm1Done(_)
                        | BoardTextLine::BytesDone(_)
                        | BoardTextLine::Error(_)
                );
                goes_on || ends
            })?;
            answered |= received_one;
            if !(received_one && goes_on) {
                self.transcript.unanswered += usize::from(answers && !answered);
                return Ok(());
            }
            running = true;
        }
    }

    /// Reads lines until `is_last` accepts one, no byte comes for `timeout`, or `received` returns
    /// false. Returns whether the last line came.
    pub fn listen(
        &mut self,
        timeout: Duration,
        received: &mut dyn FnMut(&str, &BoardTextLine) -> bool,
        mut is_last: impl FnMut(&BoardTextLine) -> bool,
    ) -> Result<bool, PortError> {
        let mut quiet = Duration::ZERO;
        while quiet < timeout {
            // Lines after the last one are kept for later, so they are taken one at a time.
            while let Some(text) = self.next_line() {
                let line = BoardTextLine::parse(&text);
                self.transcript.push(&line);
                if !received(&text, &line) {
                    return Ok(false);
                }
                if is_last(&line) {
                    return Ok(true);
                }
            }
            let (bytes, took) = self.port.receive()?;
            quiet = match bytes.is_empty() {
                true => quiet + took,
                false => Duration::ZERO,
            };
            self.partial_line.extend(bytes);
        }
        // After a timeout, the remaining bytes are a line without a line end.
        if !self.partial_line.is_empty() {
            let text =
                String::from_utf8_lossy(&std::mem::take(&mut self.partial_line)).into_owned();
            let line = BoardTextLine::parse(&text);
            self.transcript.push(&line);
            received(&text, &line);
        }
        Ok(false)
    }

    /// Takes the first complete line and skips empty ones.
    fn next_line(&mut self) -> Option<String> {
        loop {
            let end = self.partial_line.iter().position(|byte| *byte == b'\n')?;
            let line: Vec<u8> = self.partial_line.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\r', '\n']);
            if !text.is_empty() {
                return Some(text.into());
            }
        }
    }

    /// All lines so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Board that sends one piece per read, and another one after each command.
    struct Scripted {
        output: VecDeque<&'static str>,
        replies: VecDeque<&'static str>,
        sent: Vec<u8>,
    }

    impl BoardPort for Scripted {
        fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
            self.sent.extend(bytes);
            self.output.extend(self.replies.pop_front());
            Ok(())
        }

        fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
            let printed = self.output.pop_front().unwrap_or_default();
            Ok((printed.as_bytes().into(), Duration::from_millis(1)))
        }
    }

    const TIMEOUTS: Timeouts =
        Timeouts { idle: Duration::from_millis(3), running: Duration::from_millis(5) };

    fn run_command(
        says: &[&'static str],
        answers: &[&'static str],
    ) -> (Transcript, Vec<String>, String) {
        let mut port = Scripted {
            output: says.iter().copied().collect(),
            replies: answers.iter().copied().collect(),
            sent: vec![],
        };
        let mut received = vec![];
        let mut session = Session::new(&mut port);
        for _ in answers {
            session
                .command("complement 7", TIMEOUTS, &mut |text, _| {
                    received.push(text.to_owned());
                    true
                })
                .unwrap();
        }
        let transcript = session.transcript().clone();
        (transcript, received, String::from_utf8(port.sent).unwrap())
    }

    const GOOD: &str = "run pattern=complement seed=0x7 messages=2 to_self=1\n\
         message t=5 from=0x0 to=0x7 payload=00\n\
         done delivered=2 lost=0 wrong=0 hops=3 refused=0 silences=0 late=0 superframes=1\nready\n";

    #[test]
    fn a_command_is_sent_when_the_board_is_ready() {
        let (transcript, received, reported) =
            run_command(&["phasecube cube", " nodes=8\r\nre", "ady\n"], &[GOOD]);
        assert_eq!(reported, "complement 7\n");
        assert_eq!(transcript.banner.as_deref(), Some("cube nodes=8"));
        assert_eq!(received[..2], ["phasecube cube nodes=8", "ready"]);
        assert_eq!(transcript.fault(), None);
        assert_eq!(
            transcript.to_string(),
            "complement 0x7: 2 of 2 messages delivered, 1 superframe, 3 hops\n"
        );
    }

    /// Generating the messages takes longer than the `idle` timeout.
    #[test]
    fn a_run_may_start_after_the_idle_timeout() {
        let mut port = Scripted {
            output: VecDeque::from(["phasecube cube nodes=8\nready\n"]),
            replies: VecDeque::new(),
            sent: vec![],
        };
        // Four reads without a byte are longer than `idle` and shorter than `running`.
        port.output.extend(["", "", "", "", GOOD]);
        let mut session = Session::new(&mut port);
        session.command("complement 7", TIMEOUTS, &mut |_, _| true).unwrap();
        assert_eq!(session.transcript().fault(), None);
        assert_eq!(session.transcript().runs.len(), 1);
    }

    /// The time from `done` to `ready` is longer than the `idle` timeout.
    #[test]
    fn no_command_is_sent_before_the_run_ends() {
        let done = GOOD.strip_suffix("ready\n").unwrap();
        let says = ["phasecube cube nodes=8\nready\n", done];
        let mut port = Scripted {
            output: says.into_iter().chain([""; 4]).chain(["ready\n"]).collect(),
            replies: VecDeque::new(),
            sent: vec![],
        };
        Session::new(&mut port).command("complement 7", TIMEOUTS, &mut |_, _| true).unwrap();
        assert!(!port.output.is_empty(), "the run is not over");
        let mut session = Session::new(&mut port);
        session.transcript.banner = Some("cube nodes=8".into());
        session.command("complement 8", TIMEOUTS, &mut |_, _| true).unwrap();
        assert!(port.output.is_empty(), "the board received a command before it was ready");
    }

    #[test]
    fn a_silent_board_gets_the_command_after_the_idle_timeout() {
        let (transcript, _, reported) = run_command(&[], &["hELLO", ""]);
        assert_eq!(reported, "complement 7\ncomplement 7\n");
        assert_eq!(transcript.other, 1, "a line without an end is one");
    }

    #[test]
    fn faults_of_a_run_are_reported() {
        let fault = |answer| run_command(&[], &[answer]).0.fault().unwrap();
        assert_eq!(fault("error accepted: x\n"), "the board rejected a command");
        let (silent, ..) = run_command(&["phasecube cube nodes=8\nready\n"], &[""]);
        assert_eq!(silent.fault().unwrap(), "the board did not answer a command");
        let begun = "run pattern=complement seed=0x7 messages=2 to_self=1\n";
        assert_eq!(fault(begun), "the run complement 0x7 did not end");
        let lost: &str = Box::leak(GOOD.replace("lost=0", "lost=1").into_boxed_str());
        assert!(fault(lost).contains("lost 1 message,"));
        let fewer: &str = Box::leak(GOOD.replace("messages=2", "messages=3").into_boxed_str());
        assert!(fault(fewer).contains("reports 2 arrivals, 2 delivered, 3 messages"));
    }

    /// The command ends after the only network.
    #[test]
    fn a_byte_network_is_named() {
        const TORUS: &str = "run pattern=complement seed=0x7 messages=2 to_self=1\n\
             network name=torus\nmessage t=640 from=0x0 to=0x7 payload=00\n\
             done delivered=2 lost=0 wrong=0 bytes=30 clocks=700\nready\n";
        let (transcript, received, _) = run_command(&[], &[TORUS]);
        assert_eq!((transcript.fault(), transcript.other), (None, 0));
        assert_eq!(received.len(), 4, "{received:#?}");
        assert_eq!(transcript.runs[0].network.as_deref(), Some("torus"));
        assert_eq!(
            transcript.to_string(),
            "complement 0x7: 2 of 2 messages delivered, 30 bytes over channels, 700 clock cycles\n"
        );
        let lossy: &str = Box::leak(TORUS.replace("wrong=0", "wrong=1").into_boxed_str());
        let fault = run_command(&[], &[lossy]).0.fault().unwrap();
        assert!(fault.contains("lost 0 messages, and 1 arrivals were wrong"));
    }

    const BOTH: &str = "run pattern=complement seed=0x7 messages=2 to_self=1\nnetwork name=tdma\n\
         message t=5 from=0x0 to=0x7 payload=00\n\
         done delivered=2 lost=0 wrong=0 hops=3 refused=0 silences=0 late=0 superframes=1 \
         clocks=90\nnetwork name=cm1\nmessage t=0 from=0x0 to=0x7 payload=00\n\
         done delivered=2 lost=0 wrong=0 petits=1 bit_times=70 clocks=80\nready\n";

    /// The command ends after the second network, not the first.
    #[test]
    fn a_comparison_has_two_networks() {
        let (transcript, received, _) = run_command(&[], &[BOTH]);
        assert_eq!(transcript.fault(), None);
        assert_eq!(transcript.other, 0);
        assert_eq!(received.len(), 7, "{received:#?}");
        let run = &transcript.runs[0];
        assert_eq!(run.arrivals[0].t, 5);
        assert_eq!(run.cm1.as_ref().unwrap().arrivals[0].t, 0);
        assert_eq!(
            transcript.to_string(),
            "complement 0x7: 2 of 2 messages delivered, 1 superframe, 3 hops, 90 clock cycles\n\
             complement 0x7 through the CM-1: 2 of 2 messages delivered, 1 petit cycle, \
             70 bit-times, 80 clock cycles\n"
        );
    }

    #[test]
    fn faults_of_the_cm1_part_are_reported() {
        let fault =
            |answer: String| run_command(&[], &[Box::leak(answer.into_boxed_str())]).0.fault();
        let cut = |at: &str| fault(BOTH[..BOTH.find(at).unwrap()].into()).unwrap();
        let unended = "the run complement 0x7 through the CM-1 did not end";
        assert_eq!(cut("network name=cm1"), unended);
        assert_eq!(cut("done delivered=2 lost=0 wrong=0 petits"), unended);
        let lost = fault(BOTH.replace("wrong=0 petits", "wrong=1 petits")).unwrap();
        assert!(lost.contains("through the CM-1 lost 0 messages, and 1 arrivals were wrong"));
        let fewer = fault(BOTH.replace("message t=0 from=0x0 to=0x7 payload=00\n", "")).unwrap();
        assert!(fewer.contains("through the CM-1 reports 1 arrivals, 2 delivered"));
    }
}
