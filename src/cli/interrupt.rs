//! Handler of Ctrl-C, SIGTERM and SIGHUP for the whole program. A signal that the caller has set to
//! be ignored, as `nohup` does, stays ignored.
//!
//! Work that can report its progress calls [`listen`], and a signal then requests it to stop. Any
//! other work ends at once. In both cases the exit code is 128 plus the signal number, as in
//! shells.

use super::CliError;
use anyhow::anyhow;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use toolchain::progress;

/// Time in which repeated signals count as one. Nobody presses a key twice in this time on purpose.
/// `timeout`, for example, signals both the program and its process group.
const REPEAT_WINDOW: Duration = Duration::from_millis(500);

/// Signal that requests the program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    CtrlC,
    Terminate,
    /// The terminal or the connection has closed.
    Hangup,
}

impl StopSignal {
    /// Returns the exit code of the process.
    pub fn exit_code(self) -> u8 {
        match self {
            StopSignal::CtrlC => 130,
            StopSignal::Terminate => 143,
            StopSignal::Hangup => 129,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            StopSignal::CtrlC => "Ctrl-C",
            StopSignal::Terminate => "SIGTERM",
            StopSignal::Hangup => "SIGHUP",
        }
    }
}

struct SignalState {
    /// Stop flag of the work that listens, if any.
    stop_flag: Option<Arc<AtomicBool>>,
    first: Option<(StopSignal, Instant)>,
}

static SIGNAL_STATE: Mutex<SignalState> = Mutex::new(SignalState { stop_flag: None, first: None });

fn state() -> MutexGuard<'static, SignalState> {
    SIGNAL_STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether SIGHUP has arrived, so that nobody reads the terminal any more.
pub fn is_hung_up() -> bool {
    matches!(state().first, Some((StopSignal::Hangup, _)))
}

/// Guard of listening work: while it lives, a signal requests the work to stop.
pub struct Stop {
    requested: Arc<AtomicBool>,
}

/// Starts listening: the next signal requests the work to stop. A second signal ends the program at
/// once.
pub fn listen() -> Stop {
    let requested = Arc::<AtomicBool>::default();
    state().stop_flag = Some(requested.clone());
    install();
    Stop { requested }
}

impl Stop {
    /// Flag that a signal sets.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.requested.clone()
    }

    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Returns the error of work that stopped on request. `where_to` says how far the work had
    /// progressed.
    pub fn error(&self, where_to: impl Display) -> CliError {
        let signal = Self::signal();
        let what = anyhow!("stopped by {} {where_to}", signal.name());
        CliError::Interrupted { signal, what }
    }
}

impl Stop {
    fn signal() -> StopSignal {
        let first = state().first;
        first.map_or(StopSignal::CtrlC, |(signal, _)| signal)
    }

    /// Reports the signal that ended work without another end, which is no error.
    pub fn clean_end(&self) -> CliError {
        let stopped = CliError::Stopped(Self::signal());
        progress::note(&stopped.to_string());
        stopped
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        state().stop_flag = None;
    }
}

fn handle_signal(signal: StopSignal) {
    let mut state = state();
    match (state.first, &state.stop_flag) {
        (Some((_, first)), _) if first.elapsed() < REPEAT_WINDOW => {}
        (None, Some(stop_flag)) => {
            stop_flag.store(true, Ordering::Relaxed);
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
                handle_signal(match number {
                    SIGTERM => StopSignal::Terminate,
                    SIGHUP => StopSignal::Hangup,
                    _ => StopSignal::CtrlC,
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
    let _ = handle_signal;
}
