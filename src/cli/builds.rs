//! One folder for what subcommands build.

use std::env;
use std::path::PathBuf;

/// Where what is built goes: `phasecube/` in Cargo's target directory, which is
/// `$CARGO_TARGET_DIR`, else `target` in the present directory.
pub fn builds() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    PathBuf::from(target.unwrap_or_else(|| "target".into())).join("phasecube")
}

/// Where the costs of circuits that have been measured are kept.
pub fn costs() -> PathBuf {
    builds().join("cost")
}
