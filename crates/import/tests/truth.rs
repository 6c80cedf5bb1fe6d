//! Imported modules against Verilator and Icarus Verilog, on random inputs in every clock cycle.

use crate::elaborated;
use import::import;
use lockstep::eval::Evaluator;
use num_bigint::BigUint;
use std::path::Path;
use toolchain::{with_parameters, PartlyKnownWord, PortSpec, Toolchain};

/// Clock cycles of a comparison.
const CYCLES: usize = 400;

/// Numbers of a linear congruential generator.
struct Random(u64);

impl Random {
    fn word(&mut self, width: u32) -> BigUint {
        let digits = (0..width.div_ceil(32)).map(|_| {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as u32
        });
        let word = BigUint::new(digits.collect());
        let mask = (BigUint::from(1u8) << width) - 1u8;
        // Words with few set bits or few cleared bits reach the corner cases of the operators.
        match self.0 >> 20 & 7 {
            0 => BigUint::default(),
            1 => mask,
            2 => BigUint::from(self.0 >> 40 & 3) & mask,
            3 => &mask - (BigUint::from(self.0 >> 40 & 3) & &mask),
            _ => word & mask,
        }
    }
}

/// Checks that a module behaves in the evaluator as in Verilator, and as in Icarus Verilog in all
/// bits that it knows.
fn agrees(source: &str, top: &str, parameters: &[(&str, u32)]) {
    agrees_with(&[Judge::Verilator, Judge::Icarus], source, top, parameters);
}

/// Simulator whose results the importer must meet.
#[derive(Clone, Copy, PartialEq)]
enum Judge {
    Verilator,
    Icarus,
}

fn agrees_with(judges: &[Judge], source: &str, top: &str, parameters: &[(&str, u32)]) {
    let dir = tempfile::tempdir().unwrap();
    let json = elaborated(source, top, parameters, dir.path()).unwrap();
    let imported = import(&json).unwrap();
    let netlist = &imported.netlist;
    let ports = |names: &[lockstep::netlist::Name]| -> Vec<(String, u32)> {
        names.iter().map(|name| (name.path.clone(), netlist.width(name.net))).collect()
    };
    let (inputs, outputs) = (ports(&netlist.inputs), ports(&netlist.outputs));
    let clock = imported.clock.as_ref().map(|(name, _)| name.as_str());
    let specs = inputs.iter().map(|(name, width)| PortSpec::input(name, *width as usize));
    let specs =
        specs.chain(outputs.iter().map(|(name, width)| PortSpec::output(name, *width as usize)));
    let specs: Vec<_> = specs.chain(clock.map(|clock| PortSpec::input(clock, 1))).collect();
    let wrapper = format!("{top}_wrapped");
    let values = parameters.iter();
    let values: Vec<_> = values.map(|(n, v)| (n.to_string(), v.to_string())).collect();
    let text = source.to_owned() + "\n" + &with_parameters(&wrapper, top, &values, &specs);
    let tools = Toolchain::open().unwrap();
    let mut random = Random(7);
    let cycle = |random: &mut Random| inputs.iter().map(|(_, width)| random.word(*width)).collect();
    let mut cycles: Vec<Vec<BigUint>> = (0..CYCLES).map(|_| cycle(&mut random)).collect();
    // Verilator sees no edge of an asynchronous control that is active from the start.
    for ((name, width), value) in inputs.iter().zip(&mut cycles[0]) {
        *value = match name.as_str() {
            "rst" | "set" => BigUint::default(),
            _ => (BigUint::from(1u8) << *width) - 1u8,
        };
    }
    let known = |word: BigUint, width: u32| PartlyKnownWord {
        value: word,
        known: (BigUint::from(1u8) << width) - 1u8,
    };
    for judge in judges {
        let expected = match judge {
            Judge::Icarus => {
                let rows = tools.run_icarus(&text, &wrapper, &specs, clock, &cycles, dir.path());
                let rows = rows.unwrap();
                let words = rows.iter().flatten();
                let known: u64 = words.map(|word| word.known.count_ones()).sum();
                let bits: u32 = outputs.iter().map(|(_, width)| width).sum();
                let bits = u64::from(bits) * CYCLES as u64;
                assert!(4 * known > bits, "{top}: Icarus knows {known} of {bits} bits");
                rows
            }
            Judge::Verilator => {
                // Models are kept, for their compilation takes most of the time.
                let models = Path::new(env!("CARGO_TARGET_TMPDIR"));
                let model = tools.verilate(&text, &wrapper, &specs, clock, models);
                let rows = model.unwrap().run(&cycles).unwrap().into_iter();
                let row = |row: Vec<BigUint>| {
                    let words = row.into_iter().zip(&outputs);
                    words.map(|(word, (_, width))| known(word, *width)).collect()
                };
                rows.map(row).collect()
            }
        };
        let mut evaluator = Evaluator::new(netlist.clone());
        for (number, (values, expected)) in cycles.iter().zip(&expected).enumerate() {
            for (input, value) in netlist.inputs.iter().zip(values) {
                evaluator.set_big(input.net, value);
            }
            evaluator.settle();
            for (output, expected) in netlist.outputs.iter().zip(expected) {
                let found = evaluator.get_big(output.net);
                assert!(
                    expected.allows(&found),
                    "{top}{parameters:?}: {} in clock cycle {number}, found {found:#x}, expected \
                     {:#x} in {:#x}, inputs {values:x?}",
                    output.path,
                    expected.value,
                    expected.known
                );
            }
            evaluator.clock();
        }
    }
}

const OPERATORS: &str = include_str!("verilog/operators.v");
const REGISTERS: &str = include_str!("verilog/registers.v");
const MEMORIES: &str = include_str!("verilog/memories.v");

#[test]
#[ignore = "thorough: yosys, Verilator and Icarus"]
fn operators_of_all_widths() {
    for [a, b, y] in [
        [1, 1, 1],
        [8, 5, 12],
        [5, 8, 3],
        [32, 32, 32],
        [64, 7, 65],
        [33, 64, 40],
        [130, 9, 129],
        [17, 130, 70],
    ] {
        agrees(OPERATORS, "operators", &[("A", a), ("B", b), ("Y", y)]);
    }
}

/// Icarus 11 divides words of more than 64 bits wrongly: (2^130 - 1) / 1 is 0.
#[test]
#[ignore = "thorough: yosys, Verilator and Icarus"]
fn divisions_of_all_widths() {
    for [a, b, y] in [[1, 1, 1], [8, 5, 12], [5, 8, 3], [32, 32, 32], [33, 64, 40]] {
        agrees(OPERATORS, "divisions", &[("A", a), ("B", b), ("Y", y)]);
    }
    for [a, b, y] in [[64, 7, 65], [130, 9, 129], [17, 130, 70]] {
        let parameters = [("A", a), ("B", b), ("Y", y)];
        agrees_with(&[Judge::Verilator], OPERATORS, "divisions", &parameters);
    }
}

#[test]
#[ignore = "thorough: yosys, Verilator and Icarus"]
fn selections_inside_and_outside() {
    for [a, i] in [[13, 4], [16, 4], [5, 6], [70, 7]] {
        agrees(OPERATORS, "selections", &[("A", a), ("I", i)]);
    }
}

#[test]
#[ignore = "thorough: yosys, Verilator and Icarus"]
fn registers_of_every_kind() {
    for width in [2, 9, 64, 65] {
        agrees(REGISTERS, "registers", &[("W", width)]);
    }
    agrees(REGISTERS, "falling", &[]);
    agrees(REGISTERS, "set_and_clear", &[]);
}

#[test]
#[ignore = "thorough: yosys, Verilator and Icarus"]
fn memories_of_every_kind() {
    for top in ["read_first", "write_first"] {
        agrees(MEMORIES, top, &[]);
        agrees(MEMORIES, top, &[("W", 70), ("A", 2)]);
    }
    for top in ["masked", "asynchronous", "two_writes", "offset", "parts", "strobes"] {
        agrees(MEMORIES, top, &[]);
    }
}

/// Claim: a memory whose write ports write different bits does not become registers.
#[test]
#[ignore = "thorough: yosys"]
fn write_ports_of_different_bits_stay_memories() {
    let memories = |top: &str| {
        let dir = tempfile::tempdir().unwrap();
        let json = elaborated(MEMORIES, top, &[], dir.path()).unwrap();
        import(&json).unwrap().netlist.memories
    };
    let widths = |top: &str| -> Vec<u32> { memories(top).iter().map(|m| m.width).collect() };
    // Both reads have the same address, and yosys makes one port of them.
    assert_eq!(widths("parts"), [4, 4, 1]);
    assert_eq!(widths("masked"), [8; 8]);
    assert!(widths("two_writes").is_empty());

    // Copies for two read ports are marked, so that they can share registers.
    let copies = memories("asynchronous");
    assert_eq!(copies.len(), 2);
    assert!(copies[0].copy_of.is_some());
    assert_eq!(copies[0].copy_of, copies[1].copy_of);
    let parts = memories("parts");
    assert!(parts[0].copy_of != parts[1].copy_of);

    // The conditions of a write do not change its address.
    let memories = memories("strobes");
    let writes: Vec<_> = memories.iter().map(|m| m.write.map(|w| w.address)).collect();
    let read = Some(memories[0].read_address);
    assert_eq!(writes, [None, read, read]);
}

/// Claim: the clock is known by its port, also where an instance has another name for it.
#[test]
#[ignore = "thorough: yosys"]
fn the_clock_has_the_name_of_its_port() {
    let source = "module outer (input tick, input d, output q);\n\
                  inner a (.clk(tick), .d(d), .q(q));\nendmodule\n\
                  module inner (input clk, input d, output reg q);\n\
                  always @(posedge clk) q <= d;\nendmodule\n";
    let dir = tempfile::tempdir().unwrap();
    let json = elaborated(source, "outer", &[], dir.path()).unwrap();
    let clock = import(&json).unwrap().clock;
    assert_eq!(clock, Some(("tick".into(), import::ClockEdge::Rising)));
}
