//! The blocks of the byte channel.

use crate::agreement::agree::{agree, agree_on};
use crate::agreement::scripts::flits;
use rtl::bytes::{
    ByteChannel, ByteCounter, ByteFifo, ByteMailbox, ByteReceiver, OutputMultiplexer, OutputQueue,
    QueueArbiter,
};

#[test]
#[ignore = "thorough: Verilator on each block"]
fn receivers_agree() {
    agree(ByteReceiver::<8>::default);
    agree(ByteReceiver::<9>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn fifos_agree() {
    agree(|| ByteFifo::<8>::new(1));
    agree(|| ByteFifo::<8>::new(4));
    agree(|| ByteFifo::<9>::new(5));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn queues_agree() {
    agree(|| QueueArbiter::new(1));
    agree(|| QueueArbiter::new(4));
    agree_on(
        || OutputQueue::<8>::new(4, 3),
        |s| s.script(&["flit[0]", "flit[1]", "flit[2]"], flits(3, 0)),
    );
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn multiplexers_agree() {
    agree(OutputMultiplexer::<8, 1>::default);
    agree(OutputMultiplexer::<8, 2>::default);
    agree(OutputMultiplexer::<9, 2>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn channels_agree() {
    agree(ByteChannel::<8, 1>::default);
    agree(ByteChannel::<8, 2>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn mailboxes_agree() {
    agree(ByteMailbox::<8, 3>::default);
    agree(ByteMailbox::<5, 3>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn counters_agree() {
    agree(|| ByteCounter::<2>::new(16));
    agree(|| ByteCounter::<1>::new(3));
}
