use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Nobody presses a key twice in this time on purpose.
const ONCE: Duration = Duration::from_millis(500);

/// Set by Ctrl-C, so that what was done so far is reported; a second Ctrl-C ends
/// the program at once. Signals that come together are one: `timeout`, say, sends its
/// own to the program and to the program's group.
pub fn stopped_by_ctrl_c() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let stop = STOP.get_or_init(|| {
        let stop: Arc<AtomicBool> = Arc::default();
        let seen = stop.clone();
        let first: Mutex<Option<Instant>> = Mutex::default();
        let handler = move || {
            let mut first = first.lock().unwrap_or_else(|e| e.into_inner());
            if first.is_some_and(|first| first.elapsed() > ONCE) {
                std::process::exit(130);
            }
            first.get_or_insert_with(Instant::now);
            seen.store(true, Ordering::Relaxed);
        };
        // Without a handler Ctrl-C ends the program, as always.
        let _ = ctrlc::set_handler(handler);
        stop
    });
    stop.clone()
}
