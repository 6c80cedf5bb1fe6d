//! The byte networks as they run on a board. The host port reports the same result as the machine
//! whose processors are modelled in software, for the same messages.

use crate::hosted::reports;
use crate::support::whole_runs;
use lockstep::design::Design;
use lockstep::lanes::{Keep, LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;
use phasecube::board::Transcript;
use phasecube::engine::{CircuitEngine, LockstepEngine, NodeEngine, NodePortId};
use phasecube::networks::HostedBytes;
use phasecube::program::ByteNetwork::{self, Rotation, Torus};
use phasecube::program::{BoardMemory, Firmware, NodeKind};
use phasecube::report::OutputProbe;
use phasecube::rtl::hosted::ByteProcessors;
use phasecube::toolchain::Toolchain;
use phasecube::traffic::SplitMix64;
use std::path::Path;

fn builds() -> &'static Path {
    env!("CARGO_TARGET_TMPDIR").as_ref()
}

fn memory(network: ByteNetwork) -> BoardMemory {
    BoardMemory::byte_network(network, &Toolchain::open().unwrap(), builds()).unwrap()
}

/// Returns the memory with another program for the nodes.
fn running(network: ByteNetwork, name: &str, program: &str) -> BoardMemory {
    let path = builds().join(format!("{name}_{}.c", network.name()));
    std::fs::write(&path, program).unwrap();
    let tools = Toolchain::open().unwrap();
    let nodes = Firmware::open(path.to_str().unwrap(), NodeKind::CUBE, &tools, builds()).unwrap();
    assert!(4 * nodes.words.len() as u64 <= BoardMemory::PROGRAM);
    let mut memory = memory(network);
    memory.words[..nodes.words.len()].copy_from_slice(&nodes.words);
    memory
}

fn design(network: ByteNetwork, memory: &BoardMemory) -> Design {
    HostedBytes::new(network).design(&memory.words).unwrap()
}

/// A program that sends a byte whenever a message is offered and the network is free. It never
/// receives a byte.
const NEVER_TAKES: &str = "#define PORT ((volatile unsigned *)0x40000000)\n\
    int main(void) {\n\
        for (;;) {\n\
            __asm__ volatile(\"wfi\");\n\
            if ((PORT[0] & 0x600) == 0x600) PORT[1] = 1;\n\
        }\n\
    }\n";

/// Runs one board for each command, with this network and memory. Returns their reports and LEDs.
fn board_reports(
    network: ByteNetwork,
    memory: &BoardMemory,
    commands: &[(&str, &str)],
) -> (Vec<Transcript>, Vec<u64>) {
    reports::board_reports(network.name(), &design(network, memory), commands)
}

#[test]
#[ignore = "thorough: long runs"]
fn the_torus_reports_every_pattern_as_the_simulator_does() {
    every_pattern(Torus);
}

#[test]
#[ignore = "thorough: long runs"]
fn rotation_reports_every_pattern_as_the_simulator_does() {
    every_pattern(Rotation);
}

/// Returns a port of the nodes, one for each node.
fn inside(board: &mut LockstepEngine, name: &str) -> Vec<NodePortId> {
    let path = |i| format!("network.nodes[{i}].{name}");
    let ports = (0..8).map(path).map(|path| board.signal(&path).expect(&path));
    ports.collect()
}

/// Checks that every message arrives once and unchanged, with the right number of bytes on the
/// channels.
fn every_pattern(network: ByteNetwork) {
    reports::every_pattern(network.name(), &design(network, &memory(network)));
}

/// Programs that never receive a byte. The torus fills and deadlocks. The host aborts the run and
/// is ready again.
#[test]
#[ignore = "thorough: long runs"]
fn a_run_on_a_deadlocked_torus_is_aborted() {
    let memory = running(Torus, "never_takes", NEVER_TAKES);
    let (transcripts, lights) = board_reports(Torus, &memory, &[("complement", "1"); 2]);
    for (transcript, lights) in transcripts.iter().zip(lights) {
        let fault = transcript.fault().unwrap();
        assert_eq!(fault, "the run complement 0x1 lost 8 messages, and 0 arrivals were wrong");
        // The LEDs for an error and the end of a run.
        assert_eq!(lights, 6);
    }
}

/// A host that fills the queue of node 1 only. The run is started in one case only.
#[test]
#[ignore = "thorough: compiles firmware"]
fn nothing_is_offered_before_the_run() {
    let bytes = |runs: bool| {
        let mut memory = running(Torus, "puts_if_offered", NEVER_TAKES);
        // lui x5, 0x40000; li x6, 0x101; sw x6, QUEUE(x5); li x6, RUN or 0;
        // sw x6, CONTROL(x5); j .
        let host = [0x4000_02B7, 0x1010_0313, 0x0062_A623, 0x0000_0313, 0x0062_AC23, 0x0000_006F];
        memory.words[0x400..][..host.len()].copy_from_slice(&host);
        memory.words[0x403] |= u32::from(runs) << 20;
        let netlist = flatten(&design(Torus, &memory)).unwrap();
        let every = LaneOptions { keep: Keep::All, ..LaneOptions::default() };
        let lanes = LaneMachine::new(netlist, 2, &LaneWiring::default(), &every).unwrap();
        let mut board = LockstepEngine::new(lanes);
        let requests: Vec<NodePortId> = inside(&mut board, "send_request");
        let mut bytes = [0; 8];
        let mut before = [0; 8];
        for _ in 0..10_000 {
            board.settle().unwrap();
            for (node, request) in requests.iter().enumerate() {
                let now = board.get(*request, 0);
                bytes[node] += now ^ before[node];
                before[node] = now;
            }
            board.clock().unwrap();
        }
        bytes
    };
    assert_eq!(bytes(false), [0; 8]);
    let [others, one, rest @ ..] = bytes(true);
    assert!(one > 4, "{one}");
    assert_eq!((others, rest), (0, [0; 6]));
}

/// Programs that deliver a message that no node sent, once each. The host reports it as wrong.
#[test]
#[ignore = "thorough: long runs"]
fn a_message_that_no_node_sent_is_reported_as_wrong() {
    let program = "#define PORT ((volatile unsigned *)0x40000000)\n\
        int main(void) {\n\
            unsigned status, node;\n\
            do __asm__ volatile(\"wfi\"); while (!(PORT[0] & 0x400));\n\
            do status = PORT[3]; while (!(status & 0x800));\n\
            volatile unsigned *ring = (volatile unsigned *)0x10002000 + 4 * (status >> 20 & 15);\n\
            node = status >> 12 & 7;\n\
            ring[0] = 10 | node << 8;\n\
            ring[3] = 8 | node;\n\
            for (;;) __asm__ volatile(\"wfi\");\n\
        }\n";
    let memory = running(Torus, "hands_over", program);
    let (transcripts, _) = board_reports(Torus, &memory, &[("complement", "1"); 2]);
    for transcript in &transcripts {
        let fault = transcript.fault().unwrap();
        assert_eq!(fault, "the run complement 0x1 lost 8 messages, and 8 arrivals were wrong");
    }
}

/// Packets of four bytes to all nodes: two addresses, a data byte and a tail.
#[test]
#[ignore = "thorough: long runs"]
fn the_channels_of_the_torus_are_those_of_the_simulated_machine() {
    channels(Torus, "packet & 3, packet >> 2 & 1, 0x33, 0");
}

/// Packets of a header, two data bytes and a tail.
#[test]
#[ignore = "thorough: long runs"]
fn the_channels_of_rotation_are_those_of_the_simulated_machine() {
    channels(Rotation, "packet & 7, 0x55, 0x33, 0");
}

/// Checks that the network on the board equals the simulated machine. The machine gets the
/// programs' outputs on the ports of its processors. All channels must then agree in every clock
/// cycle, and the host must report the number of bytes carried. The programs send packets of the
/// bytes given.
fn channels(network: ByteNetwork, packet: &str) {
    let program = format!(
        "#define PORT ((volatile unsigned *)0x40000000)\n\
        int main(void) {{\n\
            for (unsigned byte = 0;; ) {{\n\
                unsigned status = PORT[0], packet = byte >> 2;\n\
                unsigned bytes[4] = {{ {packet} }};\n\
                if (status & 0x100) PORT[2] = 0;\n\
                if (!(status & 0x200)) continue;\n\
                PORT[1] = bytes[byte & 3];\n\
                byte++;\n\
            }}\n\
        }}\n"
    );
    let memory = running(network, "goes_round", &program);
    let netlist = flatten(&design(network, &memory)).unwrap();
    let options = LaneOptions::default();
    let every = LaneOptions { keep: Keep::All, ..options.clone() };
    let lanes = LaneMachine::new(netlist, 2, &LaneWiring::default(), &every).unwrap();
    let mut board = LockstepEngine::new(lanes);
    let hosted = HostedBytes::new(network);
    let mut machine = hosted.circuit().array().unwrap().lockstep(&options).unwrap();
    for pin in hosted.shape().constant_inputs() {
        let port = machine.port(&pin.name);
        for (node, value) in pin.values.into_iter().enumerate() {
            machine.set(port, node, value);
        }
    }
    let count = board.signal("counter.count").unwrap();
    let mut both = |name: &str| -> (NodePortId, Vec<NodePortId>) {
        (machine.port(name), inside(&mut board, name))
    };
    let printed = ["send_data", "send_request", "receive_acknowledge"].map(&mut both);
    let mut shown = vec![];
    for name in ["receive_data", "receive_request", "send_acknowledge"] {
        shown.push((name.to_owned(), both(name)));
    }
    let node = hosted.circuit().array().unwrap().node.design;
    let outputs = node.top().ports().map(|(_, port)| port.name.as_str());
    let outputs = outputs.filter(|name| name.contains("_out["));
    let first_channel = shown.len();
    shown.extend(outputs.map(|name| (name.to_owned(), both(name))));
    assert!(shown.len() >= first_channel + 6);
    let rx = board.port("rx");
    board.set(rx, 0, 1);
    let mut changes = vec![0; 8 * shown.len()];
    let mut before = vec![0; 8 * shown.len()];
    // Bytes on channels so far, and one and two clock cycles earlier.
    let mut bytes = [0u64; 3];
    for clock_cycle in 0..200_000 {
        board.settle().unwrap();
        for (port, inside) in &printed {
            for (node, inside) in inside.iter().enumerate() {
                let value = board.get(*inside, 0);
                machine.set(*port, node, value);
            }
        }
        machine.settle().unwrap();
        bytes = [bytes[0], bytes[0], bytes[1]];
        for (place, (name, (port, inside))) in shown.iter().enumerate() {
            for (node, inside) in inside.iter().enumerate() {
                let (found, expected) = (board.get(*inside, 0), machine.get(*port, node));
                assert_eq!(found, expected, "{name} of {node}, clock cycle {clock_cycle}");
                let changed = found != before[8 * place + node];
                changes[8 * place + node] += u32::from(changed);
                before[8 * place + node] = found;
                bytes[0] += u64::from(changed && name.starts_with("request_out"));
            }
        }
        assert_eq!(board.get(count, 0), bytes[2] % 65_536);
        board.clock().unwrap();
        machine.clock().unwrap();
    }
    assert!(changes.iter().all(|changes| *changes > 10), "{changes:?}");
}

/// Reference, evaluator and Verilator agree on core, host and mailbox, clock cycle by clock cycle.
/// Every node sends, and receives from a network that stalls at random.
#[test]
#[ignore = "thorough: long runs"]
fn engines_agree() {
    let program = "#define PORT ((volatile unsigned *)0x40000000)\n\
        int main(void) {\n\
            for (unsigned byte = 0;; byte++) {\n\
                unsigned status = PORT[0];\n\
                if (status & 0x100) PORT[2] = 0;\n\
                if (status & 0x200) PORT[1] = byte + status;\n\
            }\n\
        }\n";
    let memory = running(Torus, "puts", program);
    let run = |engine: &mut dyn CircuitEngine| {
        let mut probe = OutputProbe::new(engine);
        let mut random = SplitMix64::new(5);
        let [rx, count, request, given] =
            ["rx", "count", "send_request", "receive_request"].map(|name| probe.port(name));
        let [acknowledge, taken] =
            ["send_acknowledge", "receive_acknowledge"].map(|name| probe.port(name));
        let data: Vec<_> = (0..8).map(|i| probe.port(&format!("receive_data[{i}]"))).collect();
        let (mut acknowledged, mut requests) = (0, 0);
        probe.set_u64(rx, 1);
        for _ in 0..6_000 {
            probe.settle().unwrap();
            let node = random.below(8);
            let (sent, got) = (probe.get_u64(request), probe.get_u64(taken));
            acknowledged ^= (sent ^ acknowledged) & (1 << node);
            if (requests ^ got) >> node & 1 == 0 {
                requests ^= 1 << node;
                probe.set_u64(data[node as usize], random.below(256));
            }
            probe.clock().unwrap();
            probe.set_u64(acknowledge, acknowledged);
            probe.set_u64(given, requests);
            probe.set_u64(count, random.below(65_536));
        }
        probe.into_trace()
    };
    let outputs = whole_runs::agree(Box::new(ByteProcessors::new(&memory.words)), run);
    // No run starts, so none ends.
    whole_runs::alive_but(&outputs, &["led"]);
}
