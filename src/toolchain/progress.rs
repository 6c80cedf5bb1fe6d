//! Telling the user what takes long: a spinner on a terminal, plain lines on stderr otherwise.
//! Standard output is never touched.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// One line on stderr.
pub fn note(message: &str) {
    eprintln!("phasecube: {message}");
}

/// A long step. Dropping it removes the spinner.
pub struct Activity {
    bar: Option<ProgressBar>,
    loud: bool,
    started: Instant,
}

impl Activity {
    /// A step worth a line even when stderr is no terminal (a fetch).
    pub fn start(message: &str) -> Activity {
        Activity::new(message, true)
    }

    /// A step that shows on a terminal only (a build).
    pub fn quiet(message: &str) -> Activity {
        Activity::new(message, false)
    }

    fn new(message: &str, loud: bool) -> Activity {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        let activity = Activity {
            bar,
            loud,
            started: Instant::now(),
        };
        activity.step(message);
        activity
    }

    /// The step goes on with something else.
    pub fn step(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(message.to_string()),
            None if self.loud => note(message),
            None => {}
        }
    }

    /// The step is over, with a last line that stays.
    pub fn done(self, message: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.loud {
            note(&format!(
                "{message} ({:.0?} s)",
                self.started.elapsed().as_secs()
            ));
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
