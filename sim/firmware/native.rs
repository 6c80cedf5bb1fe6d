//! Programs on a PC: compiled with plain `cc`, against the model of a node in
//! `firmware/host`. What they must do stands in `native/*.c`.

use std::env;
use std::path::Path;
use std::process::Command;

/// The test of that name, with what the runtime has for all networks.
fn runs(test: &str) {
    runs_with(test, test, &[]);
}

/// The test of that name through a network of bytes, `torus` or `rotation`.
fn runs_through(network: &str, test: &str) {
    let firmware = concat!(env!("CARGO_MANIFEST_DIR"), "/firmware");
    let arguments = [
        format!("-D{}", network.to_uppercase()),
        format!("{firmware}/runtime/{network}.c"),
        format!("{firmware}/runtime/net.c"),
        format!("{firmware}/host/net_stub.c"),
    ];
    runs_with(&format!("{test}_{network}"), test, &arguments);
}

fn runs_with(program: &str, test: &str, arguments: &[String]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let firmware = root.join("firmware");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("native_{program}"));
    let cc = env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut compile = Command::new(&cc);
    compile.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"]);
    for folder in ["include", "runtime", "host"] {
        compile.arg("-I").arg(firmware.join(folder));
    }
    compile.arg(root.join("sim/firmware/native").join(format!("{test}.c")));
    for source in [
        "runtime/tdma.c",
        "runtime/ctrl.c",
        "runtime/register.c",
        "runtime/cm1.c",
        "host/node_stub.c",
        "host/cm1_stub.c",
    ] {
        compile.arg(firmware.join(source));
    }
    compile.args(arguments).arg("-o").arg(&program);
    succeeds(&mut compile, "a C compiler (cc, or the one that CC names)");
    succeeds(&mut Command::new(&program), test);
}

fn succeeds(command: &mut Command, what: &str) {
    let output = command.output().unwrap_or_else(|e| panic!("{what}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {}\n{said}", output.status);
}

#[test]
fn route() {
    runs("route");
}

#[test]
fn echo() {
    runs("echo");
}

#[test]
fn parallel_sum() {
    runs("parallel_sum");
}

#[test]
fn cm1() {
    runs("cm1");
}

#[test]
fn net_of_the_torus() {
    runs_through("torus", "net");
}

#[test]
fn net_of_rotation() {
    runs_through("rotation", "net");
}
