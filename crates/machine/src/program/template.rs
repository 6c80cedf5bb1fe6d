//! Template of a project with programs in C, C++ and Rust, which is built without this program.

use super::sources::{SourceFile, RUNTIME};

macro_rules! template {
    ($($path:literal from $source:literal)*) => {
        &[$(SourceFile {
            path: $path,
            text: include_str!(concat!("../../firmware/template/", $source)),
        },)*]
    };
}

/// Files of the project beside the runtime. Cargo packs no folder with a manifest, so manifests have
/// other names in this repository.
const FILES: &[SourceFile] = template![
    "README.md" from "README.md"
    "Makefile" from "Makefile"
    "CMakeLists.txt" from "CMakeLists.txt"
    "node.cmake" from "node.cmake"
    "numbers.csv" from "numbers.csv"
    "programs/sum.c" from "programs/sum.c"
    "programs/blur.cpp" from "programs/blur.cpp"
    "rust/Cargo.toml" from "rust/Cargo.toml.in"
    "rust/.cargo/config.toml" from "rust/config.toml"
    "rust/src/lib.rs" from "rust/least.rs"
    "rust/node/Cargo.toml" from "rust/node/Cargo.toml.in"
    "rust/node/src/lib.rs" from "rust/node/lib.rs"
];

/// Files of the runtime for other machines than a cube.
const OTHER_MACHINES: &[&str] =
    &["include/host_port.h", "include/cm1.h", "include/cm1_port.h", "runtime/cm1.c"];

/// Returns the files of the template, with their paths and texts.
pub fn files() -> Vec<(String, &'static str)> {
    let runtime = RUNTIME.iter().filter(|file| !OTHER_MACHINES.contains(&file.path));
    let files = FILES.iter().chain(runtime);
    files.map(|file| (file.path.to_owned(), file.text)).collect()
}
