//! A node sends each message of its host on the wire of the lowest dimension in which the
//! destination differs. It sends in a phase in which it transmits there. A message for its own
//! address returns to the host.

use crate::agreement::engines::{self, put, see};
use crate::agreement::frame_engine_truth::frame;
use crate::agreement::scripts::{decode, SerialWaveform};
use engine::CircuitEngine;
use interconnect::routing::tdma::{PhaseSchedule, Role};
use interconnect::topology::Hypercube;
use interconnect::traffic::SplitMix64;
use machine::networks::tdma::PhaseTiming;
use rtl::tdma::{
    CubeNode, DeliveryReason, HostExchange, LinkBit, NodePeripheral, ReceiveResult, ServiceState,
};

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
    delivered: Vec<u8>,
    missed_deadline: bool,
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
            delivered: vec![],
            missed_deadline: false,
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
                self.delivered.push(see(engine, "out_data") as u8);
                let ends = self.delivered.len() == 1 + usize::from(self.message[0]);
                assert_eq!(see(engine, "out_last") == 1, ends);
                assert_eq!(see(engine, "out_reason"), DeliveryReason::Delivered as u64);
            }
            self.missed_deadline = see(engine, "missed_deadline") == 1;
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
        (bench.offers, bench.delivered) = (true, vec![]);
        let route = (0..DIMS as u32).find(|dim| (address ^ destination) >> dim & 1 == 1);
        let mut sent = 0;
        for phase in 0..PHASES {
            let slot = schedule.slot(phase as u32);
            let sends = role(phase) == Role::Transmitter;
            let here = format!("from {address} to {destination}, phase {phase}");
            for (dim, bytes) in bench.pass(phase, sends).iter().enumerate() {
                let its = sends && route == Some(slot.dim) && slot.dim == dim as u32;
                if its {
                    assert_eq!(bytes[2..bytes.len() - 2], bench.message, "{here}");
                    sent += 1;
                } else {
                    assert!(bytes.is_empty(), "{here}: {bytes:x?} in dimension {dim}");
                }
            }
            assert!(!bench.missed_deadline, "{here}: it was ready in time");
        }
        assert!(!bench.offers);
        // A message is delivered exactly if it has reached its destination.
        let home = if route.is_none() { &bench.message[..] } else { &[] };
        assert_eq!(bench.delivered, home, "from {address} to {destination}");
        assert_eq!(sent, u32::from(route.is_some()));
    }
    // A forwarder that hangs is late and sends nothing.
    bench.offers = true;
    put(&mut *bench.engine, "hang", 1);
    for phase in 0..PHASES {
        let sends = role(phase) == Role::Transmitter;
        assert!(bench.pass(phase, sends).iter().all(Vec::is_empty));
        assert!(bench.missed_deadline || !sends, "phase {phase}");
    }
    assert!(bench.offers);
}

#[test]
fn a_message_leaves_by_the_link_of_its_destination() {
    [0, 3, 6].into_iter().for_each(check_routing);
}

// Small parts of a node, each against its documentation: a program's progress in a phase, one bit
// for each link, and messages between host and memory. A node is late if its program has not
// decided in time.

/// Drives an input and returns its value: in one of `one_in` clock cycles a random number below a
/// bound, otherwise 0.
fn draw(
    engine: &mut dyn CircuitEngine,
    random: &mut SplitMix64,
    name: &str,
    below: u64,
    one_in: u64,
) -> u64 {
    let value = match random.below(one_in) {
        0 => random.below(below),
        _ => 0,
    };
    put(engine, name, value);
    value
}

/// Model of a program's progress in a phase, from the circuit's documentation.
struct ServiceModel {
    open: bool,
    decided: bool,
    /// The memory is available again from the answer slot on.
    returns: bool,
    send: bool,
    slot: u64,
    selected: u64,
    at: u64,
}

/// State before the first phase and after a reset.
impl Default for ServiceModel {
    fn default() -> Self {
        ServiceModel {
            open: false,
            decided: true,
            returns: false,
            send: false,
            slot: 0,
            selected: 0,
            at: 0,
        }
    }
}

#[test]
fn a_phase_is_decided_once_and_words_are_read_in_turn() {
    // Five buffers of 16 bytes, numbered 0 to 4.
    for mut engine in engines::both(|| ServiceState::<4>::new(4)) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(11);
        let mut model = ServiceModel::default();
        for cycle in 0..20_000 {
            let mut drawn = |name, one_in| draw(engine, &mut random, name, 2, one_in) == 1;
            let (reset, begin, window) =
                (drawn("reset", 200), drawn("begin", 20), drawn("window", 20));
            let (slot_opens, records) = (drawn("answer_open", 15), drawn("records", 10));
            let (serve, sends) = (drawn("serve", 1), drawn("sends", 1));
            let reopens = drawn("reopens", 1);
            let commands = [drawn("decide", 5), drawn("choose", 4), drawn("advance", 2)];
            let [decide, choose, advance] = commands.map(|command| command && serve);
            let register = draw(engine, &mut random, "buffer", 5, 1);
            let position = draw(engine, &mut random, "position", 1 << 16, 1);
            engine.settle().unwrap();
            let names = ["open", "wake", "decided", "send", "slot", "selected", "at"];
            let found = names.map(|name| see(engine, name));
            let wanted = [
                (model.open && !records).into(),
                (model.open || !model.decided).into(),
                model.decided.into(),
                model.send.into(),
                model.slot,
                model.selected,
                model.at,
            ];
            assert_eq!(found, wanted, "{names:?} in clock cycle {cycle}");
            engine.clock().unwrap();

            if choose {
                (model.selected, model.at) = (register, 4 * position % 16);
            } else if advance {
                model.at = (model.at + 4) % 16;
            }
            // A decision in the clock cycle in which the slot opens requests the next slot, which
            // does not come.
            let returns = model.returns;
            if decide && !model.decided {
                (model.decided, model.returns) = (true, reopens);
                (model.send, model.slot) = (sends, register);
            }
            if slot_opens {
                (model.open, model.returns) = (returns, false);
            }
            model.open &= !window && !decide;
            if begin {
                (model.open, model.decided, model.send) = (true, false, false);
                model.returns = false;
            }
            if reset {
                model = ServiceModel::default();
            }
        }
    }
}

#[test]
fn each_link_keeps_its_bit() {
    for mut engine in engines::both(LinkBit::<5>::default) {
        let engine = &mut *engine;
        let mut random = SplitMix64::new(12);
        let mut bits = [false; 5];
        for cycle in 0..5_000 {
            let link = random.below(5) as usize;
            put(engine, "select", 1 << link);
            let reset = draw(engine, &mut random, "reset", 2, 50) == 1;
            let write = draw(engine, &mut random, "write", 2, 1) == 1;
            let data = draw(engine, &mut random, "data", 2, 1) == 1;
            engine.settle().unwrap();
            assert_eq!(see(engine, "value") == 1, bits[link], "clock cycle {cycle}");
            let all: u64 = (0..5).map(|link| u64::from(bits[link]) << link).sum();
            let found = see(engine, "all");
            assert_eq!(found, all, "clock cycle {cycle}");
            engine.clock().unwrap();
            if write {
                bits[link] = data;
            }
            if reset {
                bits = [false; 5];
            }
        }
    }
}

/// Covers messages of one byte too, such as those from a host.
#[test]
fn a_host_exchange_ends_with_the_last_byte() {
    let engine = &mut *engines::evaluator(&HostExchange::<4>::default());
    let mut random = SplitMix64::new(13);
    for round in 0..300 {
        let length = 1 + random.below(15) as usize;
        let takes = random.below(2) == 1;
        let reason = random.below(3);
        put(engine, "reason", reason);
        put(engine, "restart", 1);
        put(engine, "take", 0);
        put(engine, "deliver", 0);
        engine.settle().unwrap();
        engine.clock().unwrap();
        put(engine, "restart", 0);
        let mut at = 0;
        while at <= length {
            let goes = random.below(3) > 0;
            let byte = match at {
                0 => length as u64,
                _ => random.below(256),
            };
            put(engine, "take", u64::from(goes && takes));
            put(engine, "deliver", u64::from(goes && !takes));
            put(engine, "host_data", if takes { byte } else { random.below(256) });
            put(engine, "read_data", if takes { random.below(256) } else { byte });
            engine.settle().unwrap();
            let what = format!("round {round}, byte {at} of {length}");
            assert_eq!(see(engine, "index"), at as u64, "{what}");
            assert_eq!(see(engine, "host_index"), at as u64, "{what}");
            let (took, gave) = (goes && takes, goes && !takes);
            let last = at == length;
            let names = ["write_enable", "taken", "host_taken", "out_valid", "delivered", "forget"];
            let wanted =
                [took, took && last, took && last, gave, gave && last, gave && last && reason == 2];
            assert_eq!(names.map(|name| see(engine, name) == 1), wanted, "{what}: {names:?}");
            if took {
                assert_eq!(see(engine, "write_data"), byte, "{what}");
            }
            if gave {
                let shown = ["out_data", "out_last", "out_reason"].map(|name| see(engine, name));
                assert_eq!(shown, [byte, last.into(), reason], "{what}");
            }
            engine.clock().unwrap();
            at += usize::from(goes);
        }
    }
}

/// A node with silent neighbours receives nothing in any phase. A sending node is late from the
/// frame window on if its program hangs or has not decided.
#[test]
fn an_undecided_program_misses_the_deadline() {
    const HALF: u64 = 700;
    let timing = PhaseTiming::forwarder(8, 4, Hypercube::of(3), true);
    let opens = timing.plan().phase.frame_open;
    let node = NodePeripheral::<3, 3, 3, 8, 4, 8>::new(timing.plan());
    let engine = &mut *engines::evaluator(&node);
    let mut random = SplitMix64::new(14);
    put(engine, "level", 7);
    put(engine, "serve", 1);
    for phase in 0..60 {
        let hangs = phase > 6 && random.below(5) == 0;
        // The first superframe has no faults.
        let decides = phase <= 6 || random.below(2) == 1;
        // Node 0 sends in the even phases. A receiving node may leave a phase undecided.
        let sends = phase % 2 == 0;
        put(engine, "hang", hangs.into());
        for cycle in 0..2 * HALF {
            put(engine, "phase_clock", u64::from(cycle < HALF));
            put(engine, "sync", u64::from(phase % 6 == 0));
            put(engine, "decide", u64::from(decides && cycle == 20));
            engine.settle().unwrap();
            let what = format!("phase {phase}, clock cycle {cycle}");
            assert_eq!(see(engine, "received"), 0, "{what}");
            // The node learns of the phase after some clock cycles.
            let missed_deadline = sends && (!decides || hangs);
            if cycle > opens + 30 {
                assert_eq!(see(engine, "missed_deadline"), u64::from(missed_deadline), "{what}");
            } else if (10..opens).contains(&cycle) {
                assert_eq!(see(engine, "missed_deadline"), 0, "{what}");
            }
            engine.clock().unwrap();
        }
    }
}

/// A node stores the first frame that a neighbour sends on each link and answers with its CRC. The
/// buffer is then full, so it answers the next frame with the inverse.
#[test]
fn a_peripheral_stores_and_answers_what_its_neighbours_send() {
    const CLOCKS: usize = 8;
    const ADDRESS: u32 = 0b101;
    let timing = PhaseTiming::forwarder(CLOCKS as u32, PAYLOAD, Hypercube::of(3), true);
    let plan = timing.plan();
    let schedule = PhaseSchedule::new(Hypercube::of(3));
    let engine = &mut *engines::evaluator(&NodePeripheral::<3, 3, 3, CLOCKS, 4, 8>::new(plan));
    put(engine, "address", ADDRESS.into());
    let mut full = 0;
    for superframe in 0..2 {
        for phase in 0..PHASES {
            let dim = schedule.slot(phase as u32).dim;
            let receives = schedule.role(ADDRESS, phase as u32) == Role::Receiver;
            let header = 0x80 | superframe << 6;
            let neighbour = (ADDRESS ^ 1 << dim) as u16;
            let bytes = frame(neighbour, dim as usize, header, &[5, 0, phase as u8]);
            let mut line = SerialWaveform::default();
            // A low level shortly before the frame window is no start bit of the frame.
            let clocks = CLOCKS as u64;
            line.hold(true, (plan.phase.frame_open + 4 - 3 * clocks) * 1000);
            line.hold(!receives, clocks * 1000);
            line.hold(true, 2 * clocks * 1000);
            if receives {
                bytes.iter().for_each(|byte| line.byte(*byte, true, CLOCKS as u64 * 1000));
            }
            let mut levels = vec![];
            for time in 0..plan.phase.phase as usize {
                put(engine, "phase_clock", u64::from(time < 500));
                put(engine, "sync", u64::from(phase == 0));
                engine.settle().unwrap();
                let pull = see(engine, "pull");
                let sent = line.levels.get(time).copied().unwrap_or(true);
                put(engine, "level", !pull & 7 & !(u64::from(!sent) << dim));
                assert_eq!(pull & !(1 << dim), 0, "it pulls another wire");
                levels.push(pull == 0);
                engine.clock().unwrap();
            }
            let here = format!("superframe {superframe}, phase {phase}");
            let answer: Vec<u8> =
                decode(&levels, CLOCKS).into_iter().map(|(_, byte)| byte).collect();
            let crc = &bytes[bytes.len() - 2..];
            let (wanted, received) = match (receives, superframe) {
                (false, _) => (vec![], ReceiveResult::Nothing),
                (true, 0) => (crc.to_vec(), ReceiveResult::Stored),
                (true, _) => (crc.iter().map(|byte| !byte).collect(), ReceiveResult::Nak),
            };
            full |= u64::from(receives) << dim;
            assert_eq!(answer, wanted, "{here}");
            let shown = ["received", "full", "muted"].map(|name| see(engine, name));
            assert_eq!(shown, [received as u64, full, 0], "{here}");
        }
    }
}
