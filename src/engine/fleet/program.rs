//! The C++ program around the nodes. A clock cycle: what crosses the links is
//! taken from all nodes, then each node gets its inputs, settles, is looked at
//! and has its clock edge.

use super::{FleetInput, FleetSource};
use crate::engine::fingerprint::{BASIS, PRIME};
use crate::engine::Port;
use crate::toolchain::MODEL_PREFIX;
use std::fmt::Write;

/// The program for a node with these ports; the clock is the port after them.
pub fn program(ports: &[Port], inputs: &[FleetInput]) -> String {
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
    let mix_all: String = outputs
        .map(|(i, _)| format!("    hash = mix(hash, top.p{i});\n"))
        .collect();
    TEMPLATE
        .replace("@PREFIX@", MODEL_PREFIX)
        .replace("@BASIS@", &format!("{BASIS}ull"))
        .replace("@PRIME@", &format!("{PRIME}ull"))
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

const TEMPLATE: &str = include_str!("fleet.cpp");
