//! Reports progress of long steps: a spinner or a bar on a terminal, plain lines on stderr
//! otherwise. A line that is repeated while a step continues has at most 80 characters. The lines at
//! the start and the end of a step are whole, because they name addresses and folders. Nothing is
//! written to standard output.

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// True if `--quiet` was given.
static SUPPRESSED: AtomicBool = AtomicBool::new(false);

/// Suppresses progress lines of long steps, whose number depends on the machine's speed. Spinners
/// and bars on a terminal remain, and so do [notes](note).
pub fn suppress_lines() {
    SUPPRESSED.store(true, Ordering::Relaxed);
}

/// True if `--quiet` was given.
pub fn is_suppressed() -> bool {
    SUPPRESSED.load(Ordering::Relaxed)
}

/// Start of every line on stderr.
const LABEL: &str = "phasecube: ";

/// Maximum width of the line of a [`Pulse`], in characters.
const WIDTH: usize = 80;

/// All spinners and bars on the terminal.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Prints one line on stderr, above the spinners and bars. A closed or full stderr does not end the
/// work whose results go elsewhere.
pub fn note(message: &str) {
    let line = format!("{LABEL}{message}\n");
    without_bars(|| {
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), line.as_bytes());
    });
}

/// Removes the spinners and bars of all threads from the terminal while `print` writes to it.
pub fn without_bars<T>(print: impl FnOnce() -> T) -> T {
    BARS.suspend(print)
}

/// Long step. Dropping it removes the spinner.
pub struct ProgressStep {
    bar: Option<ProgressBar>,
    prints_lines: bool,
    started: Instant,
    /// Reports at intervals that a step continues, if there is no terminal.
    pulse: Option<Pulse>,
}

/// Interval of the reports of a [`Pulse`].
const PULSE_INTERVAL: Duration = Duration::from_secs(10);

impl ProgressStep {
    /// Starts a step that prints a line even when stderr is no terminal (a fetch).
    pub fn start(message: &str) -> ProgressStep {
        ProgressStep::new(message, true)
    }

    /// Starts a step that prints a line only if it takes long (a build).
    pub fn quiet(message: &str) -> ProgressStep {
        ProgressStep::new(message, false)
    }

    fn new(message: &str, loud: bool) -> ProgressStep {
        let loud = loud && !is_suppressed();
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            let bar = BARS.add(ProgressBar::new_spinner().with_style(style));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        let activity = ProgressStep {
            pulse: bar.is_none().then(Pulse::notes).flatten(),
            bar,
            prints_lines: loud,
            started: Instant::now(),
        };
        activity.step(message);
        activity
    }

    /// Continues the step with another message.
    pub fn step(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(message.to_string()),
            None if self.prints_lines => note(message),
            None => {}
        }
        if let Some(pulse) = &self.pulse {
            pulse.set_step(message);
        }
    }

    /// Ends the step with a last line that remains.
    pub fn done(mut self, message: &str) {
        self.pulse = None;
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.prints_lines {
            note(&format!("{message} ({:.0?} s)", self.started.elapsed().as_secs()));
        }
    }
}

impl Drop for ProgressStep {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Thread that reports the current step and its duration at intervals. Ends when dropped.
struct Pulse {
    /// Name of the current step.
    step: Arc<Mutex<String>>,
    /// Carries no data. Dropping it ends the thread.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Pulse {
    /// Starts to print notes. Returns `None` if `--quiet` was given.
    fn notes() -> Option<Pulse> {
        (!is_suppressed()).then(|| Pulse::start(PULSE_INTERVAL, note))
    }

    fn start(every: Duration, say: impl Fn(&str) + Send + 'static) -> Pulse {
        let (alive, ended) = mpsc::channel::<()>();
        let step = Arc::new(Mutex::new(String::new()));
        let (started, of) = (Instant::now(), step.clone());
        let thread = thread::spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let step = of.lock().unwrap_or_else(PoisonError::into_inner).clone();
                say(&pulse_line(&step, started.elapsed()));
            }
        });
        Pulse { step, alive: Some(alive), thread: Some(thread) }
    }

    fn set_step(&self, message: &str) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = message.to_owned();
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            // The thread can panic only if stderr is closed.
            let _ = thread.join();
        }
    }
}

/// Formats the line of a [`Pulse`]. A step that is too wide loses its middle, because its end shows
/// the progress.
fn pulse_line(step: &str, so_far: Duration) -> String {
    let end = format!(" ({} s so far)", so_far.as_secs());
    let room = WIDTH - LABEL.len() - end.len();
    let letters: Vec<char> = step.chars().collect();
    if letters.len() <= room {
        return format!("{step}{end}");
    }
    let kept = room - "...".len();
    let (first, last) = (&letters[..kept / 2], &letters[letters.len() - kept.div_ceil(2)..]);
    let text = |part: &[char]| part.iter().collect::<String>();
    format!("{}...{}{end}", text(first), text(last))
}

/// Long step of known size: a bar with the remaining time. Dropping it removes the bar.
pub struct ProgressMeter {
    bar: ProgressBar,
    total: u64,
    /// Prints lines if there is no terminal.
    pulse: Option<Pulse>,
}

impl ProgressMeter {
    /// Bar with `all` steps.
    pub fn new(all: u64) -> ProgressMeter {
        let style = ProgressStyle::with_template("[{bar:24}] {percent} % {wide_msg} {left}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key("left", |state: &ProgressState, text: &mut dyn Write| {
                let left = remaining(state.elapsed(), state.pos(), state.len().unwrap_or(0));
                if let Some(left) = left {
                    // Writing to a string does not fail.
                    let _ = write!(text, "{:#} left", HumanDuration(left));
                }
            });
        let bar = BARS.add(ProgressBar::new(all).with_style(style.progress_chars("## ")));
        let meter = ProgressMeter {
            bar,
            total: all,
            pulse: (!std::io::stderr().is_terminal()).then(Pulse::notes).flatten(),
        };
        meter.at(0, "");
        meter
    }

    /// Sets the number of finished steps.
    pub fn at(&self, done: u64, message: &str) {
        self.bar.set_position(done);
        let Some(pulse) = &self.pulse else {
            self.bar.set_message(message.to_string());
            return;
        };
        let mut line = format!("{done} of {}", self.total);
        if !message.is_empty() {
            line += &format!(", {message}");
        }
        if let Some(left) = remaining(self.bar.elapsed(), done, self.total) {
            line += &format!(", about {} s left", left.as_secs());
        }
        pulse.set_step(&line);
    }
}

/// Remaining time, based on the whole time so far; `None` before anything is done. The work comes in
/// waves that are longer than the window of [`ProgressBar::eta`].
fn remaining(so_far: Duration, done: u64, all: u64) -> Option<Duration> {
    let left = all.saturating_sub(done) as f64;
    (done > 0).then(|| so_far.mul_f64(left / done as f64))
}

impl Drop for ProgressMeter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_estimate_before_anything_is_done() {
        let hour = Duration::from_secs(3600);
        assert_eq!(remaining(hour, 0, 4096), None);
        assert_eq!(remaining(hour, 1, 4), Some(3 * hour));
        assert_eq!(remaining(hour, 4, 4), Some(Duration::ZERO));
    }

    #[test]
    fn a_repeated_line_is_at_most_80_characters_wide() {
        let hour = Duration::from_secs(3600);
        for length in 1..200 {
            let step = "é".repeat(length) + ", 151 of 514 done";
            let line = format!("{LABEL}{}", pulse_line(&step, hour));
            let whole = format!("{LABEL}{step} (3600 s so far)");
            let width = whole.chars().count().min(WIDTH);
            assert_eq!(line.chars().count(), width, "{line}");
            assert_eq!(line == whole, whole.chars().count() <= WIDTH, "{line}");
            assert!(line.ends_with(", 151 of 514 done (3600 s so far)"), "{line}");
        }
    }

    // Claim: a long step is reported repeatedly with its present activity, until it ends.
    #[test]
    fn a_long_step_is_reported_at_intervals() {
        let (sender, printed) = mpsc::channel();
        let say = move |line: &str| sender.send(line.to_owned()).unwrap_or(());
        let pulse = Pulse::start(Duration::from_millis(5), say);
        pulse.set_step("fetching a (b, about 1 MB) into c");
        let first = printed.recv().unwrap();
        assert!(first.starts_with("fetching a (b, about 1 MB) into c (0 s so far)"), "{first}");
        pulse.set_step("preparing a: compiling it");
        let preparing =
            printed.iter().find(|line| line.starts_with("preparing a: compiling it (0 s"));
        assert!(preparing.is_some());
        drop(pulse);
        // Ends only if the pulse has dropped its sender.
        printed.iter().for_each(drop);
    }
}
