//! Programs on a PC, compiled with plain `cc` and tested against the model of a node in
//! `firmware/host`. `native/*.c` contains the tests.

use crate::support::scratch::compiled;
use std::process::Command;

/// Runs the test of that name, with the runtime common to all networks.
fn runs(test: &str) {
    runs_with(test, test, &[]);
}

/// Runs the test of that name through a network of bytes, `torus` or `rotation`.
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
    let test_file = format!("sim/firmware/native/{test}.c");
    let files = [
        test_file.as_str(),
        "firmware/runtime/tdma.c",
        "firmware/runtime/ctrl.c",
        "firmware/runtime/message_buffer.c",
        "firmware/runtime/cm1.c",
        "firmware/host/node_stub.c",
        "firmware/host/cm1_stub.c",
    ];
    let flags = [&["-std=c11".to_owned()], arguments].concat();
    let folders = ["include", "runtime", "host"];
    let program = compiled(&format!("native_{program}"), &folders, &files, &flags);
    let output = Command::new(&program).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test}: {}\n{printed}", output.status);
}

#[test]
fn route_at_once() {
    runs("route_at_once");
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
