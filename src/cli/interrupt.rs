//! Handler of Ctrl-C, SIGTERM and SIGHUP for the whole program. A signal that the caller has set to
//! be ignored, as `nohup` does, stays ignored.
//!
//! Work that can report its progress calls [`listen`], and a signal then requests it to stop. Any
//! other work ends at once. In both cases the exit code is 128 plus the signal number, as in
//! shells.

use super::Failure;
use anyhow::anyhow;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time in which repeated signals count as one. Nobody presses a key twice in this time on purpose.
/// `timeout`, for example, signals both the program and its process group.
const ONCE: Duration = Duration::from_millis(500);

/// Signal that requests the program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    CtrlC,
    Terminate,
    /// The terminal or the connection has closed.
    Hangup,
}

impl Signal {
    /// Returns the exit code of the process.
    pub fn exit_code(self) -> u8 {
        match self {
            Signal::CtrlC => 130,
            Signal::Terminate => 143,
            Signal::Hangup => 129,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Signal::CtrlC => "Ctrl-C",
            Signal::Terminate => "SIGTERM",
            Signal::Hangup => "SIGHUP",
        }
    }
}

struct State {
    /// Stop flag of the work that listens, if any.
    asked: Option<Arc<AtomicBool>>,
    first: Option<(Signal, Instant)>,
}

static STATE: Mutex<State> = Mutex::new(State {
    asked: None,
    first: None,
});

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether SIGHUP has arrived, so that nobody reads the terminal any more.
pub fn is_hung_up() -> bool {
    matches!(state().first, Some((Signal::Hangup, _)))
}

/// Guard of listening work: while it lives, a signal requests the work to stop.
pub struct Stop {
    asked: Arc<AtomicBool>,
}

/// Starts listening: the next signal requests the work to stop. A second signal ends the program at
/// once.
pub fn listen() -> Stop {
    let asked = Arc::<AtomicBool>::default();
    state().asked = Some(asked.clone());
    install();
    Stop { asked }
}

impl Stop {
    /// Flag that a signal sets.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.asked.clone()
    }

    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns the error of work that stopped on request. `where_to` says how far the work had
    /// progressed.
    pub fn failure(&self, where_to: impl Display) -> Failure {
        let signal = state().first.map_or(Signal::CtrlC, |(signal, _)| signal);
        let what = anyhow!("stopped by {} {where_to}", signal.name());
        Failure::Interrupted { signal, what }
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        state().asked = None;
    }
}

fn heard(signal: Signal) {
    let mut state = state();
    match (state.first, &state.asked) {
        (Some((_, first)), _) if first.elapsed() < ONCE => {}
        (None, Some(asked)) => {
            asked.store(true, Ordering::Relaxed);
            state.first = Some((signal, Instant::now()));
        }
        _ => std::process::exit(signal.exit_code().into()),
    }
}

/// Installs the handler once. Without a handler the system ends the program.
#[cfg(unix)]
pub fn install() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    static ONE: std::sync::Once = std::sync::Once::new();
    ONE.call_once(|| {
        let taken = [SIGINT, SIGTERM, SIGHUP].into_iter();
        let Ok(mut signals) = Signals::new(taken.filter(|signal| !is_ignored(*signal))) else {
            return;
        };
        std::thread::spawn(move || {
            for number in signals.forever() {
                heard(match number {
                    SIGTERM => Signal::Terminate,
                    SIGHUP => Signal::Hangup,
                    _ => Signal::CtrlC,
                });
            }
        });
    });
}

/// Whether the process ignores a signal because its caller did.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call changes nothing. It fills `action` if it succeeds, and
    // all zeros are a valid `sigaction`, too.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Installs nothing: without a handler the system ends the program.
#[cfg(not(unix))]
pub fn install() {
    let _ = heard;
}
