//! Memories of any number of ports.
//!
//! The engine's memory has a write port and a read port, which is clocked and returns the old word,
//! or asynchronous. It serves memories of up to 65,536 words of which each bit of a word has at most
//! one write port. Each read port has its own copy, and bits with different write ports or write
//! enables are different memories. Registers around the copies implement enables, resets, and reads
//! of words that are being written. Any other memory becomes registers and multiplexers, up to
//! [`REGISTER_BITS`] bits.

use super::json::{Bit, YosysCell};
use super::module::Importer;
use lockstep::netlist::{MemoryWrite, NetId, NetOp, NetlistMemory};
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};

/// Largest number of bits of a memory that becomes registers.
const REGISTER_BITS: usize = 1 << 16;

/// Largest number of words of a memory of the engine.
const WORDS: usize = 1 << 16;

/// Sizes of a memory cell.
struct Shape<'a> {
    name: &'a str,
    cell: &'a YosysCell,
    words: usize,
    width: usize,
    address: usize,
    /// Address of the first word.
    offset: usize,
}

/// Write port, with the address counted from the first word.
struct Write {
    index: NetId,
    /// One bit: the memory has a word at this address.
    exists: NetId,
    data: NetId,
    /// A bit for each bit of the word.
    enable: NetId,
}

/// Bits of the words that are one memory of the engine.
struct Part {
    low: usize,
    high: usize,
    /// Number of the port that writes these bits.
    writer: Option<usize>,
}

impl Shape<'_> {
    /// Number of bits of an index that covers all words.
    fn index_bits(&self) -> u32 {
        (usize::BITS - (self.words - 1).leading_zeros()).max(1)
    }

    /// Bits `width` of port `number` in the connection `port`.
    fn bits(&self, port: &str, number: usize, width: usize) -> &[Bit] {
        let bits = self.cell.port(port);
        bits.get(number * width..(number + 1) * width).unwrap_or(&[])
    }

    /// Initial words.
    fn init(&self) -> Vec<BigUint> {
        let words = (0..self.words).map(|i| self.cell.word("INIT", i * self.width, self.width));
        let mut words: Vec<BigUint> = words.collect();
        while words.last().is_some_and(|word| *word == BigUint::default()) {
            words.pop();
        }
        words
    }
}

impl Importer<'_> {
    /// Returns the read data of all ports of a memory cell, the first port lowest.
    ///
    /// # Errors
    /// If the netlist cannot express the memory. The text describes the fault.
    pub(super) fn memory(&mut self, name: &str, cell: &YosysCell) -> Result<NetId, String> {
        let shape = Shape {
            name,
            cell,
            words: cell.number("SIZE").max(1),
            width: cell.number("WIDTH"),
            address: cell.number("ABITS"),
            offset: cell.number("OFFSET"),
        };
        let (reads, writes) = (cell.number("RD_PORTS"), cell.number("WR_PORTS"));
        if let Some(port) = (0..writes).find(|port| !cell.bit_of("WR_CLK_ENABLE", *port)) {
            return Err(format!(
                "write port {port} of the memory {name} has no clock; accepted: writes at a clock edge"
            ));
        }
        let wide = |direction: &str, ports: usize| {
            (0..ports).any(|port| cell.bit_of(&format!("{direction}_WIDE_CONTINUATION"), port))
        };
        if wide("RD", reads) || wide("WR", writes) {
            return Err(format!(
                "the memory {name} has ports of several words; accepted: ports of one word"
            ));
        }
        let writers = self.writers(&shape, writes);
        let native = writers.filter(|_| shape.words <= WORDS);
        let bits = shape.words * shape.width;
        if native.is_none() && bits > REGISTER_BITS {
            return Err(format!(
                "the memory {name} has {bits} bits, and several write ports of the same bits or \
                 more than {WORDS} words; accepted: up to {REGISTER_BITS} bits, or one write port \
                 of each bit and up to {WORDS} words"
            ));
        }
        let writes: Vec<Write> = (0..writes).map(|port| self.write_port(&shape, port)).collect();
        let ports: Vec<NetId> = match native {
            Some(parts) => {
                (0..reads).map(|port| self.read_copy(&shape, &writes, &parts, port)).collect()
            }
            None => {
                let words = self.word_registers(&shape, &writes);
                let read = |port| self.read_registers(&shape, &writes, &words, port);
                (0..reads).map(read).collect()
            }
        };
        Ok(match ports {
            ports if ports.is_empty() => self.draft.zero(1),
            ports => self.draft.concat(ports),
        })
    }

    /// Returns an address counted from the first word, and whether the word exists.
    fn index(&mut self, shape: &Shape, address: &[Bit]) -> (NetId, NetId) {
        let bits = shape.index_bits();
        // A bit more than both, so that the comparison with the size is exact.
        let width = bits.max(shape.address as u32) + 1;
        let address = self.word(address);
        let address = self.draft.resize(address, width);
        let constant = |importer: &mut Self, value: usize| {
            let value = BigUint::from(value) & ((BigUint::from(1u8) << width) - 1u8);
            importer.draft.constant(value, width)
        };
        let index = match shape.offset {
            0 => address,
            offset => {
                let offset = constant(self, offset);
                self.draft.net(NetOp::Sub(address, offset), width)
            }
        };
        let is_full = shape.offset == 0 && shape.words >= 1 << shape.address.min(32);
        let exists = match is_full {
            true => self.draft.constant(1u8.into(), 1),
            false => {
                let words = constant(self, shape.words);
                self.draft.net(NetOp::Lt(index, words), 1)
            }
        };
        (self.draft.slice(index, 0, bits), exists)
    }

    /// Returns a write port. Yosys selects the address and the data by the conditions of the write,
    /// and 0 if they do not hold. These selections are left out, so that ports that write parts of a
    /// word have the same address.
    fn write_port(&mut self, shape: &Shape, port: usize) -> Write {
        let enables = shape.bits("WR_EN", port, shape.width);
        let of_bits = enables.iter().map(|bit| self.implied(*bit));
        let of_bits: Vec<HashMap<Bit, bool>> = of_bits.collect();
        let is_used = |bit: &&Bit| **bit != Bit::Constant(false);
        let used = of_bits.iter().zip(enables).filter(|(_, bit)| is_used(bit));
        let of_port = used.map(|(implied, _)| implied.clone());
        let of_port = of_port.reduce(|mut all, implied| {
            all.retain(|condition, value| implied.get(condition) == Some(value));
            all
        });
        let of_port = of_port.unwrap_or_default();
        let address = shape.bits("WR_ADDR", port, shape.address).iter();
        let address: Vec<Bit> = address.map(|bit| self.selected_bit(*bit, &of_port)).collect();
        let data = shape.bits("WR_DATA", port, shape.width).iter();
        let data = data.zip(&of_bits);
        let data: Vec<Bit> = data.map(|(bit, of)| self.selected_bit(*bit, of)).collect();
        let (index, exists) = self.index(shape, &address);
        Write { index, exists, data: self.word(&data), enable: self.word(enables) }
    }

    /// Returns the conditions of multiplexers that an enable implies, with their values.
    fn implied(&self, mut enable: Bit) -> HashMap<Bit, bool> {
        let mut implied = HashMap::new();
        while implied.insert(enable, true).is_none() {
            let Some([a, b, condition]) = self.multiplexer(enable) else {
                break;
            };
            let zero = Bit::Constant(false);
            let (value, rest) = match (a == zero, b == zero) {
                (true, _) => (true, b),
                (_, true) => (false, a),
                _ => break,
            };
            implied.insert(condition, value);
            enable = rest;
        }
        implied
    }

    /// Returns the bit that a bit equals under these conditions.
    fn selected_bit(&self, mut bit: Bit, conditions: &HashMap<Bit, bool>) -> Bit {
        let mut passed = HashSet::new();
        while passed.insert(bit) {
            let Some([a, b, condition]) = self.multiplexer(bit) else {
                break;
            };
            bit = match conditions.get(&condition) {
                Some(true) => b,
                Some(false) => a,
                None => break,
            };
        }
        bit
    }

    /// Returns the pins `A`, `B` and `S` of the multiplexer that drives a bit.
    fn multiplexer(&self, bit: Bit) -> Option<[Bit; 3]> {
        let Bit::Wire(wire) = bit else { return None };
        let (cell, i) = self.multiplexers.get(&wire)?;
        Some([cell.port("A")[*i], cell.port("B")[*i], cell.port("S")[0]])
    }

    /// Returns the bits that a write port changes in the word with this index.
    fn hits(&mut self, write: &Write, index: NetId, exists: NetId) -> NetId {
        let same = self.draft.net(NetOp::Eq(write.index, index), 1);
        let same = self.draft.net(NetOp::And(same, exists), 1);
        let same = self.draft.net(NetOp::And(same, write.exists), 1);
        let width = self.draft.width(write.enable);
        let mask = self.repeated(same, width);
        self.draft.net(NetOp::And(write.enable, mask), width)
    }

    // Memories of the engine.

    /// Returns the parts of a word in ascending order, or `None` if a bit has several write ports.
    /// The bits of a part have the same write port and write enable.
    fn writers(&self, shape: &Shape, ports: usize) -> Option<Vec<Part>> {
        let mut same = EqualBits {
            multiplexers: &self.multiplexers,
            known: HashMap::new(),
            visited: HashMap::new(),
        };
        let zero = same.key(Bit::Constant(false));
        let mut parts: Vec<(Part, usize)> = vec![];
        for bit in 0..shape.width {
            let mut writer = None;
            for port in 0..ports {
                let enable = same.key(shape.bits("WR_EN", port, shape.width)[bit]);
                if enable == zero {
                    continue;
                }
                if writer.replace((port, enable)).is_some() {
                    return None;
                }
            }
            let port = writer.map(|(port, _)| port);
            let enable = writer.map_or(zero, |(_, enable)| enable);
            match parts.last_mut() {
                Some((part, of_part)) if part.writer == port && *of_part == enable => {
                    part.high = bit;
                }
                _ => parts.push((Part { low: bit, high: bit, writer: port }, enable)),
            }
        }
        Some(parts.into_iter().map(|(part, _)| part).collect())
    }

    /// Returns the data of a read port, read from its own copy of the memory.
    fn read_copy(&mut self, shape: &Shape, writes: &[Write], parts: &[Part], port: usize) -> NetId {
        let (index, exists) = self.index(shape, shape.bits("RD_ADDR", port, shape.address));
        let is_clocked = shape.cell.bit_of("RD_CLK_ENABLE", port);
        let old = self.copies(shape, writes, parts, port, (index, is_clocked));
        if !is_clocked {
            let mask = self.repeated(exists, shape.width as u32);
            return self.draft.net(NetOp::And(old, mask), shape.width as u32);
        }
        // Output of the port at the clock edge, unless it is the word from the copy.
        let name = |what: &str| format!("{}.port{port}.{what}", shape.name);
        let present = self.delayed(name("exists"), exists, BigUint::default());
        let mask = self.repeated(present, shape.width as u32);
        let mut fetched = self.draft.net(NetOp::And(old, mask), shape.width as u32);
        for (number, write) in writes.iter().enumerate() {
            if !is_transparent(shape, port, number) {
                continue;
            }
            let own = |what: &str| match writes.len() {
                1 => name(what),
                _ => name(&format!("{what}{number}")),
            };
            let hits = self.hits(write, index, exists);
            let hits = self.delayed(own("hits"), hits, BigUint::default());
            let data = self.delayed(own("written"), write.data, BigUint::default());
            fetched = self.merged(hits, data, fetched);
        }
        self.read_port(shape, port, Fetch::After(fetched))
    }

    /// Adds the memories of one read port, one for each part of the word. Returns the word at the
    /// index, before the last clock edge if the port is clocked.
    fn copies(
        &mut self,
        shape: &Shape,
        writes: &[Write],
        parts: &[Part],
        port: usize,
        (index, is_clocked): (NetId, bool),
    ) -> NetId {
        let first_words = shape.init();
        let copies = parts.iter().map(|part| {
            let (low, high) = (part.low, part.high);
            let width = (high - low + 1) as u32;
            let number = self.parts.memories.len() as u32;
            let read = match is_clocked {
                true => NetOp::Memory(number),
                false => NetOp::MemoryAt { memory: number, address: index },
            };
            let read_data = self.draft.net(read, width);
            let write = part.writer.map(|writer| {
                let write = &writes[writer];
                let enable = self.draft.slice(write.enable, low as u32, 1);
                MemoryWrite {
                    address: write.index,
                    data: self.draft.slice(write.data, low as u32, width),
                    enable: self.draft.net(NetOp::And(enable, write.exists), 1),
                    disjoint: false,
                }
            });
            let mask = (BigUint::from(1u8) << width) - 1u8;
            let init = first_words.iter().map(|word| (word >> low) & &mask);
            self.parts.memories.push(NetlistMemory {
                name: format!("{}.port{port}[{high}:{low}]", shape.name),
                words: 1 << shape.index_bits(),
                width,
                read_address: index,
                read_data,
                write,
                init: init.collect(),
                copy_of: Some(format!("{}[{high}:{low}]", shape.name)),
            });
            read_data
        });
        let copies = copies.collect();
        self.draft.concat(copies)
    }

    // Memories as registers.

    /// Adds a register for each word, and returns their outputs.
    fn word_registers(&mut self, shape: &Shape, writes: &[Write]) -> Vec<NetId> {
        let (width, bits) = (shape.width as u32, shape.index_bits());
        let yes = self.draft.constant(1u8.into(), 1);
        let words = (0..shape.words).map(|i| {
            let q = self.new_register(shape.width);
            let index = self.draft.constant(BigUint::from(i), bits);
            let mut d = q;
            for write in writes {
                let hits = self.hits(write, index, yes);
                d = self.merged(hits, write.data, d);
            }
            debug_assert_eq!(self.draft.width(d), width);
            let init = shape.cell.word("INIT", i * shape.width, shape.width);
            self.add_register(format!("{}[{}]", shape.name, i + shape.offset), d, q, init);
            q
        });
        words.collect()
    }

    /// Returns the data of a read port of a memory of registers.
    fn read_registers(
        &mut self,
        shape: &Shape,
        writes: &[Write],
        words: &[NetId],
        port: usize,
    ) -> NetId {
        let (index, exists) = self.index(shape, shape.bits("RD_ADDR", port, shape.address));
        let word = self.selected(words.to_vec(), index);
        let mask = self.repeated(exists, shape.width as u32);
        let mut word = self.draft.net(NetOp::And(word, mask), shape.width as u32);
        if !shape.cell.bit_of("RD_CLK_ENABLE", port) {
            return word;
        }
        for (number, write) in writes.iter().enumerate() {
            if is_transparent(shape, port, number) {
                let hits = self.hits(write, index, exists);
                word = self.merged(hits, write.data, word);
            }
        }
        self.read_port(shape, port, Fetch::Before(word))
    }

    // The output of a clocked read port.

    /// Returns the output of a clocked read port, with its enable and its resets.
    fn read_port(&mut self, shape: &Shape, port: usize, fetch: Fetch) -> NetId {
        let (cell, width) = (shape.cell, shape.width);
        let one_bit =
            |importer: &mut Self, control: &str| importer.word(shape.bits(control, port, 1));
        let enable = one_bit(self, "RD_EN");
        let reset = one_bit(self, "RD_SRST");
        let force = one_bit(self, "RD_ARST");
        let value = |importer: &mut Self, of: &str| {
            let value = cell.word(of, port * width, width);
            importer.draft.constant(value, width as u32)
        };
        let (reset_value, forced_value) =
            (value(self, "RD_SRST_VALUE"), value(self, "RD_ARST_VALUE"));
        // If the clock enable has priority over the reset, a disabled port ignores its reset.
        let reset = match cell.bit_of("RD_CE_OVER_SRST", port) {
            true => self.draft.net(NetOp::And(reset, enable), 1),
            false => reset,
        };
        let name = |what: &str| format!("{}.port{port}.{what}", shape.name);
        let init = cell.word("RD_INIT_VALUE", port * width, width);
        match fetch {
            Fetch::Before(word) => {
                let q = self.new_register(width);
                let now = self.draft.mux(force, forced_value, q);
                let d = self.draft.mux(enable, word, q);
                let d = self.draft.mux(reset, reset_value, d);
                let d = self.draft.mux(force, forced_value, d);
                self.add_register(name("data"), d, q, init);
                now
            }
            Fetch::After(word) => {
                // After an edge that fetched a word the output is that word, else the held one.
                let others = self.draft.net(NetOp::Or(reset, force), 1);
                let others = self.not(others);
                let fetches = self.draft.net(NetOp::And(enable, others), 1);
                let fetched = self.delayed(name("fetched"), fetches, BigUint::default());
                let held = self.new_register(width);
                let last = self.draft.mux(fetched, word, held);
                let now = self.draft.mux(force, forced_value, last);
                let d = self.draft.mux(reset, reset_value, last);
                let d = self.draft.mux(force, forced_value, d);
                self.add_register(name("held"), d, held, init);
                now
            }
        }
    }
}

/// Numbers of bits: equal numbers mean equal bits.
struct EqualBits<'a> {
    /// Multiplexer and bit that drive a wire.
    multiplexers: &'a HashMap<usize, (&'a YosysCell, usize)>,
    known: HashMap<BitSource, usize>,
    visited: HashMap<Bit, usize>,
}

#[derive(PartialEq, Eq, Hash)]
enum BitSource {
    Bit(Bit),
    /// Numbers of the bits that a multiplexer selects, and of its condition.
    Mux([usize; 3]),
}

impl EqualBits<'_> {
    fn key(&mut self, bit: Bit) -> usize {
        if let Some(&key) = self.visited.get(&bit) {
            return key;
        }
        // A bit that depends on itself is equal to itself only.
        let own = self.number(BitSource::Bit(bit));
        self.visited.insert(bit, own);
        let driver = match bit {
            Bit::Wire(wire) => self.multiplexers.get(&wire).copied(),
            Bit::Constant(_) | Bit::Open => None,
        };
        let Some((cell, i)) = driver else { return own };
        let pins = [cell.port("A")[i], cell.port("B")[i], cell.port("S")[0]];
        let pins = pins.map(|pin| self.key(pin));
        let key = match pins {
            [a, b, _] if a == b => a,
            _ => self.number(BitSource::Mux(pins)),
        };
        self.visited.insert(bit, key);
        key
    }

    fn number(&mut self, source: BitSource) -> usize {
        let next = self.known.len();
        *self.known.entry(source).or_insert(next)
    }
}

/// Word that a clocked read port fetches.
enum Fetch {
    /// Value before the clock edge.
    Before(NetId),
    /// Value after the clock edge.
    After(NetId),
}

/// Returns whether a read port shows the word that a write port writes in the same clock cycle.
fn is_transparent(shape: &Shape, read: usize, write: usize) -> bool {
    let writes = shape.cell.number("WR_PORTS");
    shape.cell.bit_of("RD_TRANSPARENCY_MASK", read * writes + write)
}
