//! Words of bytes: what a memory of bytes gets and gives, and that nothing moves
//! between two accesses.

use crate::engines;
use phasecube::engine::Engine;
use phasecube::rtl::tdma::WordAccess;
use phasecube::traffic::SplitMix64;

/// The circuit and a memory of four bytes, which reads before it writes.
struct Access {
    engine: Box<dyn Engine>,
    memory: [u8; 4],
    /// What the memory has read.
    read: u8,
}

impl Access {
    fn put(&mut self, input: &str, value: u64) {
        let port = self.engine.port(input);
        self.engine.set_u64(port, value);
    }

    fn see(&mut self, output: &str) -> u64 {
        let port = self.engine.port(output);
        self.engine.get_u64(port)
    }

    /// The clock edge, at the memory too.
    fn clock(&mut self) {
        let index = self.see("index") as usize;
        let read = self.memory[index];
        if self.see("write_enable") == 1 {
            self.memory[index] = self.see("write_byte") as u8;
        }
        self.engine.clock().unwrap();
        self.read = read;
        self.put("read_byte", read.into());
        self.engine.settle().unwrap();
    }

    /// A clock cycle of another node: nothing changes, whatever is on the wires.
    fn another_turn(&mut self, random: &mut SplitMix64) {
        let shown = ["done", "index", "word"].map(|output| self.see(output));
        self.put("turn", 0);
        self.put("read_byte", random.below(256));
        self.engine.clock().unwrap();
        self.put("turn", 1);
        self.put("read_byte", self.read.into());
        self.engine.settle().unwrap();
        assert_eq!(
            shown,
            ["done", "index", "word"].map(|output| self.see(output))
        );
    }

    /// Asks for a word for some clock cycles, until `done` in the last one.
    fn ask(&mut self, data: u32, strobe: u64, clock_cycles: u64, random: &mut SplitMix64) {
        self.put("write_data", data.into());
        self.put("write_strobe", strobe);
        self.put("go", 1);
        self.put("turn", 1);
        self.engine.settle().unwrap();
        for _ in 1..clock_cycles {
            assert_eq!(self.see("done"), 0);
            self.clock();
            if random.below(2) == 0 {
                self.another_turn(random);
            }
        }
    }

    /// Asks for nothing any more.
    fn rest(&mut self) {
        self.put("go", 0);
        self.engine.settle().unwrap();
    }
}

#[test]
pub fn a_word_takes_five_clock_cycles_and_stands_still_then() {
    for engine in engines::all(WordAccess::default) {
        let name = engine.name().to_string();
        let memory = [0x11, 0x22, 0x33, 0x44];
        let mut access = Access {
            engine,
            memory,
            read: 0,
        };
        let mut random = SplitMix64::new(1);
        for _ in 0..300 {
            let (data, before) = (random.next_u64() as u32, access.memory);
            let strobe = random.below(16);
            if random.below(4) == 0 {
                // It is given up, and begins anew the next time.
                let clock_cycles = 1 + random.below(4);
                access.ask(data, 0, clock_cycles, &mut random);
                access.rest();
                access.clock();
            }
            access.ask(data, strobe, 5, &mut random);
            assert_eq!(access.see("done"), 1, "{name}");
            assert_eq!(access.see("write_enable"), 0, "{name}");
            let word = access.see("word") as u32;
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
            let kept = access.see("word") & 0xFF_FFFF;
            for _ in 0..random.below(6) {
                assert_eq!(access.see("done"), 0, "{name}");
                access.put("read_byte", random.below(256));
                access.engine.clock().unwrap();
                assert_eq!(access.see("word") & 0xFF_FFFF, kept, "{name}");
            }
        }
    }
}
