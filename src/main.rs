//! Program `phasecube`. All of its code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    phasecube::cli::main()
}
