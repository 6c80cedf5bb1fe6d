//! Tests of the schedule and the hop tables against the paper, the golden logs and first
//! principles.

use super::*;
use crate::topology::links;
use crate::topology::Hypercube;
use serde_json::Value;
use std::collections::HashMap;

macro_rules! golden {
    ($name:literal) => {
        serde_json::from_str::<Value>(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../sim/golden/",
            $name
        )))
        .unwrap()
    };
}

fn number(object: &Value, key: &str) -> u32 {
    object[key].as_u64().unwrap().try_into().unwrap()
}

fn schedules() -> impl Iterator<Item = (Hypercube, PhaseSchedule)> {
    (1..=6).map(|dims| {
        let cube = Hypercube::new(dims).unwrap();
        (cube, PhaseSchedule::new(cube))
    })
}

/// The corrected worked example of the paper (errata: 10 hops, not 9).
#[test]
fn worked_example_is_the_golden_path() {
    let schedule = PhaseSchedule::new(Hypercube::new(12).unwrap());
    let expected: Vec<Hop> = golden!("tdma_path_0x2A3_0x91C.json")
        .as_array()
        .unwrap()
        .iter()
        .map(|hop| Hop {
            node: number(hop, "node"),
            dim: number(hop, "dim"),
            bit: number(hop, "bit"),
            phase: number(hop, "phase"),
            next: number(hop, "next"),
        })
        .collect();
    assert_eq!(expected.len(), 10);
    assert_eq!(schedule.hops(0x2A3, 0x91C), expected);
}

/// Every transmission in the logs of the behavioural models is a hop of this schedule.
#[test]
fn golden_logs_follow_the_hop_tables() {
    let schedule = PhaseSchedule::new(Hypercube::new(4).unwrap());
    for (log, transmissions) in [
        (golden!("tdma_n4_bitrev_register.json"), 32),
        (golden!("tdma_n4_transpose_register.json"), 24),
        (golden!("tdma_n4_alltoone_register.json"), 26),
    ] {
        let mut checked = 0;
        for event in log["log"].as_array().unwrap() {
            if event["what"] == "LOST" {
                continue; // reports the message that was overwritten at the receiver
            }
            let node = number(event, "node");
            let hops = schedule.hops(number(event, "src"), number(event, "dst"));
            let hop = hops.iter().find(|hop| hop.node == node).unwrap();
            assert_eq!(hop.next, number(event, "to"));
            assert_eq!(hop.phase, number(event, "phase"));
            assert_eq!(hop.phase, number(event, "t") % schedule.period());
            checked += 1;
        }
        assert_eq!(checked, transmissions);
    }
}

/// tdma-hypercube, "Bounded Latency": the longest routes use the odd phases in one direction and
/// the even phases in the other.
#[test]
fn opposite_corners_use_every_phase_of_one_parity() {
    let schedule = PhaseSchedule::new(Hypercube::new(12).unwrap());
    let phases =
        |from, to| -> Vec<u32> { schedule.hops(from, to).iter().map(|hop| hop.phase).collect() };
    assert_eq!(phases(0xFFF, 0), (1..24).step_by(2).collect::<Vec<_>>());
    assert_eq!(phases(0, 0xFFF), (0..24).step_by(2).collect::<Vec<_>>());
}

/// Routes are shortest and unbroken, end at the destination, and never wait for the next
/// superframe.
#[test]
fn routes_are_shortest_and_phases_ascend() {
    for (cube, schedule) in schedules() {
        for source in cube.addresses() {
            for destination in cube.addresses() {
                let hops = schedule.hops(source, destination);
                assert_eq!(hops.len() as u32, cube.distance(source, destination));
                assert!(hops.windows(2).all(|pair| pair[0].phase < pair[1].phase));
                let mut here = source;
                for hop in hops {
                    assert_eq!(hop.node, here);
                    assert_eq!(hop.bit, u32::from(hop.node > hop.next));
                    assert_eq!(hop.node.abs_diff(hop.next), 2u32.pow(hop.dim));
                    assert_eq!(schedule.role(hop.node, hop.phase), Role::Transmitter);
                    assert_eq!(schedule.role(hop.next, hop.phase), Role::Receiver);
                    here = hop.next;
                }
                assert_eq!(here, destination);
            }
        }
    }
}

/// In every phase each active link has one transmitter and one receiver, and each node is on
/// exactly one such link.
#[test]
fn every_phase_pairs_all_nodes_as_transmitter_and_receiver() {
    for (cube, schedule) in schedules() {
        assert_eq!(schedule.period(), 2 * cube.dims());
        for phase in 0..schedule.period() {
            let slot = schedule.slot(phase);
            let mut links_of_node: HashMap<u32, u32> = HashMap::new();
            for link in links(&cube).filter(|link| link.from.port == slot.dim) {
                let (low, high) = (link.from.node, link.to.node);
                let ends = [low, high].map(|node| schedule.role(node, phase));
                assert!(ends.contains(&Role::Transmitter) && ends.contains(&Role::Receiver));
                *links_of_node.entry(low).or_default() += 1;
                *links_of_node.entry(high).or_default() += 1;
            }
            assert_eq!(links_of_node.len() as u32, cube.nodes());
            assert!(links_of_node.values().all(|&links| links == 1));
        }
    }
}

/// Each link is used in exactly two phases of a superframe, once in each direction.
#[test]
fn every_link_is_used_once_in_each_direction() {
    for (cube, schedule) in schedules() {
        let schedule = &schedule;
        for link in links(&cube) {
            let (dim, low, high) = (link.from.port, link.from.node, link.to.node);
            let transmitters: Vec<u32> = (0..schedule.period())
                .filter(|&phase| schedule.slot(phase).dim == dim)
                .flat_map(|phase| {
                    [low, high]
                        .into_iter()
                        .filter(move |&node| schedule.role(node, phase) == Role::Transmitter)
                })
                .collect();
            assert_eq!(transmitters, [low, high]);
            assert_eq!(schedule.transmit_phase(low, dim), 2 * dim);
            assert_eq!(schedule.transmit_phase(high, dim), 2 * dim + 1);
        }
    }
}

/// docs/command-line.md: superframes = ceil((phase of the last delivery + 1) / 2n).
#[test]
fn superframes_are_counted_up() {
    let schedule = PhaseSchedule::new(Hypercube::new(4).unwrap());
    for (phases, superframes) in [(0, 0), (1, 1), (8, 1), (9, 2), (32, 4), (33, 5)] {
        assert_eq!(schedule.superframes(phases), superframes);
    }
}

/// The generic schedule agrees with the roles, and a node receives where its neighbour sends.
#[test]
fn every_node_sends_or_receives_in_every_phase() {
    for (cube, schedule) in schedules() {
        for node in cube.addresses() {
            for phase in 0..schedule.period() {
                let port = Some(schedule.slot(phase).dim);
                let (sends, receives) = match schedule.role(node, phase) {
                    Role::Transmitter => (port, None),
                    Role::Receiver => (None, port),
                };
                assert_eq!(schedule.sends(node, phase), sends);
                assert_eq!(schedule.receives(&cube, node, phase), receives);
                if let Some(port) = sends {
                    assert_eq!(schedule.step_of(PortEnd { node, port }), Some(phase));
                }
            }
        }
    }
}

/// The label and the numbers of a step describe the nodes that send in it.
#[test]
fn step_label_states_dimension_and_bit() {
    for (cube, schedule) in schedules() {
        for phase in 0..schedule.period() {
            let numbers = schedule.step_numbers(phase);
            let [dimension, sending] = &numbers[..] else {
                panic!("{numbers:?}");
            };
            let sends = |node: &u32| schedule.sends(*node, phase) == Some(dimension.value as u32);
            let is_set = |node: &u32| node / 2u32.pow(dimension.value as u32) % 2;
            let wanted = |node: &u32| u64::from(is_set(node)) == sending.value;
            assert!(cube.addresses().all(|node| sends(&node) == wanted(&node)));
            let label = format!("dim {}, bit {}", dimension.value, sending.value);
            assert_eq!(schedule.step_label(phase), label);
        }
    }
}

/// Checked by hand for MC(1,1). Link 1 inverts the class, bit 2 of an address. Link 0 inverts the
/// field of the node's class, bit 0 or bit 1.
#[test]
fn a_programmed_order_gives_the_link_of_each_phase() {
    let metacube = Metacube::new(1, 1).unwrap();
    let schedule = PhaseSchedule::programmed(metacube, [1, 0, 0]);
    assert_eq!(schedule.period(), 6);
    let links: Vec<u32> = (0..6).map(|phase| schedule.link(phase)).collect();
    assert_eq!(links, [1, 1, 0, 0, 0, 0]);
    let sends = |node| [0, 1, 2, 3, 4, 5].map(|phase| schedule.sends(node, phase));
    let (zero, one) = (Some(0), Some(1));
    assert_eq!(sends(0b010), [one, None, zero, None, zero, None]);
    assert_eq!(sends(0b110), [None, one, None, zero, None, zero]);
    assert_eq!(schedule.transmit_phase(0b110, 0), 3);
}
