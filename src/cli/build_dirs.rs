//! Common output directory of the subcommands.

use std::env;
use std::path::PathBuf;

/// Output directory for generated files: `phasecube/` in Cargo's target directory. The target
/// directory is `$CARGO_TARGET_DIR`, or else `target` in the current directory.
pub fn build_dir() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    PathBuf::from(target.unwrap_or_else(|| "target".into())).join("phasecube")
}

/// Directory with the measured costs of circuits.
pub fn cost_dir() -> PathBuf {
    build_dir().join("cost")
}
