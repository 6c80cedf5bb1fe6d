//! Machines of groups with a core each. Every hop is in the same phase as with hardware forwarders, on
//! links within a group and between groups, and the host reports what the simulator reports.

use crate::hosted::large::LargeBoards;
use crate::hosted::memory_of;
use crate::support::whole_runs;
use phasecube::engine::CircuitEngine;
use phasecube::networks::tdma::hosted::HostedCircuit;
use phasecube::program::BoardMemory;
use phasecube::report::OutputProbe;
use phasecube::rtl::hosted::groups::GroupShape;
use phasecube::rtl::hosted::layout::PROGRAM_WORDS;
use phasecube::rtl::hosted::HostedShape;
use phasecube::traffic::Message;

fn shape(dims: u32, local: u32) -> HostedShape {
    HostedShape::Groups(GroupShape::of(dims, local).unwrap())
}

/// Four groups of four nodes. Messages pass every link.
#[test]
fn hops_of_four_groups_have_the_phases_of_hardware_forwarders() {
    let mut boards = LargeBoards::of(shape(4, 2));
    boards.events("permutation", 7, u64::MAX);
    boards.check_report();
}

/// Four groups of four nodes, in two consecutive runs with several messages for each node.
#[test]
#[ignore = "thorough: long runs"]
fn hops_of_consecutive_runs_have_the_phases_of_hardware_forwarders() {
    let mut boards = LargeBoards::of(shape(4, 2));
    boards.events("relation:3", 7, u64::MAX);
    boards.check_report();
    boards.events("hotspot", 3, u64::MAX);
    boards.check_report();
}

/// Two groups of sixteen nodes.
#[test]
#[ignore = "thorough: long runs"]
fn hops_of_two_groups_have_the_phases_of_hardware_forwarders() {
    let mut boards = LargeBoards::of(shape(5, 4));
    boards.events("relation:2", 5, u64::MAX);
    boards.check_report();
}

/// 256 nodes in four groups, in one phase: each sends a message over the first link of its group. A
/// phase has 731,136 clock cycles, so a superframe and `route`'s own preparation of 256 messages
/// take too long here. The smaller machines have messages over the links between groups.
#[test]
#[ignore = "thorough: long runs"]
fn hops_of_the_eight_cube_have_the_phases_of_hardware_forwarders() {
    let shape = shape(8, 6);
    let (nodes, mask) = (256, 1);
    let messages: Vec<Message> = (0..nodes)
        .map(|node| Message {
            source: node,
            destination: node ^ mask,
            payload: vec![0, node as u8, 0, 0, 0, 0, 0, 0],
        })
        .collect();
    LargeBoards::with(circuit_with(shape, &host(nodes, mask)), shape).messages(&messages, 1);
}

/// Returns the program of a host that gives each node a message, and starts the schedule at once.
/// The addresses of a message's nodes differ in the bits of `mask`. The payload is the source, after
/// a zero byte.
fn host(nodes: u32, mask: u32) -> Vec<u32> {
    let mut words = HOST.to_vec();
    words[3] |= nodes << 20;
    words[4] |= mask << 20;
    words
}

/// Program of [`host`] without the number of nodes and the mask.
const HOST: &[u32] = &[
    0x400002B7, // lui t0, 0x40000: registers
    0x28000337, // lui t1, 0x28000: queues
    0x00000393, // li t2, 0: node
    0x00000593, // li a1, nodes
    0x0003C513, // xori a0, t2, mask: destination
    0x00851513, // slli a0, a0, 8
    0x00A50513, // addi a0, a0, 10
    0x00A32823, // sw a0, 16(t1)
    0x00732A23, // sw t2, 20(t1)
    0x00010637, // lui a2, 0x10: one message
    0x00766633, // or a2, a2, t2
    0x00C2A623, // sw a2, 0x0C(t0)
    0x08030313, // addi t1, t1, 128
    0x00138393, // addi t2, t2, 1
    0xFCB39CE3, // bne t2, a1, -40
    0x00100613, // li a2, 1
    0x00C2AC23, // sw a2, 0x18(t0): run
    0x0072A223, // sw t2, 0x04(t0): to the PC
    0x0082A603, // lw a2, 0x08(t0)
    0x0282A603, // lw a2, 0x28(t0)
    0x0102A603, // lw a2, 0x10(t0)
    0xFF5FF06F, // j -12
];

/// Returns the circuit of a shape with `route` in the nodes and this program in the host.
fn circuit_with(shape: HostedShape, host: &[u32]) -> HostedCircuit {
    let memory = memory_of(shape);
    let words = [&memory.words[..PROGRAM_WORDS as usize], host].concat();
    HostedCircuit::new(shape, BoardMemory { words })
}

/// Clock cycles in which the host writes to all groups, and the nodes take messages and decide.
const CLOCK_CYCLES: u32 = 6_000;

fn run(engine: &mut dyn CircuitEngine) -> whole_runs::OutputTrace {
    let mut probe = OutputProbe::new(engine);
    for _ in 0..CLOCK_CYCLES {
        probe.settle().unwrap();
        probe.clock().unwrap();
    }
    probe.into_trace()
}

/// All engines show the same outputs in every clock cycle.
#[test]
#[ignore = "thorough: long runs"]
fn engines_agree_on_four_groups() {
    // Each message passes two links, one between groups.
    let circuit = circuit_with(shape(4, 2), &host(16, 0b0101));
    let (names, trace) = whole_runs::agree(circuit.observed(), run);
    for wanted in ["tx", "decided[3]", "host_index[0]", "host_taken[3]"] {
        let place = names.iter().position(|name| name == wanted).unwrap();
        let changes = trace.iter().any(|cycle| cycle[place] != trace[0][place]);
        assert!(changes, "{wanted}");
    }
}
