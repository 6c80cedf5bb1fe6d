//! The programs that come compiled are what the pinned compiler makes of the present
//! sources. Where not:
//!
//! ```text
//! PHASECUBE_BLESS=1 cargo sim firmware::shipped
//! ```

use crate::firmware::machine::builds;
use phasecube::program::{sources, Shipped, RENEW};
use phasecube::toolchain::{cache, Policy, Toolchain};
use std::path::Path;
use std::{env, fs};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/firmware/programs");

/// Each of them, word by word, with the digest of the sources and the compiler; and
/// what the program has compiled in is what the files hold.
#[test]
#[ignore = "thorough: compiles programs"]
fn the_shipped_programs_are_of_the_present_sources() {
    let tools = Toolchain::new(cache::cache_dir().unwrap(), Policy::Pinned);
    let bless = env::var_os("PHASECUBE_BLESS").is_some_and(|value| value == "1");
    for (file, kind) in sources::shipped() {
        let made = Shipped::compile(file, kind, &tools, &builds().join("firmware")).unwrap();
        let path = Path::new(FOLDER).join(format!("{}.hex", sources::compiled_name(file, kind)));
        if bless {
            fs::write(&path, made.to_string()).unwrap();
            continue;
        }
        let text = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        assert_eq!(text, made.to_string(), "run `{RENEW}`");
        assert_eq!(Shipped::of(file, kind).unwrap(), made);
    }
}
