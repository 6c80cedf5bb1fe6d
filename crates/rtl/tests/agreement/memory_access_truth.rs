//! The `DmaCopy` copies whole messages, byte by byte, and marks the last byte.

use crate::agreement::engines::{self, put, see};
use engine::CircuitEngine;
use interconnect::topology::Hypercube;
use interconnect::traffic::SplitMix64;
use machine::networks::tdma::PhaseTiming;
use rtl::tdma::{DmaCopy, NodeService, WordAccess};

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
    delivered: Vec<(u8, bool)>,
    /// Clock cycles of `begun`, `taken`, `host_taken`, `delivered`.
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
            seen.written.push((offset, see(&mut *self.engine, "write_data") as u8));
        }
        if see(&mut *self.engine, "out_valid") == 1 {
            let byte = see(&mut *self.engine, "out_data") as u8;
            seen.delivered.push((byte, see(&mut *self.engine, "out_last") == 1));
        }
        for (i, strobe) in ["begun", "taken", "host_taken", "delivered"].into_iter().enumerate() {
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
        let mut between =
            DmaCopyBench { engine, random: SplitMix64::new(6), host: [0; 16], register: [0; 16] };
        // Nothing happens before the first command.
        let mut seen = DmaCopyObservation::default();
        assert!(!(0..10).any(|_| between.clock(&mut seen)));
        assert_eq!((seen.written.len(), seen.delivered.len()), (0, 0));
        for _ in 0..150 {
            between.host = between.message();
            between.register = between.message();
            let may = between.random.below(4) > 0;
            let takes = between.random.below(2) == 0;
            put(&mut *between.engine, "legal", may.into());
            put(&mut *between.engine, "host_valid", may.into());
            let seen = between.command(if takes { "take" } else { "deliver" });
            let name = between.engine.name();
            let [source, strobes] = match takes {
                _ if !may => [&[][..], &[0; 4]],
                true => [&between.host[..], &[0, 1, 1, 0]],
                false => [&between.register[..], &[1, 0, 0, 1]],
            };
            let bytes = source.iter().take(1 + source.first().map_or(0, |l| *l as usize));
            let bytes: Vec<u8> = bytes.copied().collect();
            let at_places: Vec<(u64, u8)> = (0..).zip(bytes.iter().copied()).collect();
            let last = bytes.len().wrapping_sub(1);
            let in_order: Vec<(u8, bool)> =
                bytes.iter().enumerate().map(|(i, b)| (*b, i == last)).collect();
            assert_eq!(seen.strobes.map(|s| s as u8)[..], strobes[..], "{name}");
            let (written, delivered) = match takes {
                true => (at_places, vec![]),
                false => (vec![], in_order),
            };
            assert_eq!(seen.written, written, "{name}");
            assert_eq!(seen.delivered, delivered, "{name}");
        }
    }
}

// Words of bytes: the bytes that a byte memory receives and returns. Nothing changes between two
// accesses.

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
        assert_eq!(shown, ["done", "index", "word"].map(|output| see(&mut *self.engine, output)));
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
        let mut access = WordAccessBench { engine, memory, read: 0 };
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
                let expected = if strobe >> i & 1 == 1 { byte } else { before[i] };
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

// TX_DATA and RX_DATA: words of a buffer, one after another, while the message memory opens and closes.

/// Offsets of the registers (`firmware/include/node_port.h`).
const TX_DATA: u64 = 0x08;
const RX_DATA: u64 = 0x0C;
const SELECT: u64 = 0x18;
const SLOT: u64 = 2;

/// The circuit with a message memory that reads before it writes, and the state of a node in
/// `ServiceState`: the selected buffer and its next word.
struct NodeServiceBench {
    engine: Box<dyn CircuitEngine>,
    random: SplitMix64,
    memory: [u8; 256],
    selected: u64,
    at: u64,
    /// Accesses that completed in the clock cycle in which the memory closed.
    closed: u32,
}

impl NodeServiceBench {
    fn show(&mut self, open: u64, byte: u8) {
        put(&mut *self.engine, "open", open);
        put(&mut *self.engine, "selected", self.selected);
        put(&mut *self.engine, "at", self.at);
        put(&mut *self.engine, "message_byte", byte.into());
    }

    /// Accesses a register until the access completes. Returns the data read.
    fn access(&mut self, offset: u64, write: Option<u32>) -> u32 {
        put(&mut *self.engine, "request", 1);
        put(&mut *self.engine, "offset", offset);
        put(&mut *self.engine, "write_strobe", write.map_or(0, |_| 15));
        put(&mut *self.engine, "write_data", write.unwrap_or_default().into());
        let (mut byte, mut was_open) = (0, 0);
        loop {
            // Clock cycles of another node, with that node's state on the wires.
            while self.random.below(3) == 0 {
                let (open, other) = (self.random.below(2), self.random.below(256) as u8);
                self.show(open, other);
                put(&mut *self.engine, "turn", 0);
                self.engine.settle().unwrap();
                assert_eq!(see(&mut *self.engine, "ready"), 0);
                self.engine.clock().unwrap();
            }
            let open = u64::from(self.random.below(8) > 0);
            self.show(open, byte);
            put(&mut *self.engine, "turn", 1);
            self.engine.settle().unwrap();
            let ready = see(&mut *self.engine, "ready") == 1;
            self.closed += u32::from(ready && open < was_open && offset != SELECT);
            let read = see(&mut *self.engine, "read_data") as u32;
            let address = see(&mut *self.engine, "message_address") as usize;
            byte = self.memory[address];
            if see(&mut *self.engine, "message_write") == 1 {
                assert_eq!(open, 1, "it writes a closed memory");
                self.memory[address] = see(&mut *self.engine, "message_data") as u8;
            }
            if see(&mut *self.engine, "choose") == 1 {
                self.selected = see(&mut *self.engine, "buffer");
                self.at = see(&mut *self.engine, "position") << 2;
            }
            if see(&mut *self.engine, "advance") == 1 {
                self.at += 4;
            }
            was_open = open;
            self.engine.clock().unwrap();
            if ready {
                put(&mut *self.engine, "request", 0);
                return read;
            }
        }
    }
}

/// The words of a buffer are written and read in order, each once, whenever the memory closes.
#[test]
fn words_of_a_message_stay_in_order_when_the_memory_closes() {
    let plan = PhaseTiming::forwarder(4, 16, Hypercube::of(3), true).plan();
    for engine in engines::both(|| NodeService::<3, 3, 4, 5, 8>::new(plan)) {
        let mut bench = NodeServiceBench {
            engine,
            random: SplitMix64::new(12),
            memory: [0; 256],
            selected: 0,
            at: 0,
            closed: 0,
        };
        for _ in 0..100 {
            let words = [(); 5].map(|()| bench.random.next_u64() as u32);
            bench.access(SELECT, Some(SLOT as u32));
            for word in words {
                bench.access(TX_DATA, Some(word));
            }
            bench.access(SELECT, Some(SLOT as u32));
            let read = [(); 5].map(|()| bench.access(RX_DATA, None));
            assert_eq!(read, words, "{}", bench.engine.name());
        }
        assert!(bench.closed > 20, "{}", bench.closed);
    }
}
