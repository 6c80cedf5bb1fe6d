//! The program `phasecube`; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    phasecube::cli::main()
}
