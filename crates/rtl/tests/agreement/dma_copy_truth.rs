//! The `DmaCopy` copies whole messages, byte by byte, and marks the last byte.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use engine::CircuitEngine;
use interconnect::traffic::SplitMix64;
use rtl::tdma::DmaCopy;

/// The circuit between a host's message and a buffer of 16 bytes.
struct DmaCopyBench {
    engine: Box<dyn CircuitEngine>,
    random: SplitMix64,
    host: [u8; 16],
    register: [u8; 16],
}

/// Observations of one command.
#[derive(Default)]
struct DmaCopyObservation {
    written: Vec<(u64, u8)>,
    handed: Vec<(u8, bool)>,
    /// Clock cycles of `begun`, `taken`, `host_taken`, `handed`.
    strobes: [u32; 4],
}

impl DmaCopyBench {
    /// Runs one clock cycle. Returns true if the command is done.
    fn clock(&mut self, seen: &mut DmaCopyObservation) -> bool {
        let turn = u64::from(self.random.below(4) > 0);
        let open = u64::from(self.random.below(8) > 0);
        put(&mut *self.engine, "turn", turn);
        put(&mut *self.engine, "open", open);
        self.engine.settle().unwrap();
        let index = see(&mut *self.engine, "host_index") as usize;
        let byte = self.host[index % 16];
        put(&mut *self.engine, "host_data", byte.into());
        self.engine.settle().unwrap();
        let offset = see(&mut *self.engine, "offset");
        if see(&mut *self.engine, "write_enable") == 1 {
            seen.written
                .push((offset, see(&mut *self.engine, "write_data") as u8));
        }
        if see(&mut *self.engine, "out_valid") == 1 {
            let byte = see(&mut *self.engine, "out_data") as u8;
            seen.handed
                .push((byte, see(&mut *self.engine, "out_last") == 1));
        }
        for (i, strobe) in ["begun", "taken", "host_taken", "handed"]
            .into_iter()
            .enumerate()
        {
            seen.strobes[i] += see(&mut *self.engine, strobe) as u32;
        }
        let done = see(&mut *self.engine, "done") == 1;
        let read = self.register[offset as usize];
        self.engine.clock().unwrap();
        put(&mut *self.engine, "read_data", read.into());
        self.engine.settle().unwrap();
        done
    }

    /// Holds a command until it is done.
    fn command(&mut self, name: &str) -> DmaCopyObservation {
        let mut seen = DmaCopyObservation::default();
        put(&mut *self.engine, name, 1);
        let done = (0..1000).any(|_| self.clock(&mut seen));
        assert!(done, "{name} is never done, {}", self.engine.name());
        put(&mut *self.engine, name, 0);
        for _ in 0..self.random.below(3) {
            assert!(!self.clock(&mut seen), "{name} is done twice");
        }
        seen
    }

    /// Returns a random message of any length that fits the buffer.
    fn message(&mut self) -> [u8; 16] {
        let mut message = [(); 16].map(|()| self.random.below(256) as u8);
        message[0] = 1 + self.random.below(15) as u8;
        message
    }
}

#[test]
fn a_dma_copy_ends_with_the_last_byte_of_a_message() {
    for engine in engines::both(DmaCopy::<4>::default) {
        let mut between = DmaCopyBench {
            engine,
            random: SplitMix64::new(6),
            host: [0; 16],
            register: [0; 16],
        };
        for _ in 0..150 {
            between.host = between.message();
            between.register = between.message();
            let may = between.random.below(4) > 0;
            let takes = between.random.below(2) == 0;
            put(&mut *between.engine, "legal", may.into());
            put(&mut *between.engine, "host_valid", may.into());
            let seen = between.command(if takes { "take" } else { "hand" });
            let name = between.engine.name();
            let [source, strobes] = match takes {
                _ if !may => [&[][..], &[0; 4]],
                true => [&between.host[..], &[0, 1, 1, 0]],
                false => [&between.register[..], &[1, 0, 0, 1]],
            };
            let bytes = source
                .iter()
                .take(1 + source.first().map_or(0, |l| *l as usize));
            let bytes: Vec<u8> = bytes.copied().collect();
            let at_places: Vec<(u64, u8)> = (0..).zip(bytes.iter().copied()).collect();
            let last = bytes.len().wrapping_sub(1);
            let in_order: Vec<(u8, bool)> = bytes
                .iter()
                .enumerate()
                .map(|(i, b)| (*b, i == last))
                .collect();
            assert_eq!(seen.strobes.map(|s| s as u8)[..], strobes[..], "{name}");
            let (written, handed) = match takes {
                true => (at_places, vec![]),
                false => (vec![], in_order),
            };
            assert_eq!(seen.written, written, "{name}");
            assert_eq!(seen.handed, handed, "{name}");
        }
    }
}
