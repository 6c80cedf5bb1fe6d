//! The C++ program around the nodes. A clock cycle: what crosses the links is
//! taken from all nodes, then each node gets its inputs, settles, is looked at
//! and has its clock edge.

use super::{FleetInput, FleetSource};
use crate::engine::fingerprint::{BASIS, PRIME};
use crate::engine::Port;
use crate::toolchain::MODEL_PREFIX;
use std::collections::HashMap;
use std::fmt::Write;

/// The program for a node with these ports; the clock is the port after them, and
/// after that come so many signals inside.
pub fn program(ports: &[Port], inputs: &[FleetInput], signals: usize) -> String {
    let index = |name: &str| {
        let found = ports.iter().position(|port| port.name == name);
        found.unwrap_or_else(|| panic!("the node has no port `{name}`"))
    };
    let mut drive = String::new();
    let mut links: Vec<&str> = vec![];
    for input in inputs {
        let (i, width) = (index(&input.name), ports[index(&input.name)].width);
        let value = match &input.source {
            FleetSource::Constant(value) => format!("{value}ull"),
            FleetSource::Number => "n".into(),
            FleetSource::Shared(bit) => format!("(shared >> {bit}) & 1"),
            FleetSource::Across(output) => {
                if !links.contains(&output.as_str()) {
                    links.push(output);
                }
                let link = links.iter().position(|name| name == output).unwrap_or(0);
                let bit = |b: u32| format!("(links[{link}][n ^ {}u] & {}u)", 1u32 << b, 1u32 << b);
                let bits: Vec<String> = (0..width).map(bit).collect();
                bits.join(" | ")
            }
            FleetSource::HostValid => "host.valid()".into(),
            FleetSource::HostData => format!("host.byte(top.p{})", index("host_index")),
        };
        let _ = writeln!(drive, "        top.p{i} = {value};");
    }
    let snapshot: String = links
        .iter()
        .enumerate()
        .map(|(l, name)| format!("        links[{l}][n] = nodes[n]->p{};\n", index(name)))
        .collect();
    let outputs = ports.iter().enumerate().filter(|(_, port)| !port.input);
    let inside = (ports.len() + 1..).take(signals);
    let mix_all: String = outputs
        .map(|(i, _)| i)
        .chain(inside)
        .map(|i| format!("    hash = mix(hash, top.p{i});\n"))
        .collect();
    complete(FLEET)
        .replace("@LINKS@", &links.len().max(1).to_string())
        .replace("@SNAPSHOT@", snapshot.trim_end())
        .replace("@DRIVE@", drive.trim_end())
        .replace("@MIX@", mix_all.trim_end())
        .replace("@TAKEN@", &format!("top.p{}", index("host_taken")))
        .replace("@OFFER@", &format!("top.p{}", index("host_valid")))
        .replace("@VALID@", &format!("top.p{}", index("out_valid")))
        .replace("@DATA@", &format!("top.p{}", index("out_data")))
        .replace("@LAST@", &format!("top.p{}", index("out_last")))
        .replace("@CLOCK@", &format!("top.p{}", ports.len()))
}

/// The program for a machine that is one object, whose port `p[i]` is the port `p`
/// of node `i`. `constant` is the value of an input that never changes, by the name
/// of the port (`p`); `outputs` are the outputs of a node.
pub fn whole_program(
    ports: &[Port],
    nodes: usize,
    constant: impl Fn(&str) -> u64,
    outputs: &[String],
) -> String {
    let index: HashMap<&str, usize> = (0..).zip(ports).map(|(i, p)| (&*p.name, i)).collect();
    let pins = |name: &str| {
        let pin = |node: usize| format!("&top->p{}", index[&*format!("{name}[{node}]")]);
        let pins: Vec<String> = (0..nodes).map(pin).collect();
        format!("    const std::array {name}{{{}}};\n", pins.join(", "))
    };
    let hosts = ["host_valid", "host_data"].map(String::from);
    let set = ports.iter().enumerate().filter(|(_, port)| port.input);
    let constants: String = set
        .map(|(i, port)| {
            let name = port.name.split('[').next().unwrap_or_default();
            format!("    top->p{i} = {}ull;\n", constant(name))
        })
        .collect();
    let mix_all: String = outputs
        .iter()
        .map(|name| format!("            hashes[n] = mix(hashes[n], *{name}[n]);\n"))
        .collect();
    let all_pins: String = hosts.iter().chain(outputs).map(|name| pins(name)).collect();
    complete(WHOLE)
        .replace("@PINS@", all_pins.trim_end())
        .replace("@CONSTANTS@", constants.trim_end())
        .replace("@MIX@", mix_all.trim_end())
        .replace("@CLOCK@", &format!("top->p{}", ports.len()))
}

/// A program with what both have in common.
fn complete(template: &str) -> String {
    [COMMON, template]
        .concat()
        .replace("@PREFIX@", MODEL_PREFIX)
        .replace("@BASIS@", &format!("{BASIS}ull"))
        .replace("@PRIME@", &format!("{PRIME}ull"))
}

const COMMON: &str = include_str!("common.cpp");
const FLEET: &str = include_str!("fleet.cpp");
const WHOLE: &str = include_str!("whole.cpp");
