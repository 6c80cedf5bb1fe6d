//! A node sends each message of its host on the wire of the lowest dimension in which the
//! destination differs. It sends in a phase in which it transmits there. A message for its own
//! address returns to the host.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use crate::agreement::serial::decode;
use engine::CircuitEngine;
use interconnect::routing::tdma::{PhaseSchedule, Role};
use interconnect::topology::Hypercube;
use machine::networks::tdma::PhaseTiming;
use rtl::tdma::{CubeNode, DeliveryReason};

const DIMS: usize = 3;
const PHASES: u64 = 2 * DIMS as u64;
const CLOCKS: usize = 4;
const PAYLOAD: usize = 4;

struct NodeBench {
    engine: Box<dyn CircuitEngine>,
    /// Clock cycles of a phase.
    phase: u64,
    /// The host's pending message: length, destination, payload.
    message: Vec<u8>,
    offers: bool,
    /// Bytes that the node delivered.
    handed: Vec<u8>,
    late: bool,
}

impl NodeBench {
    fn new(address: u64) -> Self {
        let timing = PhaseTiming::forwarder(CLOCKS as u32, PAYLOAD, Hypercube::of(3), false);
        let node = CubeNode::<DIMS, CLOCKS, 4, 8>::new(timing.plan());
        let mut engine = engines::evaluator(&node);
        put(&mut *engine, "address", address);
        NodeBench {
            engine,
            phase: timing.plan().phase.phase,
            message: vec![0],
            offers: false,
            handed: vec![],
            late: false,
        }
    }

    /// Runs one phase. Returns the bytes that the node sent on each wire.
    fn pass(&mut self, phase: u64, sends: bool) -> [Vec<u8>; DIMS] {
        let mut levels: [Vec<bool>; DIMS] = Default::default();
        let engine = &mut *self.engine;
        put(engine, "sync", (phase == 0).into());
        for time in 0..self.phase {
            put(engine, "phase_clock", (time < self.phase / 2).into());
            put(engine, "host_valid", self.offers.into());
            engine.settle().unwrap();
            let index = see(engine, "host_index") as usize;
            let data = self.message.get(index).copied().unwrap_or(0xEE);
            put(engine, "host_data", data.into());
            let pull = see(engine, "pull");
            put(engine, "level", !pull & 7);
            engine.settle().unwrap();
            let holds = see(engine, "holds");
            assert_eq!(pull & !holds, 0, "it pulls what it holds");
            assert!(sends || holds == 0, "it holds no wire while it receives");
            for (dim, levels) in levels.iter_mut().enumerate() {
                levels.push(pull >> dim & 1 == 0);
            }
            if see(engine, "host_taken") == 1 {
                self.offers = false;
            }
            if see(engine, "out_valid") == 1 {
                self.handed.push(see(engine, "out_data") as u8);
                let ends = self.handed.len() == 1 + usize::from(self.message[0]);
                assert_eq!(see(engine, "out_last") == 1, ends);
                assert_eq!(see(engine, "out_reason"), DeliveryReason::Delivered as u64);
            }
            self.late = see(engine, "late") == 1;
            engine.clock().unwrap();
        }
        assert_eq!(see(engine, "phase"), phase);
        assert_eq!((see(engine, "muted"), see(engine, "slips")), (0, 0));
        levels.map(|levels| {
            let bytes = decode(&levels, CLOCKS).into_iter();
            bytes.map(|(_, byte)| byte).collect()
        })
    }
}

fn check_routing(address: u32) {
    let schedule = PhaseSchedule::new(Hypercube::of(3));
    let mut bench = NodeBench::new(address.into());
    let role = |phase: u64| schedule.role(address, phase as u32);
    for phase in 0..PHASES {
        let sends = role(phase) == Role::Transmitter;
        assert!(bench.pass(phase, sends).iter().all(Vec::is_empty));
    }
    for destination in 0..8 {
        let length = 2 + destination as u8 % 3;
        let payload = [0xA5, address as u8 * 16 + 1, 0x3C];
        bench.message = vec![length, destination as u8];
        bench.message.extend(&payload[..length as usize - 1]);
        (bench.offers, bench.handed) = (true, vec![]);
        let way = (0..DIMS as u32).find(|dim| (address ^ destination) >> dim & 1 == 1);
        let mut sent = 0;
        for phase in 0..PHASES {
            let slot = schedule.slot(phase as u32);
            let sends = role(phase) == Role::Transmitter;
            let here = format!("from {address} to {destination}, phase {phase}");
            for (dim, bytes) in bench.pass(phase, sends).iter().enumerate() {
                let its = sends && way == Some(slot.dim) && slot.dim == dim as u32;
                if its {
                    assert_eq!(bytes[2..bytes.len() - 2], bench.message, "{here}");
                    sent += 1;
                } else {
                    assert!(bytes.is_empty(), "{here}: {bytes:x?} in dimension {dim}");
                }
            }
            assert!(!bench.late, "{here}: it was ready in time");
        }
        assert!(!bench.offers);
        // A message is delivered exactly if it has reached its destination.
        let home = if way.is_none() {
            &bench.message[..]
        } else {
            &[]
        };
        assert_eq!(bench.handed, home, "from {address} to {destination}");
        assert_eq!(sent, u32::from(way.is_some()));
    }
    // A forwarder that hangs is late and sends nothing.
    bench.offers = true;
    put(&mut *bench.engine, "hang", 1);
    for phase in 0..PHASES {
        let sends = role(phase) == Role::Transmitter;
        assert!(bench.pass(phase, sends).iter().all(Vec::is_empty));
        assert!(bench.late || !sends, "phase {phase}");
    }
    assert!(bench.offers);
}

#[test]
fn a_message_leaves_by_the_link_of_its_destination() {
    [0, 3, 6].into_iter().for_each(check_routing);
}
