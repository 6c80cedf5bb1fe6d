//! Memories that are parts of one word: the bits of a word that are written separately.

use lockstep::design::Type;
use lockstep::eval::Evaluator;
use lockstep::lanes::{Backend, InputSource, LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::{
    DraftParts, MemoryWrite, Name, NetDraft, NetOp, Netlist, NetlistMemory, Register,
};
use num_bigint::BigUint;

/// Memories with these widths. The first three have the same addresses, and a table has the address
/// to which they write. The last one writes elsewhere. Registers hold the write enables.
const PARTS: [u32; 4] = [5, 8, 16, 3];

fn memories_in_parts() -> Netlist {
    let mut draft = NetDraft::default();
    let mut parts = DraftParts::default();
    let name = |path: String, net, width| Name { path, net, ty: Type::Bits(width) };
    let mut input = |draft: &mut NetDraft, path: String, width| {
        let net = draft.net(NetOp::Input(parts.inputs.len() as u32), width);
        parts.inputs.push(name(path, net, width));
        net
    };
    let [read, write, other] =
        ["read", "write", "other"].map(|path| input(&mut draft, path.into(), 7));
    let pins = PARTS.map(|width| {
        [("data", width), ("enable", 1)]
            .map(|(pin, bits)| input(&mut draft, format!("{pin}{width}"), bits))
    });
    let written = draft.net(NetOp::Memory(4), 7);
    for (i, (width, [data, enable])) in PARTS.into_iter().zip(pins).enumerate() {
        let enabled = draft.net(NetOp::Register(i as u32), 1);
        parts.registers.push(Register {
            name: format!("enabled{width}"),
            d: enable,
            q: enabled,
            init: BigUint::ZERO,
        });
        let read_data = draft.net(NetOp::Memory(i as u32), width);
        parts.outputs.push(name(format!("q{width}"), read_data, width));
        parts.memories.push(NetlistMemory {
            name: format!("m{width}"),
            words: 128,
            width,
            read_address: read,
            read_data,
            write: Some(MemoryWrite {
                address: if width == 3 { other } else { written },
                data,
                enable: enabled,
                disjoint: false,
            }),
            init: (0..100u32).map(|i| BigUint::from(i % (1 << width))).collect(),
            copy_of: None,
        });
    }
    parts.memories.push(NetlistMemory {
        name: "table".into(),
        words: 128,
        width: 7,
        read_address: write,
        read_data: written,
        write: None,
        init: (0..6u32).rev().map(BigUint::from).collect(),
        copy_of: None,
    });
    draft.finish(parts).unwrap()
}

/// Parts of a word with the same addresses and their own enables, in lanes with different addresses
/// and in lanes with the same ones, equal the evaluator. The host sets and reads each part alone.
#[test]
fn parts_of_words_are_written_separately() {
    const LANES: usize = 150;
    let netlist = memories_in_parts();
    let mut seed = 1u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    for backend in [Backend::Tape, Backend::Auto] {
        let mut wiring = LaneWiring::new();
        for input in &netlist.inputs {
            wiring.port(&input.path, InputSource::PerLane);
        }
        let options = LaneOptions { backend, ..LaneOptions::default() };
        let mut machine = LaneMachine::new(netlist.clone(), LANES, &wiring, &options).unwrap();
        let mut lanes = vec![Evaluator::new(netlist.clone()); LANES];
        let inputs: Vec<_> =
            netlist.inputs.iter().map(|i| machine.input(&i.path).unwrap()).collect();
        let outputs: Vec<_> =
            netlist.outputs.iter().map(|o| machine.probe(&o.path).unwrap()).collect();
        for clock in 0..120 {
            let is_uniform = clock % 5 == 0;
            for (port, input) in inputs.iter().zip(&netlist.inputs) {
                // Few addresses, so that words are read soon after they were written.
                let below = match netlist.width(input.net) {
                    7 => 6,
                    width => 1 << width,
                };
                let common = random(below);
                for (lane, evaluator) in lanes.iter_mut().enumerate() {
                    let value = if is_uniform { common } else { random(below) };
                    machine.set(*port, lane, value).unwrap();
                    evaluator.set(input.net, value);
                }
            }
            machine.clock();
            for (lane, evaluator) in lanes.iter_mut().enumerate() {
                evaluator.clock();
                evaluator.settle();
                for (probe, output) in outputs.iter().zip(&netlist.outputs) {
                    let found = machine.get(*probe, lane);
                    assert_eq!(found, evaluator.get(output.net), "{} in {clock}", output.path);
                }
                let address = clock % 6;
                for memory in 0..4 {
                    let found = machine.memory_word(memory, lane, address).unwrap();
                    assert_eq!(
                        found,
                        evaluator.memory_word(memory, address),
                        "{memory} in {clock}"
                    );
                }
            }
        }
        let words = |machine: &LaneMachine, lane| {
            [0, 1, 2].map(|memory| machine.memory_word(memory, lane, 99).unwrap())
        };
        machine.reset();
        assert_eq!(words(&machine, 149), [3u32, 99, 99].map(BigUint::from));
        machine.set_memory_word_all(1, 99, &200u32.into()).unwrap();
        machine.set_memory_word(2, 149, 99, &0xABCDu32.into()).unwrap();
        machine.set_memory_word(0, 149, 99, &17u32.into()).unwrap();
        assert_eq!(words(&machine, 148), [3u32, 200, 99].map(BigUint::from));
        assert_eq!(words(&machine, 149), [17u32, 200, 0xABCD].map(BigUint::from));
        machine.set_all(inputs[0], 99).unwrap();
        machine.clock();
        let mut read = |lane| [0, 1, 2].map(|memory| machine.get(outputs[memory], lane));
        assert_eq!(read(149), [17, 200, 0xABCD]);
    }
}
