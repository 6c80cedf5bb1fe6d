//! C++ program around a compiled circuit: fills in the templates `nodes.cpp` and `one.cpp`.
//!
//! In a clock cycle, the program first reads all outputs that cross links. Then each node gets its
//! inputs, settles, is sampled, and has its clock edge.

use super::{FleetFeed, FleetInput, FleetLine};
use crate::fingerprint::{FNV_BASIS, FNV_PRIME};
use crate::{EnginePort, WordStream};
use lockstep::lanes::LaneMap;
use std::collections::HashMap;
use std::fmt::Write;
use toolchain::MODEL_PREFIX;

/// Program for a node with these ports, and the tables that it reads. The clock is the port after
/// them, followed by the inner signals.
pub fn program_for_nodes(
    ports: &[EnginePort],
    inputs: &[FleetInput],
    stream: &WordStream,
    signals: usize,
) -> (String, Vec<LaneMap>) {
    let index = |name: &str| {
        let found = ports.iter().position(|port| port.name == name);
        found.unwrap_or_else(|| panic!("the node has no port `{name}`"))
    };
    let width = |name: &str| ports[index(name)].width;
    let lines = inputs.iter().filter_map(|input| match &input.feed {
        FleetFeed::Nodes(lines) => Some(lines),
        _ => None,
    });
    let widths = lines.flat_map(|lines| {
        let outputs = lines.iter().map(|line| width(&line.output));
        outputs.chain([lines.len() as u32])
    });
    let widest = widths.max().unwrap_or(0);
    assert!(widest <= 64, "{widest} bits are linked at once");
    let mut links = LinkedOutputs {
        bits: if widest > 32 { 64 } else { 32 },
        ..LinkedOutputs::default()
    };
    let mut drive = String::new();
    let mut words = 0;
    for input in inputs {
        let value = match &input.feed {
            FleetFeed::Number => "n".into(),
            FleetFeed::Shared(word) => {
                words = words.max(word + 1);
                format!("shared[{word}]")
            }
            FleetFeed::Nodes(lines) => links.value(lines),
        };
        let _ = writeln!(drive, "    top.p{} = {value};", index(&input.name));
    }
    let snapshot: String = links
        .outputs
        .iter()
        .enumerate()
        .map(|(l, name)| format!("    links[{l}][n] = nodes[n]->p{};\n", index(name)))
        .collect();
    let outputs = ports.iter().enumerate().filter(|(_, port)| !port.input);
    let inside = (ports.len() + 1..).take(signals);
    let mix_all: String = outputs
        .map(|(i, _)| i)
        .chain(inside)
        .map(|i| format!("    hash = mix(hash, top.p{i});\n"))
        .collect();
    let port = |name: &str| format!("top.p{}", index(name));
    let program = fill_in_common(NODES, ports)
        .replace("@LINKS@", &links.outputs.len().max(1).to_string())
        .replace("@BITS@", &links.bits.to_string())
        .replace("@WORDS@", &words.max(1).to_string())
        .replace("@SNAPSHOT@", snapshot.trim_end())
        .replace("@DRIVE@", drive.trim_end())
        .replace("@MIX@", mix_all.trim_end())
        .replace("@VALID@", &port(&stream.valid))
        .replace("@TOGGLES@", &stream.toggles.to_string())
        .replace("@DATA@", &port(&stream.data))
        .replace(
            "@LAST@",
            &stream.last.as_deref().map_or("true".into(), port),
        )
        .replace("@CLOCK@", &format!("top.p{}", ports.len()));
    (program, links.tables)
}

/// Linked outputs, and the tables of links that have one.
#[derive(Default)]
struct LinkedOutputs {
    /// Width of a word in C++, in bits.
    bits: u32,
    outputs: Vec<String>,
    tables: Vec<LaneMap>,
}

impl LinkedOutputs {
    /// Expression for an input with these lines. Lines of the same node with the same shift are
    /// combined.
    fn value(&mut self, lines: &[FleetLine]) -> String {
        let mut parts: Vec<(&FleetLine, i64, u64)> = vec![];
        for (place, line) in lines.iter().enumerate() {
            let shift = place as i64 - i64::from(line.bit);
            let alike = |(other, s, _): &&mut (&FleetLine, i64, u64)| {
                (&other.output, &other.node, *s) == (&line.output, &line.node, shift)
            };
            match parts.iter_mut().find(alike) {
                Some((.., mask)) => *mask |= 1 << line.bit,
                None => parts.push((line, shift, 1 << line.bit)),
            }
        }
        let suffix = if self.bits == 64 { "ull" } else { "u" };
        let part = |(line, shift, mask): (&FleetLine, i64, u64)| {
            let link = position_of(&mut self.outputs, &line.output);
            let node = match &line.node {
                LaneMap::Xor(mask) => format!("n ^ {mask}u"),
                table => format!("tables[{}][n]", position_of(&mut self.tables, table)),
            };
            let word = format!("(links[{link}][{node}] & {mask}{suffix})");
            match shift {
                0 => word,
                1.. => format!("({word} << {shift})"),
                _ => format!("({word} >> {})", -shift),
            }
        };
        let parts: Vec<String> = parts.into_iter().map(part).collect();
        parts.join(" | ")
    }
}

/// Position of an item in a list. A new item is appended.
fn position_of<T: PartialEq + Clone>(list: &mut Vec<T>, item: &T) -> usize {
    let known = list.iter().position(|other| other == item);
    known.unwrap_or_else(|| {
        list.push(item.clone());
        list.len() - 1
    })
}

/// Program for a machine that is one object, whose port `p[i]` is the port `p` of node `i`.
/// `outputs` are the outputs of a node.
pub fn program_for_machine(
    ports: &[EnginePort],
    nodes: usize,
    stream: &WordStream,
    outputs: &[String],
) -> String {
    let index: HashMap<&str, usize> = (0..).zip(ports).map(|(i, p)| (&*p.name, i)).collect();
    let place = |name: &str| {
        let found = outputs.iter().position(|output| output == name);
        found.unwrap_or_else(|| panic!("the node has no output `{name}`"))
    };
    let pins = |(o, name): (usize, &String)| {
        let pin = |node: usize| format!("&top.p{}", index[&*format!("{name}[{node}]")]);
        let pins: Vec<String> = (0..nodes).map(pin).collect();
        format!("    const std::array pins{o}{{{}}};\n", pins.join(", "))
    };
    let mix_all: String = (0..outputs.len())
        .map(|o| format!("            hashes[n] = mix(hashes[n], *pins{o}[n]);\n"))
        .collect();
    let all_pins: String = outputs.iter().enumerate().map(pins).collect();
    let port = |name: &str| format!("*pins{}[n]", place(name));
    fill_in_common(ONE, ports)
        .replace("@PINS@", all_pins.trim_end())
        .replace("@MIX@", mix_all.trim_end())
        .replace("@VALID@", &port(&stream.valid))
        .replace("@TOGGLES@", &stream.toggles.to_string())
        .replace("@DATA@", &port(&stream.data))
        .replace(
            "@LAST@",
            &stream.last.as_deref().map_or("true".into(), port),
        )
        .replace("@CLOCK@", &format!("top.p{}", ports.len()))
}

/// Fills in the common part: setting an object's inputs by position.
fn fill_in_common(template: &str, ports: &[EnginePort]) -> String {
    let inputs = ports.iter().enumerate().filter(|(_, port)| port.input);
    let start: String = inputs
        .clone()
        .map(|(i, _)| format!("    top.p{i} = 0;\n"))
        .collect();
    let set: String = inputs
        .map(|(i, _)| format!("    case {i}: top.p{i} = value; break;\n"))
        .collect();
    [COMMON, template]
        .concat()
        .replace("@START@", start.trim_end())
        .replace("@SET@", set.trim_end())
        .replace("@PREFIX@", MODEL_PREFIX)
        .replace("@BASIS@", &format!("{FNV_BASIS}ull"))
        .replace("@PRIME@", &format!("{FNV_PRIME}ull"))
}

const COMMON: &str = include_str!("common.cpp");
const NODES: &str = include_str!("nodes.cpp");
const ONE: &str = include_str!("one.cpp");
