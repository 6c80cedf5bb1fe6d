//! The 2-cube: four ports, four wires and a phase clock. Only the end of a wire whose turn it is
//! pulls it, whatever and whenever the nodes send.

use crate::agreement::engines::{self, agree_on};
use crate::agreement::scripts::mostly_small;
use engine::Stimulus;
use hdl::prelude::*;
use interconnect::routing::tdma::{PhaseSchedule, Role};
use interconnect::topology::Hypercube;
use rtl::tdma::{LinkPort, OpenDrainWire, PhaseClock, DIVIDER_BITS, PHASE_BITS};
use std::collections::{BTreeSet, VecDeque};

const DIMS: usize = 2;
const CLOCKS: usize = 8;

/// The wires, with the end whose address bit is clear first. The dimension is `wire / 2`.
const WIRES: [(usize, usize); 4] = [(0, 1), (2, 3), (0, 2), (1, 3)];

const fn lower_end(wire: usize) -> usize {
    WIRES[wire].0
}

const fn upper_end(wire: usize) -> usize {
    WIRES[wire].1
}

/// Returns the wire of a node in a dimension.
const fn wire(node: usize, dim: usize) -> usize {
    match dim {
        0 => node / 2,
        _ => 2 + node % 2,
    }
}

/// Bits `DIMS * i ..` of the pulls and bits `8 * i ..` of the data belong to node `i`.
#[derive(LogicBlock, Circuit, Default)]
struct Square {
    clock: Signal<In, Clock>,
    enable: Signal<In, Bit>,
    divider: Signal<In, Bits<DIVIDER_BITS>>,
    tx_data: Signal<In, Bits<32>>,
    tx_start: Signal<In, Bits<4>>,
    phase: Signal<Out, Bits<PHASE_BITS>>,
    muted: Signal<Out, Bits<4>>,
    pull: Signal<Out, Bits<8>>,
    rx_valid: Signal<Out, Bits<4>>,
    rx_data: Signal<Out, Bits<32>>,
    phases: PhaseClock<DIMS>,
    nodes: [LinkPort<DIMS, CLOCKS>; 4],
    wires: [OpenDrainWire; 4],
}

impl Logic for Square {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases);
        self.phases.enable.next = self.enable.val();
        self.phases.divider.next = self.divider.val();
        self.phase.next = self.phases.phase.val();
        self.muted.next = 0.into();
        self.pull.next = 0.into();
        self.rx_valid.next = 0.into();
        self.rx_data.next = 0.into();
        for i in 0..4 {
            self.nodes[i].clock.next = self.clock.val();
            self.nodes[i].phase_clock.next = self.phases.phase_clock.val();
            self.nodes[i].sync.next = self.phases.sync.val();
            self.nodes[i].address.next = bits::<DIMS>(i as u64);
            self.nodes[i].tx_data.next = self.tx_data.val().get_bits::<8>(8 * i);
            self.nodes[i].tx_start.next = self.tx_start.val().get_bit(i);
            self.nodes[i].level.next = bits::<DIMS>(0)
                .replace_bit(0, self.wires[wire(i, 0)].level.val())
                .replace_bit(1, self.wires[wire(i, 1)].level.val());
            self.muted.next = self.muted.val().replace_bit(i, self.nodes[i].muted.val());
            let valid = self.nodes[i].rx_valid.val();
            self.rx_valid.next = self.rx_valid.val().replace_bit(i, valid);
            self.pull.next = self.pull.val()
                | (bit_cast::<8, DIMS>(self.nodes[i].pull.val()) << (DIMS * i) as u64);
            self.rx_data.next = self.rx_data.val()
                | (bit_cast::<32, 8>(self.nodes[i].rx_data.val()) << (8 * i) as u64);
        }
        for w in 0..4 {
            self.wires[w].pull_a.next = self.nodes[lower_end(w)].pull.val().get_bit(w / 2);
            self.wires[w].pull_b.next = self.nodes[upper_end(w)].pull.val().get_bit(w / 2);
        }
    }
}

fn phases_of_all_lengths(stimulus: Stimulus) -> Stimulus {
    stimulus.script(&["divider"], mostly_small(120, 500))
}

#[test]
fn squares_agree() {
    agree_on(Square::default, phases_of_all_lengths);
}

#[test]
fn a_wire_is_pulled_only_by_the_end_whose_turn_it_is() {
    let schedule = PhaseSchedule::new(Hypercube::new(DIMS as u64).unwrap());
    let mut engine = engines::evaluator(&Square::default());
    // Keeps the schedule enabled, because nodes stay in their last phase when it stops.
    let mut stimulus =
        phases_of_all_lengths(Stimulus::new(engine.ports(), 7)).script(&["enable"], |_| vec![1]);
    let inputs = ["enable", "divider", "tx_data", "tx_start"].map(|name| engine.port(name));
    let outputs = ["phase", "pull", "rx_valid", "rx_data"].map(|name| engine.port(name));
    // The phase as seen at the pins. The sequencer is one clock cycle behind the phase clock, and
    // the pins are one behind the sequencer.
    let mut phases = [0; 3];
    let (mut pulled, mut received) = ([[0; 2]; 4], [[0u64; 2]; 4]);
    let mut right = [0; 4];
    let mut bytes_received = [(); 4].map(|()| BTreeSet::new());
    // Bytes that each node was given to send, for as many clock cycles as a byte takes.
    let mut reported = VecDeque::new();
    for cycle in 0..50_000 {
        for (port, value) in inputs.into_iter().zip(stimulus.next_cycle()) {
            engine.set(port, value);
        }
        engine.settle().unwrap();
        let [phase, pull, valid, data] = outputs.map(|port| engine.get_u64(port));
        phases = [phase as u32, phases[0], phases[1]];
        let phase = phases[2];
        let [bytes, starts] = ["tx_data", "tx_start"].map(|name| {
            let port = engine.port(name);
            engine.get_u64(port)
        });
        reported.push_front((bytes, starts));
        reported.truncate(11 * CLOCKS);
        for node in 0..4 {
            let slot = schedule.slot(phase);
            if valid >> node & 1 == 1 {
                received[node][slot.dim as usize] += 1;
                let (byte, from) = (data >> (8 * node) & 255, node ^ 1 << slot.dim);
                let sent = |(bytes, starts): &(u64, u64)| {
                    starts >> from & 1 == 1 && bytes >> (8 * from) & 255 == byte
                };
                bytes_received[node].insert(byte);
                right[node] += u64::from(reported.iter().any(sent));
            }
            for (dim, count) in pulled[node].iter_mut().enumerate() {
                if pull >> (DIMS * node + dim) & 1 == 0 {
                    continue;
                }
                *count += 1;
                assert_eq!(schedule.slot(phase).dim, dim as u32, "node {node}, cycle {cycle}");
                let role = schedule.role(node as u32, phase);
                assert_eq!(role, Role::Transmitter, "node {node}, cycle {cycle}");
            }
        }
        engine.clock().unwrap();
    }
    assert!(pulled.iter().flatten().all(|cycles| *cycles > 100), "{pulled:?}");
    assert!(received.iter().flatten().all(|bytes| *bytes > 10), "{received:?}");
    // A byte cut off by a phase boundary may be received as any value. More than half are right,
    // against one in six by chance.
    let most = |node: usize| 2 * right[node] > received[node].iter().sum::<u64>();
    assert!((0..4).all(most), "{right:?} of {received:?}");
    assert!(bytes_received.iter().all(|bytes| bytes.len() > 10));
}
