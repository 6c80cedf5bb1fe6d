//! The reference sets the clock in all blocks at once. The result equals the one of `rust-hdl`'s
//! simulator, where kernels pass the clock on level by level.

use engine::{ports, CircuitEngine, ReferenceEngine, MAX_ROUNDS};
use hdl::lower::{lower, Circuit};
use hdl::prelude::{simulate, Clock, In, Signal};
use interconnect::topology::Hypercube;
use interconnect::traffic::SplitMix64;
use machine::networks::tdma::PhaseTiming;
use rtl::core::SoftCore;
use rtl::tdma::{CubeNode, DmaCopy};
use rtl::torus::{TorusNode, TorusPlan};

const CLOCK_CYCLES: usize = 600;

fn settle(block: &mut impl Circuit) {
    assert!(simulate(block, MAX_ROUNDS as usize), "it does not settle");
}

/// Drives noise on all inputs. Both simulations must show the same outputs after the inputs change
/// and after each clock edge.
fn same_on_noise<C: Circuit + 'static>(
    make: impl Fn() -> C,
    clock: fn(&mut C) -> &mut Signal<In, Clock>,
) {
    let ports = ports(&lower(&make()).unwrap());
    let mut at_once = ReferenceEngine::new(make()).unwrap();
    let mut by_level = make();
    by_level.connect_all();
    settle(&mut by_level);

    let mut random = SplitMix64::new(28);
    let mut changes = 0;
    let mut shown = vec![];
    for t in 0..CLOCK_CYCLES {
        for port in ports.iter().filter(|port| port.input) {
            // Each input keeps its value half of the time, so that blocks get past their first
            // state.
            if t == 0 || random.below(2) == 0 {
                let value = random.next_u64() & (u64::MAX >> (64 - port.width.min(64)));
                at_once.set(at_once.port(&port.name), &value.into());
                assert!(by_level.poke(&port.name, &value.into()));
            }
        }
        clock(&mut by_level).next = false.into();
        settle(&mut by_level);
        at_once.settle().unwrap();
        for edge in [false, true] {
            if edge {
                clock(&mut by_level).next = true.into();
                settle(&mut by_level);
                at_once.clock().unwrap();
            }
            let outputs = ports.iter().filter(|port| !port.input);
            let now: Vec<_> = outputs
                .map(|port| {
                    let value = at_once.get(at_once.port(&port.name));
                    assert_eq!(by_level.peek(&port.name).unwrap(), value, "{}", port.name);
                    value
                })
                .collect();
            changes += usize::from(now != shown);
            shown = now;
        }
    }
    assert!(changes > CLOCK_CYCLES / 2, "hardly anything happens");
}

#[test]
fn in_a_soft_core() {
    same_on_noise(SoftCore::<2, 7>::default, |core| &mut core.clock);
}

#[test]
fn in_a_dma_copy() {
    same_on_noise(DmaCopy::<4>::default, |dma| &mut dma.clock);
}

#[test]
fn in_a_node_of_the_cube() {
    let timing = PhaseTiming::forwarder(8, 4, Hypercube::of(2), true);
    let make = || CubeNode::<2, 8, 4, 8>::new(timing.plan());
    same_on_noise(make, |node| &mut node.clock);
}

#[test]
fn in_a_node_of_the_torus() {
    let make = || TorusNode::<8, 2>::new(TorusPlan::new(1));
    same_on_noise(make, |node| &mut node.clock);
}
