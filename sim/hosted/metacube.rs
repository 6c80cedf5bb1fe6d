//! MC(1,1) as it runs on a board.

use crate::hosted::reports::every_pattern;
use phasecube::networks::tdma::hosted::HostedCircuit;
use phasecube::program::BoardMemory;
use phasecube::rtl::hosted::HostedShape;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Metacube;
use std::path::Path;

/// Every message is delivered in the same phase as in the machine of forwarders, and the counters
/// are equal.
#[test]
#[ignore = "thorough: long runs"]
fn every_pattern_is_reported_as_by_the_simulator() {
    let builds: &Path = env!("CARGO_TARGET_TMPDIR").as_ref();
    let tools = Toolchain::open().unwrap();
    let shape = Metacube::from(HostedShape::Metacube);
    let memory = BoardMemory::routing(shape, &tools, builds).unwrap();
    let circuit = HostedCircuit::new(HostedShape::Metacube, memory);
    every_pattern("metacube", &circuit.design().unwrap());
}
