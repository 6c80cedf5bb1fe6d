//! The compiled programs in the repository match the output of the pinned compiler for the present
//! sources. To regenerate them:
//!
//! ```text
//! PHASECUBE_BLESS=1 cargo sim firmware::shipped
//! ```

use crate::firmware::builds;
use phasecube::program::{sources, ShippedProgram, REGENERATE_COMMAND};
use phasecube::toolchain::{cache, Policy, Toolchain};
use std::path::Path;
use std::{env, fs};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/firmware/programs");

/// Compares each program word by word, with the digest of sources and compiler. The copies built
/// into the executable match the files.
#[test]
#[ignore = "thorough: compiles programs"]
fn the_shipped_programs_are_of_the_present_sources() {
    let tools = Toolchain::new(cache::cache_dir().unwrap(), Policy::Pinned);
    let regenerate = env::var_os("PHASECUBE_BLESS").is_some_and(|value| value == "1");
    for (file, kind) in sources::shipped() {
        let made = ShippedProgram::compile(file, kind, &tools, &builds().join("firmware")).unwrap();
        let path = Path::new(FOLDER).join(format!("{}.hex", sources::compiled_name(file, kind)));
        if regenerate {
            fs::write(&path, made.to_string()).unwrap();
            continue;
        }
        let text = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        assert_eq!(text, made.to_string(), "run `{REGENERATE_COMMAND}`");
        // The file has no source lines, so the copy in the executable is compared as text.
        let built_in = ShippedProgram::for_kind(file, kind).unwrap();
        assert_eq!(built_in.to_string(), text);
    }
}
