//! The circuits that comparisons synthesise.

use crate::compare::machine::{compared_machines, route, route_for, spec};
use lockstep::design::{check, CellKind, Design};
use phasecube::engine::{CircuitEngine, EvaluatorEngine};
use phasecube::machine::{memory_bits, WholeNode};
use phasecube::program::NodeKind;
use phasecube::rtl::cm1::{EjectMode, MessageFormat, PetitPlan, Router};
use phasecube::rtl::tdma::{
    pool_slots, AdaptiveNode, CompiledNode, CubeNode, CubeSoftNode, SoftNode,
};
use phasecube::topology::Hypercube;
use phasecube::traffic::SplitMix64;
use std::collections::BTreeSet;

fn silicon(dims: u32) -> Vec<(Design, Option<Design>)> {
    let machines = compared_machines(&spec(dims, 0, true)).into_iter();
    let parts = machines.filter_map(|c| c.machine.silicon().unwrap());
    let parts = parts.map(|silicon| {
        let whole = match silicon.node {
            WholeNode::One(part) => Some(part.design),
            WholeNode::Cores { .. } => None,
        };
        (silicon.router.design, whole)
    });
    parts.collect()
}

/// Drives the inputs common to both circuits alike, with random values. The outputs of the cut
/// circuit must equal the outputs of the whole one.
fn same(whole: &Design, cut: &Design) {
    let mut random = SplitMix64::new(7);
    let mut engines = [whole, cut].map(|design| EvaluatorEngine::new(design).unwrap());
    let ports: Vec<_> = engines[1].ports().to_vec();
    assert!(ports.len() < engines[0].ports().len(), "something is open");
    let mut changes = 0;
    for _ in 0..3000 {
        for port in ports.iter().filter(|port| port.input) {
            let value = random.below(1 << port.width);
            for engine in &mut engines {
                let id = engine.port(&port.name);
                engine.set_u64(id, value);
            }
        }
        for port in ports.iter().filter(|port| !port.input) {
            let [whole, cut] = engines.each_mut().map(|engine| {
                engine.settle().unwrap();
                let id = engine.port(&port.name);
                engine.get_u64(id)
            });
            assert_eq!(whole, cut, "{}", port.name);
            changes += u64::from(whole != 0);
        }
        for engine in &mut engines {
            engine.clock().unwrap();
        }
    }
    assert!(changes > 0, "nothing came out");
}

/// Leaving ports open or tying them low does not change the remaining outputs.
#[test]
fn synthesised_circuits_equal_simulated_ones() {
    use hdl::lower::lower;
    use phasecube::networks::tdma::PhaseTiming;
    let timing = |soft: bool| {
        let bytes = crate::compare::machine::PAYLOAD + 2;
        match soft {
            true => PhaseTiming::software(8, bytes, Hypercube::of(3), true),
            false => PhaseTiming::forwarder(8, bytes, Hypercube::of(3), true),
        }
    };
    let words = route().words;
    let pool_words = route_for(NodeKind::Pool).words;
    let format = MessageFormat {
        dims: 3,
        proc_bits: 0,
        vp_bits: 0,
        data_bits: 8 * crate::compare::machine::PAYLOAD as u32,
    };
    let plan = PetitPlan::new(format, EjectMode::PerProcessor);
    let soft = CubeSoftNode::<3, 8, 4, 8>::new(timing(true).plan(), &words);
    let hard = CubeNode::<3, 8, 4, 8>::new(timing(false).plan());
    let bytes = crate::compare::machine::PAYLOAD + 2;
    let soft_pool = PhaseTiming::adaptive_software(8, bytes, 3).plan().pooled();
    let soft_pool = SoftNode::<3, 3, { pool_slots(3) }, 8, 4, 8>::new(soft_pool, &pool_words);
    let pool = PhaseTiming::adaptive(8, bytes, 3).plan();
    let pool = AdaptiveNode::<3, { pool_slots(3) }, 8, 4, 8>::new(pool);
    let table = CompiledNode::<3, 3, 16, 8, 4, 8, 10>::new(PhaseTiming::compiled(8, bytes).plan());
    let router = Router::<3>::new(crate::compare::machine::ROWS, plan);
    let wholes = [
        lower(&soft).unwrap(),
        lower(&hard).unwrap(),
        lower(&soft_pool).unwrap(),
        lower(&pool).unwrap(),
        lower(&table).unwrap(),
        lower(&router).unwrap(),
    ];
    for (whole, (cut_router, cut_node)) in wholes.iter().zip(silicon(3)) {
        same(whole, &cut_node.unwrap_or(cut_router));
    }
}

/// The circuits of the byte networks are the nodes of their machines, and no part is shared.
#[test]
fn a_byte_network_is_synthesised_as_it_is() {
    for dims in [3, 4] {
        let byte_networks = ["torus", "rotation"];
        let mut found = vec![];
        for contender in compared_machines(&spec(dims, 0, true)) {
            if byte_networks.contains(&contender.network) {
                let silicon = contender.machine.silicon().unwrap().unwrap();
                let node = contender.machine.circuit().array().unwrap().node;
                assert_eq!(silicon.router.design, node);
                assert!(silicon.shared.is_none());
                found.push(contender.network);
            }
        }
        assert_eq!(found, byte_networks);
    }
}

/// The router of a soft node is the node without core, program and data. Their connections become
/// ports, and everything else remains.
#[test]
fn a_soft_router_is_the_node_without_its_core() {
    for dims in [3, 4] {
        let (router, node) = silicon(dims).remove(0);
        let node = node.unwrap();
        check::check(&router).unwrap();
        let names = |design: &Design| -> BTreeSet<String> {
            let (top, name) = (design.top(), |name: &String| name.clone());
            let cells = top.cells.iter().map(|cell| name(&cell.name));
            cells
                .chain(top.instances.iter().map(|i| name(&i.name)))
                .collect()
        };
        let gone: Vec<String> = names(&node).difference(&names(&router)).cloned().collect();
        assert_eq!(gone, ["core", "data", "program"]);
        assert!(router.top().port("core.request").is_some());
        // Sixteen bytes for each buffer and the injection buffer, in a memory of 16 slots.
        assert_eq!(memory_bits(&router), 16 * 16 * 8);
        let registers = |design: &Design| {
            let cells = design.modules.iter().flat_map(|m| &m.cells);
            cells
                .filter(|cell| matches!(cell.kind, CellKind::Memory { .. }))
                .count()
        };
        assert!(registers(&router) < registers(&node));
    }
}

/// Other cubes are not synthesised and have no figures.
#[test]
fn other_cubes_are_not_synthesised() {
    for dims in [1, 2, 5, 12] {
        for contender in compared_machines(&spec(dims, 0, true)) {
            assert!(contender.machine.silicon().unwrap().is_none());
        }
    }
}
