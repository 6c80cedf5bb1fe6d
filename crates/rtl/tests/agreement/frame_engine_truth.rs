//! The frame engine against its specification (docs/machine.md, "Frame"). A UART, a memory and a
//! neighbour that sends the bytes of each case are modelled in software.

use crate::agreement::engines::{self, put, see};
use engine::CircuitEngine;
use rtl::tdma::{EnginePlan, FrameEngine, PhasePlan, ReceiveResult, SendResult};

/// Clock cycles of one byte on the wire.
const BYTE: u64 = 20;
const PLAN: EnginePlan = EnginePlan {
    acked: true,
    round_robin: true,
    pool: false,
    payload: 4,
    phase: PhasePlan {
        frame_open: 4,
        frame_close: 220,
        answer_open: 230,
        answer_close: 290,
        phase: 300,
    },
};

/// Bit positions in the state word of a link: the turn, and the number of timeouts.
const TURN: usize = 12;
const TIMEOUTS: usize = 13;

/// Addresses of the sending node and the receiving node.
const HERE: u16 = 0x123;
const THERE: u16 = 0x456;

/// Returns the CRC-16/CCITT over header, length and payload. Its initial value is 0xFFFF xor the
/// sender and the link.
fn crc(sender: u16, link: usize, bytes: &[u8]) -> [u8; 2] {
    let mut crc = 0xFFFF ^ sender ^ (link as u16) << 12;
    for byte in bytes {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            crc = crc << 1 ^ if crc >> 15 == 1 { 0x1021 } else { 0 };
        }
    }
    crc.to_be_bytes()
}

/// Returns a frame: sync, header, length, payload, CRC.
pub fn frame(sender: u16, link: usize, header: u8, payload: &[u8]) -> Vec<u8> {
    let covered = [&[header, payload.len() as u8], payload].concat();
    let crc = crc(sender, link, &covered);
    [&[0xAA], &covered[..], &crc].concat()
}

/// Inputs of a phase, as differences from an idle phase.
#[derive(Clone, Default)]
struct PhaseInputs {
    link: usize,
    transmit: bool,
    send: bool,
    slot: usize,
    link_buffer: usize,
    full: bool,
    crossed: u64,
    after_nak: u64,
    /// Bytes that the neighbour sends in the frame window, and in the answer slot.
    frame: Vec<u8>,
    answer: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq)]
struct PhaseObservation {
    /// Bytes sent in the frame window, and in the answer slot.
    frame: Vec<u8>,
    answer: Vec<u8>,
    stored: usize,
    spoiled: usize,
    freed: usize,
    sent: u64,
    received: u64,
    pending: bool,
}

struct FrameEngineBench {
    engine: Box<dyn CircuitEngine>,
    memory: Vec<u8>,
}

impl FrameEngineBench {
    fn run(&mut self, phase: &PhaseInputs) -> PhaseObservation {
        let sender = if phase.transmit { HERE } else { THERE };
        put(&mut *self.engine, "transmit", phase.transmit.into());
        put(&mut *self.engine, "dim", phase.link as u64);
        put(&mut *self.engine, "select", 1 << phase.link);
        put(&mut *self.engine, "sender", sender.into());
        put(&mut *self.engine, "ready", 1);
        put(&mut *self.engine, "send", phase.send.into());
        put(&mut *self.engine, "slot", phase.slot as u64);
        put(&mut *self.engine, "link_buffer", phase.link_buffer as u64);
        put(&mut *self.engine, "crossed", phase.crossed);
        put(&mut *self.engine, "after_nak", phase.after_nak);
        let mut seen = PhaseObservation {
            frame: vec![],
            answer: vec![],
            stored: 0,
            spoiled: 0,
            freed: 0,
            sent: 0,
            received: 0,
            pending: false,
        };
        // Arrival time of each byte from the neighbour.
        let windows =
            [(PLAN.phase.frame_open, &phase.frame), (PLAN.phase.answer_open, &phase.answer)];
        let comes = windows.map(|(open, bytes)| {
            let at = (1..).map(move |i| open + BYTE * i);
            at.zip(bytes.iter().copied()).collect::<Vec<_>>()
        });
        let comes = comes.concat();
        let (mut free_at, mut shift, mut read_data) = (0, 0, 0);
        let mut full = phase.full;
        for t in 0..PLAN.phase.phase {
            let byte = comes.iter().find(|(at, _)| *at == t);
            if let Some((_, byte)) = byte {
                shift = *byte;
            }
            put(&mut *self.engine, "begin", (t == 0).into());
            put(&mut *self.engine, "full", full.into());
            put(&mut *self.engine, "rx_valid", byte.is_some().into());
            put(&mut *self.engine, "rx_data", shift.into());
            put(&mut *self.engine, "tx_ready", (t >= free_at).into());
            put(&mut *self.engine, "memory_read_data", read_data);
            self.engine.settle().unwrap();
            let driving = see(&mut *self.engine, "drive") == 1;
            if see(&mut *self.engine, "tx_start") == 1 && t >= free_at {
                assert!(driving, "{t}: it sends without the wire");
                shift = see(&mut *self.engine, "tx_data") as u8;
                free_at = t + BYTE;
                match t < PLAN.phase.answer_open {
                    true => seen.frame.push(shift),
                    false => seen.answer.push(shift),
                }
            }
            seen.stored += see(&mut *self.engine, "store") as usize;
            seen.spoiled += see(&mut *self.engine, "spoil") as usize;
            seen.freed += see(&mut *self.engine, "free") as usize;
            full |= see(&mut *self.engine, "store") == 1;
            seen.sent = see(&mut *self.engine, "sent");
            seen.received = see(&mut *self.engine, "received");
            let address = see(&mut *self.engine, "memory_read_address") as usize;
            read_data = self.memory[address].into();
            if see(&mut *self.engine, "memory_write_enable") == 1 {
                let address = see(&mut *self.engine, "memory_write_address") as usize;
                self.memory[address] = see(&mut *self.engine, "memory_write_data") as u8;
            }
            self.engine.clock().unwrap();
        }
        self.engine.settle().unwrap();
        seen.pending = see(&mut *self.engine, "pending") == 1;
        seen
    }

    /// Returns the bytes that the message occupies in a buffer.
    fn message(&self, register: usize) -> Vec<u8> {
        let length = usize::from(self.memory[16 * register]);
        self.memory[16 * register + 1..16 * register + 1 + length].into()
    }
}

/// Creates a bench in the evaluator. `tdma` compares the other engines with the evaluator.
fn bench(counts: bool) -> FrameEngineBench {
    bench_of(PLAN, counts)
}

fn bench_of(plan: EnginePlan, counts: bool) -> FrameEngineBench {
    FrameEngineBench {
        engine: engines::evaluator(&FrameEngine::<2, 4, 8>::new(plan, counts)),
        memory: vec![0; 256],
    }
}

fn inverted(bytes: [u8; 2]) -> Vec<u8> {
    bytes.iter().map(|byte| !byte).collect()
}

/// Checks a receiver on frames that are new or repeated, good or damaged, with its buffer free or
/// full.
#[test]
fn a_receiver_stores_a_repeated_frame_once() {
    let mut bench = bench(false);
    for (link, link_buffer) in [(1, 3), (0, 2), (1, 3)] {
        let (old, new) = (0x80, 0xC0);
        let first = frame(THERE, link, old, &[7, 1, 0x5A]);
        let second = frame(THERE, link, new, &[9, 0xC3]);
        let case = |bytes: &[u8], full| PhaseInputs {
            link,
            link_buffer,
            full,
            frame: bytes.into(),
            ..PhaseInputs::default()
        };
        let answered = |answer: &[u8], received, stored| PhaseObservation {
            frame: vec![],
            answer: answer.into(),
            stored,
            spoiled: 0,
            freed: 0,
            sent: SendResult::Nothing as u64,
            received: received as u64,
            pending: false,
        };
        let crc_of = |bytes: &[u8]| [bytes[bytes.len() - 2], bytes[bytes.len() - 1]];
        let (ack, next) = (crc_of(&first), crc_of(&second));

        assert_eq!(bench.run(&case(&[], false)), answered(&[], ReceiveResult::Nothing, 0));
        let stored = answered(&ack, ReceiveResult::Stored, 1);
        assert_eq!(bench.run(&case(&first, false)), stored);
        assert_eq!(bench.message(link_buffer), [7, 1, 0x5A]);
        // The ACK was lost. The message was received, and may already have been forwarded.
        for full in [true, false] {
            let again = bench.run(&case(&first, full));
            assert_eq!(again, answered(&ack, ReceiveResult::Repeat, 0), "{full}");
        }
        let nak = answered(&inverted(next), ReceiveResult::Nak, 0);
        assert_eq!(bench.run(&case(&second, true)), nak);
        // The first frame was written again while the buffer was free.
        assert_eq!(bench.message(link_buffer), [7, 1, 0x5A]);
        // One bit of any byte is wrong, or the length is invalid.
        for (byte, bit) in (0..second.len()).zip([0, 7, 3, 6, 2, 5, 1].into_iter().cycle()) {
            let mut damaged = second.clone();
            damaged[byte] ^= 1 << bit;
            let seen = bench.run(&case(&damaged, true));
            assert_eq!(seen, answered(&[], ReceiveResult::Damaged, 0), "byte {byte}");
        }
        for length in [0, 1, 5] {
            let bytes = frame(THERE, link, new, &[9, 0xC3, 1, 2, 3][..length]);
            let seen = bench.run(&case(&bytes, true));
            assert_eq!(seen, answered(&[], ReceiveResult::Damaged, 0), "length {length}");
        }
        let elsewhere = frame(HERE, link, new, &[9, 0xC3]);
        let seen = bench.run(&case(&elsewhere, true));
        assert_eq!(seen, answered(&[], ReceiveResult::Damaged, 0));
        let stored = answered(&next, ReceiveResult::Stored, 1);
        assert_eq!(bench.run(&case(&second, false)), stored);
        assert_eq!(bench.message(link_buffer), [9, 0xC3]);
    }
}

/// Checks the effect of each answer on the sender: it frees the buffer, advances the turn or
/// repeats the frame.
#[test]
fn a_sender_frees_its_buffer_only_on_ack() {
    for counts in [false, true] {
        let mut bench = bench(counts);
        bench.memory[16 * 5..16 * 5 + 4].copy_from_slice(&[3, 8, 0x11, 0xEE]);
        let crossed = if counts { 6 } else { 0 };
        for (link, link_buffer) in [(0, 1), (1, 2)] {
            let mut header = 0x80 | crossed as u8;
            for round in 0..2 {
                let bytes = frame(HERE, link, header, &[8, 0x11, 0xEE]);
                let crc = [bytes[bytes.len() - 2], bytes[bytes.len() - 1]];
                let wrong = [crc[0], crc[1] ^ 4];
                let state = |bench: &FrameEngineBench| {
                    [TURN, TIMEOUTS].map(|i| bench.memory[16 * link_buffer + i])
                };
                let send = |answer: &[u8]| PhaseInputs {
                    link,
                    link_buffer,
                    transmit: true,
                    send: true,
                    slot: 5,
                    crossed,
                    after_nak: 9,
                    answer: answer.into(),
                    ..PhaseInputs::default()
                };
                let found = |sent: SendResult, freed, pending| PhaseObservation {
                    frame: bytes.clone(),
                    answer: vec![],
                    stored: 0,
                    spoiled: 0,
                    freed,
                    sent: sent as u64,
                    received: ReceiveResult::Nothing as u64,
                    pending,
                };
                let silent = found(SendResult::Timeout, 0, true);
                assert_eq!(bench.run(&send(&[])), silent, "{link} {round}");
                assert_eq!(state(&bench), [5, 1]);
                for answer in [wrong, [crc[0], !crc[1]], [!crc[0], crc[1]]] {
                    assert_eq!(bench.run(&send(&answer)), silent, "{answer:x?}");
                }
                assert_eq!(state(&bench), [5, 4]);
                let nak = found(SendResult::Nak, 0, false);
                assert_eq!(bench.run(&send(&inverted(crc))), nak);
                assert_eq!(state(&bench), [if counts { 9 } else { 5 }, 0]);
                assert_eq!(bench.run(&send(&crc)), found(SendResult::Accepted, 1, false));
                assert_eq!(state(&bench), [6, 0]);
                header ^= 0x40;
                // A link with nothing to send resets its turn.
                let mut idle = send(&[]);
                idle.send = false;
                let seen = bench.run(&idle);
                assert_eq!((seen.frame.len(), seen.sent), (0, SendResult::Nothing as u64));
                assert_eq!(state(&bench), [0, 0]);
            }
        }
    }
}

/// Without answers a valid frame overwrites a full buffer, and a frame that fails after its length
/// spoils it. A sender frees its buffer when the frame window closes.
#[test]
fn without_answers_a_full_buffer_is_overwritten() {
    let plan = EnginePlan { acked: false, ..PLAN };
    let mut bench = bench_of(plan, false);
    let nothing = PhaseObservation {
        frame: vec![],
        answer: vec![],
        stored: 0,
        spoiled: 0,
        freed: 0,
        sent: SendResult::Nothing as u64,
        received: ReceiveResult::Nothing as u64,
        pending: false,
    };
    let good = frame(THERE, 1, 0x80, &[9, 0xC3, 0x1E]);
    for full in [false, true, true] {
        let case = |frame: &[u8]| PhaseInputs {
            link: 1,
            link_buffer: 3,
            full,
            frame: frame.into(),
            ..PhaseInputs::default()
        };
        let found = |received, stored, spoiled| PhaseObservation {
            stored,
            spoiled,
            received: received as u64,
            ..nothing.clone()
        };
        let spoils = usize::from(full);
        let stored = match full {
            true => ReceiveResult::Overwrote,
            false => ReceiveResult::Stored,
        };
        bench.memory.fill(0);
        assert_eq!(bench.run(&case(&[])), nothing);
        assert_eq!(bench.run(&case(&good)), found(stored, 1, spoils));
        assert_eq!(bench.message(3), [9, 0xC3, 0x1E]);
        for byte in 0..good.len() {
            let mut damaged = good.clone();
            // The length becomes 35, which is too long.
            damaged[byte] ^= 0x20;
            let expected = match full && byte > 2 {
                true => found(ReceiveResult::Spoiled, 0, 1),
                false => found(ReceiveResult::Damaged, 0, 0),
            };
            assert_eq!(bench.run(&case(&damaged)), expected, "byte {byte}, {full}");
        }
    }
    bench.memory[16 * 5..16 * 5 + 3].copy_from_slice(&[2, 8, 0x11]);
    // The bytes of a link's state in the memory are unused.
    let unused = [16 + TURN, 16 + TIMEOUTS];
    unused.iter().for_each(|at| bench.memory[*at] = 0x77);
    for round in 0..3 {
        let idle =
            PhaseInputs { link_buffer: 1, transmit: true, slot: 5, ..PhaseInputs::default() };
        assert_eq!(bench.run(&idle), nothing, "round {round}");
        let send = PhaseInputs { send: true, ..idle };
        let seen = bench.run(&send);
        let expected = PhaseObservation {
            frame: frame(HERE, 0, 0x80, &[8, 0x11]),
            freed: 1,
            sent: SendResult::Accepted as u64,
            ..nothing.clone()
        };
        assert_eq!(seen, expected, "round {round}");
        assert_eq!(unused.map(|at| bench.memory[at]), [0x77; 2], "round {round}");
    }
}

/// A frame to repeat stays pending, with its turn and its timeouts, in phases in which the node does
/// not send and in which it receives. It is pending until it is dropped, or the engine is reset.
#[test]
fn a_frame_to_repeat_waits_for_its_phase() {
    let mut bench = bench(false);
    bench.memory[16 * 5..16 * 5 + 3].copy_from_slice(&[2, 8, 0x11]);
    let idle =
        PhaseInputs { link: 1, link_buffer: 2, slot: 5, transmit: true, ..PhaseInputs::default() };
    let send = PhaseInputs { send: true, ..idle.clone() };
    let receive =
        PhaseInputs { transmit: false, frame: frame(THERE, 1, 0x80, &[7, 1]), ..idle.clone() };
    for ends in ["forget", "reset"] {
        assert!(bench.run(&send).pending);
        let state = |bench: &FrameEngineBench| [TURN, TIMEOUTS].map(|i| bench.memory[32 + i]);
        assert_eq!(state(&bench), [5, 1]);
        assert!(bench.run(&idle).pending);
        assert_eq!(state(&bench), [5, 1]);
        let seen = bench.run(&receive);
        assert_eq!(seen.answer.len(), 2);
        assert!(seen.pending);
        assert_eq!(state(&bench), [5, 1]);

        let engine = &mut *bench.engine;
        put(engine, ends, 1);
        engine.clock().unwrap();
        put(engine, ends, 0);
        engine.settle().unwrap();
        let received = match ends {
            "forget" => seen.received,
            _ => ReceiveResult::Nothing as u64,
        };
        let names = ["pending", "missed_deadline", "sent", "received"];
        let shown = names.map(|name| see(engine, name));
        assert_eq!(shown, [0, 0, 0, received], "{ends}");
        // With nothing to repeat, the turn starts again.
        assert!(!bench.run(&idle).pending);
        assert_eq!(state(&bench)[0], 0);
        bench.memory[32 + TIMEOUTS] = 0;
    }
}

/// A link is down after exactly 64 consecutive timeouts, independently of the other links.
#[test]
fn a_link_is_down_after_64_timeouts() {
    let mut bench = bench(false);
    bench.memory[16 * 5..16 * 5 + 3].copy_from_slice(&[2, 8, 0x11]);
    for timeout in 1..=64 {
        let seen = bench.run(&PhaseInputs {
            link: 1,
            link_buffer: 2,
            transmit: true,
            send: true,
            slot: 5,
            ..PhaseInputs::default()
        });
        assert!(seen.pending);
        assert_eq!(see(&mut *bench.engine, "down"), u64::from(timeout == 64), "{timeout}");
    }
    assert_eq!(see(&mut *bench.engine, "all_down"), 0b10);
}

/// The node counts the cross edges that each received message has passed.
#[test]
fn a_receiver_reports_the_count_in_the_header() {
    let mut bench = bench(true);
    for (round, crossed) in [5, 0, 7, 2].into_iter().enumerate() {
        let header = 0x80 | (round as u8 % 2) << 6 | crossed;
        let bytes = frame(THERE, 0, header, &[1, 2]);
        let crc = bytes[bytes.len() - 2..].to_vec();
        let seen =
            bench.run(&PhaseInputs { link_buffer: 1, frame: bytes, ..PhaseInputs::default() });
        assert_eq!((seen.answer, seen.stored), (crc, 1));
        assert_eq!(see(&mut *bench.engine, "received_crossed"), u64::from(crossed));
    }
}
