//! Delivered and lost messages on all networks of a comparison.

use crate::compare::machine::{at_once, carry, compared_machines, messages, random, spec, LABELS};
use phasecube::machine::Delivery;

/// Every machine delivers every message except those that never leave their node. The machines'
/// ledgers have already compared the bytes.
#[test]
fn all_networks_deliver_the_same_messages() {
    for (dims, proc_bits, seed) in [(2, 0, 1), (3, 0, 2), (3, 1, 3), (4, 2, 4)] {
        let spec = spec(dims, proc_bits, true);
        let list = messages(&random(1 << (dims + proc_bits), 40, seed));
        let machines = compared_machines(&spec);
        let labels: Vec<&str> = machines.iter().map(|m| m.machine.label()).collect();
        let mut wanted = LABELS.to_vec();
        // There is no metacube of 4 or 16 nodes.
        if dims == 3 {
            wanted.extend(["metacube route", "metacube forwarder", "metacube compiled"]);
        }
        assert_eq!(labels, wanted);
        for machine in machines {
            let carried = carry(&*machine.machine, at_once(&list));
            assert_eq!(
                (carried.wrong, carried.ored),
                (0, 0),
                "{}",
                machine.machine.label()
            );
            for (message, fate) in list.iter().zip(&carried.deliveries) {
                let leaves = message.source >> proc_bits != message.destination >> proc_bits;
                match fate {
                    Delivery::Delivered { .. } => {}
                    Delivery::ToSelf => assert!(!leaves),
                    _ => panic!("{}: {message:?}", machine.machine.label()),
                }
                // Only the CM-1 carries messages that stay within a node.
                let stays = machine.network != "cm1";
                assert!(leaves || stays == (*fate == Delivery::ToSelf));
            }
        }
    }
}

/// Messages lost by the TDMA machines on links without answers equal those lost by the second
/// model. The compiled machine and the CM-1 lose none.
#[test]
fn raw_links_lose_what_the_model_loses() {
    let spec = spec(4, 0, false);
    let list = messages(&random(16, 60, 5));
    let model = crate::model::run(spec.cube, &list, crate::model::CubeRule::Raw);
    assert!(model.lost_count() > 0, "the list is to lose something");
    for machine in compared_machines(&spec) {
        let carried = carry(&*machine.machine, at_once(&list));
        let lost: Vec<bool> = carried
            .deliveries
            .iter()
            .map(|fate| matches!(fate, Delivery::Lost { .. }))
            .collect();
        match machine.network {
            "tdma" if machine.machine.machine_builder().is_none() => {
                assert_eq!(lost, model.lost, "{}", machine.machine.label())
            }
            _ => assert!(!lost.contains(&true)),
        }
    }
}
