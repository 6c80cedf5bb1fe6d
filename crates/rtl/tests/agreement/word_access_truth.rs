//! Words of bytes: the bytes that a byte memory receives and returns. Nothing changes between two
//! accesses.

use crate::agreement::engines;
use crate::agreement::ports::{put, see};
use engine::CircuitEngine;
use interconnect::traffic::SplitMix64;
use rtl::tdma::WordAccess;

/// The circuit with a memory of four bytes that reads before it writes.
struct WordAccessBench {
    engine: Box<dyn CircuitEngine>,
    memory: [u8; 4],
    /// The byte that the memory has read.
    read: u8,
}

impl WordAccessBench {
    /// Applies a clock edge to the circuit and the memory.
    fn clock(&mut self) {
        let index = see(&mut *self.engine, "index") as usize;
        let read = self.memory[index];
        if see(&mut *self.engine, "write_enable") == 1 {
            self.memory[index] = see(&mut *self.engine, "write_byte") as u8;
        }
        self.engine.clock().unwrap();
        self.read = read;
        put(&mut *self.engine, "read_byte", read.into());
        self.engine.settle().unwrap();
    }

    /// Runs a clock cycle of another node. Nothing changes, whatever the wires carry.
    fn another_turn(&mut self, random: &mut SplitMix64) {
        let shown = ["done", "index", "word"].map(|output| see(&mut *self.engine, output));
        put(&mut *self.engine, "turn", 0);
        put(&mut *self.engine, "read_byte", random.below(256));
        self.engine.clock().unwrap();
        put(&mut *self.engine, "turn", 1);
        put(&mut *self.engine, "read_byte", self.read.into());
        self.engine.settle().unwrap();
        assert_eq!(
            shown,
            ["done", "index", "word"].map(|output| see(&mut *self.engine, output))
        );
    }

    /// Requests a word for some clock cycles. `done` must be high in the last one only.
    fn request(&mut self, data: u32, strobe: u64, clock_cycles: u64, random: &mut SplitMix64) {
        put(&mut *self.engine, "write_data", data.into());
        put(&mut *self.engine, "write_strobe", strobe);
        put(&mut *self.engine, "go", 1);
        put(&mut *self.engine, "turn", 1);
        self.engine.settle().unwrap();
        for _ in 1..clock_cycles {
            assert_eq!(see(&mut *self.engine, "done"), 0);
            self.clock();
            if random.below(2) == 0 {
                self.another_turn(random);
            }
        }
    }

    /// Ends the request.
    fn rest(&mut self) {
        put(&mut *self.engine, "go", 0);
        self.engine.settle().unwrap();
    }
}

#[test]
pub fn a_word_access_takes_five_clock_cycles_and_holds_its_result() {
    for engine in engines::both(WordAccess::default) {
        let name = engine.name().to_string();
        let memory = [0x11, 0x22, 0x33, 0x44];
        let mut access = WordAccessBench {
            engine,
            memory,
            read: 0,
        };
        let mut random = SplitMix64::new(1);
        for _ in 0..300 {
            let (data, before) = (random.next_u64() as u32, access.memory);
            let strobe = random.below(16);
            if random.below(4) == 0 {
                // The access is aborted, and starts again the next time.
                let clock_cycles = 1 + random.below(4);
                access.request(data, 0, clock_cycles, &mut random);
                access.rest();
                access.clock();
            }
            access.request(data, strobe, 5, &mut random);
            assert_eq!(see(&mut *access.engine, "done"), 1, "{name}");
            assert_eq!(see(&mut *access.engine, "write_enable"), 0, "{name}");
            let word = see(&mut *access.engine, "word") as u32;
            assert_eq!(word.to_le_bytes(), before, "{name}");
            for (i, byte) in data.to_le_bytes().into_iter().enumerate() {
                let expected = if strobe >> i & 1 == 1 {
                    byte
                } else {
                    before[i]
                };
                assert_eq!(access.memory[i], expected, "{name}, byte {i}");
            }
            access.clock();
            access.rest();
            let kept = see(&mut *access.engine, "word") & 0xFF_FFFF;
            for _ in 0..random.below(6) {
                assert_eq!(see(&mut *access.engine, "done"), 0, "{name}");
                put(&mut *access.engine, "read_byte", random.below(256));
                access.engine.clock().unwrap();
                assert_eq!(see(&mut *access.engine, "word") & 0xFF_FFFF, kept, "{name}");
            }
        }
    }
}
