//! The circuit with vectors as ports equals the original circuit.

use hdl::verilog::with_vectors;
use lockstep::design::check::check;
use lockstep::design::Design;
use lockstep::eval::Evaluator;
use lockstep::netlist::{flatten, NetId, Netlist};
use num_bigint::BigUint;
use phasecube::machine::catalog::{CatalogEntry, CatalogGroup};
use phasecube::traffic::SplitMix64;

const CLOCK_CYCLES: usize = 200;

/// Returns, for each port of the plain circuit, its net and first bit in the other circuit.
fn places(plain: &Design, vectors: &Netlist, input: bool) -> Vec<(String, NetId, u32)> {
    let find = |name: &str| match input {
        true => vectors.input(name),
        false => vectors.output(name),
    };
    let kind = |s: &lockstep::design::DesignSignal| {
        (s.kind == lockstep::design::SignalKind::Input) == input
    };
    let ports = plain.top().ports().filter(|(_, port)| kind(port));
    let place = |name: &str, width: u32| {
        if let Some(net) = find(name) {
            return (net, 0);
        }
        let (stem, number) = name.strip_suffix(']').unwrap().rsplit_once('[').unwrap();
        let number: u32 = number.parse().unwrap();
        (find(stem).expect("the vector"), number * width)
    };
    ports
        .map(|(_, port)| {
            let (net, offset) = place(&port.name, port.width());
            (port.name.clone(), net, offset)
        })
        .collect()
}

/// Runs both circuits on the same random inputs.
fn agree(name: &str, plain: &Design, vectors: &Design) {
    check(vectors).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    let mut one = Evaluator::new(flatten(plain).unwrap());
    let mut other = Evaluator::new(flatten(vectors).unwrap());
    let inputs = places(plain, other.netlist(), true);
    let outputs = places(plain, other.netlist(), false);
    let mut random = SplitMix64::new(1);
    for clock_cycle in 0..CLOCK_CYCLES {
        let mut words: Vec<(NetId, BigUint)> = vec![];
        for (input, net, offset) in &inputs {
            let own = one.netlist().input(input).unwrap();
            let max = (BigUint::from(1u8) << one.netlist().width(own)) - 1u8;
            let value = BigUint::from(random.below(u64::MAX)) & max;
            one.set_big(own, &value);
            match words.iter_mut().find(|(known, _)| known == net) {
                Some((_, word)) => *word |= value << offset,
                None => words.push((*net, value << offset)),
            }
        }
        for (net, word) in words {
            other.set_big(net, &word);
        }
        one.settle();
        other.settle();
        for (output, net, offset) in &outputs {
            let own = one.netlist().output(output).unwrap();
            let max = (BigUint::from(1u8) << one.netlist().width(own)) - 1u8;
            let there = (other.get_big(*net) >> offset) & max;
            let at = format!("{name}: {output} in clock cycle {clock_cycle}");
            assert_eq!(one.get_big(own), there, "{at}");
        }
        one.clock();
        other.clock();
    }
}

#[test]
fn vectors_change_no_circuit() {
    let mut changed = 0;
    for block in CatalogEntry::of(CatalogGroup::Block) {
        let plain = block.default_design().unwrap();
        let vectors = with_vectors(&plain);
        if vectors != plain {
            agree(block.name, &plain, &vectors);
            changed += 1;
        }
    }
    assert!(changed >= 8, "{changed} blocks have families of ports");
}

/// No module keeps two ports that are elements of one vector.
#[test]
fn no_family_of_ports_is_left() {
    for block in CatalogEntry::of(CatalogGroup::Block) {
        let design = with_vectors(&block.default_design().unwrap());
        for module in &design.modules {
            let left = module.ports().find(|(_, port)| port.name.ends_with("[1]"));
            let name = &module.name;
            assert!(left.is_none(), "{}: {name}: {left:?}", block.name);
        }
    }
}
