use std::process::ExitCode;

fn main() -> ExitCode {
    phasecube::cli::main()
}
