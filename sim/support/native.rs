//! Compiles firmware for a PC with plain `cc`, against a model of its surroundings.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles these files of the project, with these folders of `firmware` for their headers.
///
/// # Panics
/// With the compiler's output if it reports an error or a warning, or if there is no compiler.
pub fn compiled(name: &str, folders: &[&str], files: &[&str], flags: &[String]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let cc = env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut compile = Command::new(&cc);
    compile.args(["-Wall", "-Wextra", "-Werror", "-O1"]);
    for folder in folders {
        compile.arg("-I").arg(root.join("firmware").join(folder));
    }
    compile.args(files.iter().map(|file| root.join(file)));
    compile.args(flags).arg("-o").arg(&program);
    let output = compile.output();
    let output =
        output.unwrap_or_else(|e| panic!("a C compiler (cc, or the one that CC names): {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{said}", output.status);
    program
}
