//! The machines of a comparison, and messages for them.

use lockstep::lanes::Options;
use phasecube::engine::LockstepEngine;
use phasecube::machine::networks::{Carried, Contender, Load, Spec, NETWORKS};
use phasecube::program::Firmware;
use phasecube::rtl::cm1::EjectMode;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, SplitMix64};
use std::sync::OnceLock;

/// Bytes of payload of every message here.
pub const PAYLOAD: usize = 3;

pub const ROWS: usize = 3;

pub fn cube(dims: u32) -> Hypercube {
    Hypercube::new(dims.into()).unwrap()
}

/// The program that soft nodes run.
fn route() -> Firmware {
    static ROUTE: OnceLock<Firmware> = OnceLock::new();
    let compile = || {
        let tools = Toolchain::open().unwrap();
        Firmware::open("route", &tools, env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap()
    };
    ROUTE.get_or_init(compile).clone()
}

/// With 2^`proc_bits` processors on a node.
pub fn spec(dims: u32, proc_bits: u32, acked: bool) -> Spec {
    Spec {
        cube: cube(dims),
        proc_bits,
        payload: PAYLOAD,
        acked,
        program: Some(route()),
        rows: ROWS,
        eject: EjectMode::PerProcessor,
    }
}

/// All machines that there are for it.
pub fn contenders(spec: &Spec) -> Vec<Box<dyn Contender>> {
    let make = NETWORKS.iter().map(|(_, make)| make(spec).unwrap());
    make.flatten().collect()
}

/// The machine of this label.
pub fn contender(spec: &Spec, label: &str) -> Box<dyn Contender> {
    let found = contenders(spec).into_iter().find(|c| c.label() == label);
    found.unwrap()
}

pub fn lockstep(contender: &dyn Contender) -> LockstepEngine {
    contender.circuit().lockstep(&Options::default()).unwrap()
}

/// What the machine does in the lockstep engine.
pub fn carry(contender: &dyn Contender, load: Load) -> Carried {
    let mut engine = lockstep(contender);
    let carried = contender.carry(&mut engine, load, &mut |_, _| {});
    let carried = carried.unwrap();
    assert_eq!(carried.cut_short, None);
    carried
}

/// Messages between these processors; message i carries i.
pub fn messages(pairs: &[(u32, u32)]) -> Vec<Message> {
    let message = |(i, (source, destination)): (usize, &(u32, u32))| Message {
        source: *source,
        destination: *destination,
        payload: vec![i as u8, (i >> 8) as u8, 0xA5],
    };
    pairs.iter().enumerate().map(message).collect()
}

/// So many messages of random processors to random ones, themselves included.
pub fn random(processors: u32, count: usize, seed: u64) -> Vec<(u32, u32)> {
    let mut random = SplitMix64::new(seed);
    let mut one = || random.below(processors.into()) as u32;
    (0..count).map(|_| (one(), one())).collect()
}
