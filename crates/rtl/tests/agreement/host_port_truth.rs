//! The host loses no event, including those that arrive in the clock cycle of a read.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use crate::agreement::serial::SerialWaveform;
use engine::CircuitEngine;
use hdl::lower::Circuit;
use interconnect::traffic::SplitMix64;
use rtl::hosted::{HostPort, HOST_CLOCKS};

/// Offsets of the registers (`firmware/include/host_port.h`).
pub const STATUS: u64 = 0x00;
pub const BYTE: u64 = 0x04;
pub const ARRIVED: u64 = 0x08;
pub const OUTCOMES: u64 = 0x10;

struct HostPortBench(Box<dyn CircuitEngine>);

impl HostPortBench {
    /// Requests a register in the clock cycle before the one in which it is read.
    fn request(&mut self, offset: Option<u64>) {
        put(&mut *self.0, "request", offset.is_some().into());
        if let Some(offset) = offset {
            put(&mut *self.0, "offset", offset);
        }
    }
}

/// Two bytes arrive without a gap, and one can wait. The first is read at each clock cycle around
/// the end of the second. It is always received, and the second is received if the first was read
/// before the second ended.
#[test]
fn a_byte_received_during_a_host_read_is_kept() {
    let bit = HOST_CLOCKS as u64 * 1000;
    let mut line = SerialWaveform::default();
    line.hold(true, bit);
    line.byte(0x3A, true, bit);
    line.byte(0xC5, true, bit);
    line.hold(true, bit);
    for engine in engines::both(HostPort::<16, 4>::new) {
        let mut port = HostPortBench(engine);
        let mut run = |reads: &[usize]| {
            let (mut got, mut wakes) = (vec![], vec![]);
            for (cycle, level) in line.levels.iter().enumerate() {
                put(&mut *port.0, "rx", u64::from(*level));
                port.request(
                    match reads.contains(&(cycle + 1)) || reads.contains(&cycle) {
                        true => Some(BYTE),
                        false => None,
                    },
                );
                port.0.settle().unwrap();
                if see(&mut *port.0, "ready") == 1 {
                    assert!(reads.contains(&cycle));
                    got.push(see(&mut *port.0, "read_data"));
                }
                wakes.push(see(&mut *port.0, "wake") == 1);
                port.0.clock().unwrap();
            }
            (got, wakes)
        };
        let (_, wakes) = run(&[]);
        // `wake` rises two clock cycles after the byte arrives.
        let first = wakes.iter().position(|wake| *wake).unwrap();
        let second = first - 2 + 10 * HOST_CLOCKS;
        // Reads the byte that is still waiting.
        run(&[line.levels.len() - 2]);
        for read in second - 4..=second + 4 {
            let end = line.levels.len() - 2;
            let (got, wakes) = run(&[read, end]);
            assert_eq!(got[0], 0x3A, "read in {read}, the next comes in {second}");
            if read <= second {
                assert_eq!(got[1], 0xC5, "read in {read}, it comes in {second}");
            }
            assert_eq!(
                wakes[second + 6],
                read <= second,
                "read in {read}, it comes in {second}"
            );
        }
    }
}

/// Makes random accesses, some in the clock cycle in which the last node reports the end of a
/// phase.
#[test]
fn a_phase_start_during_a_host_read_is_reported() {
    phase_starts_are_reported(HostPort::<16, 4>::new, 6);
    phase_starts_are_reported(HostPort::<64, 6, 6, 7, 7>::new, 7);
}

/// Checks the phase counters. A number of nodes has `told_bits` bits.
fn phase_starts_are_reported<C: Circuit + 'static>(port: fn() -> C, told_bits: u32) {
    for engine in engines::both(port) {
        let mut port = HostPortBench(engine);
        let mut random = SplitMix64::new(7);
        put(&mut *port.0, "rx", 1);
        let (mut fresh, mut counts, mut asked, mut together) = (false, [0; 4], None, 0);
        for cycle in 0..3000 {
            let begin = random.below(2) == 0;
            let [first, last, late] = [(); 3].map(|()| random.below(4) == 0);
            let outcome = random.below(4);
            put(&mut *port.0, "begin", begin.into());
            put(&mut *port.0, "first", first.into());
            put(&mut *port.0, "last", last.into());
            put(&mut *port.0, "late", late.into());
            put(&mut *port.0, "outcome", outcome);
            // Reading a register takes two clock cycles.
            let read = asked;
            if asked.is_none() && random.below(2) == 0 {
                asked = Some([STATUS, OUTCOMES][random.below(2) as usize]);
            }
            port.request(asked);
            if read.is_some() {
                asked = None;
            }
            port.0.settle().unwrap();
            let name = port.0.name();
            assert_eq!(
                see(&mut *port.0, "wake") == 1,
                fresh,
                "cycle {cycle}, {name}"
            );
            assert_eq!(
                see(&mut *port.0, "ready") == 1,
                read.is_some(),
                "{cycle}, {name}"
            );
            match read {
                Some(STATUS) => {
                    assert_eq!(
                        see(&mut *port.0, "read_data") >> 2 & 1 == 1,
                        fresh,
                        "{cycle}, {name}"
                    );
                }
                Some(_) => {
                    let told = (0..4).map(|i| counts[i] << (8 * i)).sum::<u64>();
                    assert_eq!(see(&mut *port.0, "read_data"), told, "{cycle}, {name}");
                    together += u32::from(begin && last);
                    fresh = false;
                }
                None => {}
            }
            if begin {
                let kinds = [outcome == 1, outcome == 2, outcome == 3, late];
                for (count, told) in counts.iter_mut().zip(kinds) {
                    let before = if first { 0 } else { *count };
                    *count = (before + u64::from(told)) & ((1 << told_bits) - 1);
                }
                fresh |= last;
            }
            port.0.clock().unwrap();
        }
        assert!(together > 20, "{together}");
    }
}

/// The ring of 64 slots. It has room while fewer than 64 messages are unread, and the next message
/// goes into the slot after the last one.
#[test]
fn the_ring_of_many_nodes_has_room_for_64_messages() {
    for engine in engines::both(HostPort::<64, 6, 6, 7, 7>::new) {
        let mut port = HostPortBench(engine);
        put(&mut *port.0, "rx", 1);
        let mut come = 0;
        for seen in [0, 1, 40, 104, 127] {
            port.request(Some(ARRIVED));
            put(&mut *port.0, "write", 1);
            put(&mut *port.0, "write_data", seen);
            for _ in 0..2 {
                port.0.clock().unwrap();
            }
            port.request(None);
            while come < seen + 64 {
                port.0.settle().unwrap();
                assert_eq!(
                    (see(&mut *port.0, "room"), see(&mut *port.0, "arrival")),
                    (1, come % 64)
                );
                put(&mut *port.0, "arrived", 1);
                port.0.clock().unwrap();
                come += 1;
                put(&mut *port.0, "arrived", 0);
            }
            port.0.settle().unwrap();
            assert_eq!(
                see(&mut *port.0, "room"),
                0,
                "{come} have come, {seen} were seen"
            );
        }
    }
}
