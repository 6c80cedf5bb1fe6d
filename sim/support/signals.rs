//! Signals of programs that tests start.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Lets SIGHUP, SIGINT and SIGTERM end the program, even if the caller of the tests ignores them. `nohup` ignores SIGHUP,
/// and a shell without job control ignores SIGINT for what it starts in the background.
pub fn reset(command: &mut Command) -> &mut Command {
    let reset = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            // SAFETY: `signal` with SIG_DFL may be called between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(reset) }
}
