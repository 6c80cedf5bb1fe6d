//! Imported modules against Verilator, on random inputs in every clock cycle.

use crate::elaborated;
use import::import;
use lockstep::eval::Evaluator;
use num_bigint::BigUint;
use toolchain::{with_parameters, PortSpec, Toolchain};

/// Clock cycles of a comparison.
const CYCLES: usize = 400;

/// Numbers of a linear congruential generator.
struct Random(u64);

impl Random {
    fn word(&mut self, width: u32) -> BigUint {
        let digits = (0..width.div_ceil(32)).map(|_| {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
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

/// Checks that a module behaves in the evaluator as in Verilator.
fn agrees(source: &str, top: &str, parameters: &[(&str, u32)]) {
    let dir = tempfile::tempdir().unwrap();
    let json = elaborated(source, top, parameters, dir.path()).unwrap();
    let imported = import(&json).unwrap();
    let netlist = &imported.netlist;
    let ports = |names: &[lockstep::netlist::Name]| -> Vec<(String, u32)> {
        names
            .iter()
            .map(|name| (name.path.clone(), netlist.width(name.net)))
            .collect()
    };
    let (inputs, outputs) = (ports(&netlist.inputs), ports(&netlist.outputs));
    let clock = imported.clock.as_ref().map(|(name, _)| name.as_str());
    let specs = inputs
        .iter()
        .map(|(name, width)| PortSpec::input(name, *width as usize));
    let specs = specs.chain(
        outputs
            .iter()
            .map(|(name, width)| PortSpec::output(name, *width as usize)),
    );
    let specs: Vec<_> = specs
        .chain(clock.map(|clock| PortSpec::input(clock, 1)))
        .collect();
    let wrapper = format!("{top}_wrapped");
    let values = parameters.iter();
    let values: Vec<_> = values
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    let text = source.to_owned() + "\n" + &with_parameters(&wrapper, top, &values, &specs);
    let tools = Toolchain::open().unwrap();
    let model = tools
        .verilate(&text, &wrapper, &specs, clock, dir.path())
        .unwrap();
    let mut random = Random(7);
    let cycle = |random: &mut Random| {
        inputs
            .iter()
            .map(|(_, width)| random.word(*width))
            .collect()
    };
    let mut cycles: Vec<Vec<BigUint>> = (0..CYCLES).map(|_| cycle(&mut random)).collect();
    // Verilator sees no edge of an asynchronous control that is active from the start.
    for ((name, width), value) in inputs.iter().zip(&mut cycles[0]) {
        *value = match name.as_str() {
            "rst" => BigUint::default(),
            _ => (BigUint::from(1u8) << *width) - 1u8,
        };
    }
    let expected = model.run(&cycles).unwrap();
    let mut evaluator = Evaluator::new(netlist.clone());
    for (number, (values, expected)) in cycles.iter().zip(&expected).enumerate() {
        for (input, value) in netlist.inputs.iter().zip(values) {
            evaluator.set_big(input.net, value);
        }
        evaluator.settle();
        for (output, expected) in netlist.outputs.iter().zip(expected) {
            let found = evaluator.get_big(output.net);
            assert_eq!(
                &found, expected,
                "{top}{parameters:?}: {} in clock cycle {number}, found {found:#x}, expected \
                 {expected:#x}, inputs {values:x?}",
                output.path
            );
        }
        evaluator.clock();
    }
}

const OPERATORS: &str = include_str!("verilog/operators.v");
const REGISTERS: &str = include_str!("verilog/registers.v");
const MEMORIES: &str = include_str!("verilog/memories.v");

#[test]
#[ignore = "thorough: yosys and Verilator"]
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

#[test]
#[ignore = "thorough: yosys and Verilator"]
fn selections_inside_and_outside() {
    for [a, i] in [[13, 4], [16, 4], [5, 6], [70, 7]] {
        agrees(OPERATORS, "selections", &[("A", a), ("I", i)]);
    }
}

#[test]
#[ignore = "thorough: yosys and Verilator"]
fn registers_of_every_kind() {
    for width in [2, 9, 64, 65] {
        agrees(REGISTERS, "registers", &[("W", width)]);
    }
    agrees(REGISTERS, "falling", &[]);
}

#[test]
#[ignore = "thorough: yosys and Verilator"]
fn memories_of_every_kind() {
    for top in ["read_first", "write_first"] {
        agrees(MEMORIES, top, &[]);
        agrees(MEMORIES, top, &[("W", 70), ("A", 2)]);
    }
    for top in ["masked", "asynchronous", "two_writes", "offset"] {
        agrees(MEMORIES, top, &[]);
    }
}
