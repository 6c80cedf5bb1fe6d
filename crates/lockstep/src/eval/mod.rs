//! Reference evaluator: computes every net in order, clock cycle by clock cycle.
//!
//! The evaluator is small and simple because it is the reference for faster engines. Settling
//! computes all nets, or none if no input has changed. The evaluator uses one thread. Nets of up to
//! 64 bits are computed in one machine word (`tape`). Wider nets are computed limb by limb
//! (`limbs`).

mod limbs;
mod tape;

use crate::netlist::{NetId, NetOp, Netlist, NetlistMemory};
use num_bigint::BigUint;
use std::ops::Range;
use std::sync::Arc;
use tape::EvalTape;

/// Simulator of one netlist.
///
/// ```
/// # use lockstep::{eval::Evaluator, netlist::Netlist};
/// # fn count(netlist: Netlist) -> u64 {
/// let mut evaluator = Evaluator::new(netlist);
/// let enable = evaluator.netlist().input("enable").unwrap();
/// let count = evaluator.netlist().output("count").unwrap();
/// evaluator.set(enable, 1);
/// evaluator.clock();
/// evaluator.get(count)
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    netlist: Arc<Netlist>,
    slots: Arc<LimbPositions>,
    tape: Arc<EvalTape>,
    state: EvalState,
    /// Values of all nets, one after the other ([`LimbPositions`]).
    values: Vec<u64>,
    /// True if all nets agree with their operands.
    settled: bool,
}

impl Evaluator {
    /// Creates an evaluator. All inputs are zero, registers and memories have their initial values,
    /// and the nets have settled.
    pub fn new(netlist: impl Into<Arc<Netlist>>) -> Self {
        let netlist = netlist.into();
        let slots = LimbPositions::new(&netlist);
        let mut evaluator = Evaluator {
            tape: Arc::new(EvalTape::new(&netlist, &slots)),
            state: EvalState::new(&netlist, &slots),
            values: vec![0; slots.len()],
            slots: Arc::new(slots),
            netlist,
            settled: false,
        };
        for (id, net) in evaluator.netlist.iter() {
            if let NetOp::Const(value) = &net.op {
                let range = evaluator.slots.range(id);
                limbs::store(&mut evaluator.values[range], value);
            }
        }
        evaluator.reset();
        evaluator
    }

    pub fn netlist(&self) -> &Arc<Netlist> {
        &self.netlist
    }

    /// Resets registers and memories to their initial values and settles. The inputs do not change.
    pub fn reset(&mut self) {
        self.state.reset(&self.netlist, &self.slots, &mut self.values);
        self.settled = false;
        self.settle();
    }

    /// Sets an input. Dependent nets change at the next [`settle`](Self::settle) or
    /// [`clock`](Self::clock).
    ///
    /// # Panics
    /// If the net is not an input, or if the value is too wide for it.
    pub fn set(&mut self, input: NetId, value: u64) {
        let width = self.input_width(input);
        assert!(
            width >= 64 || value >> width == 0,
            "{value:#x} doesn't fit the input {}, which has {width} bits",
            self.describe(input),
        );
        let (low, high) =
            self.values[self.slots.range(input)].split_first_mut().expect("a net has a limb");
        if *low != value || high.iter().any(|&limb| limb != 0) {
            *low = value;
            high.fill(0);
            self.settled = false;
        }
    }

    /// Sets an input of any width, like [`set`](Self::set).
    ///
    /// # Panics
    /// If the net is not an input, or if the value is too wide for it.
    pub fn set_big(&mut self, input: NetId, value: &BigUint) {
        let width = self.input_width(input);
        assert!(
            value.bits() <= width.into(),
            "{value:#x} doesn't fit the input {}, which has {width} bits",
            self.describe(input),
        );
        let limbs = &mut self.values[self.slots.range(input)];
        if limbs::load(limbs) != *value {
            limbs::store(limbs, value);
            self.settled = false;
        }
    }

    /// Returns the value of a net of up to 64 bits after the last [`settle`](Self::settle) or
    /// [`clock`](Self::clock).
    ///
    /// # Panics
    /// If the net is wider than 64 bits.
    pub fn get(&self, net: NetId) -> u64 {
        let range = self.slots.range(net);
        assert!(
            range.len() == 1,
            "{} has {} bits, more than 64: use get_big",
            self.describe(net),
            self.netlist.width(net),
        );
        self.values[range.start]
    }

    /// Returns the value of a net of any width after the last [`settle`](Self::settle) or
    /// [`clock`](Self::clock).
    pub fn get_big(&self, net: NetId) -> BigUint {
        limbs::load(&self.values[self.slots.range(net)])
    }

    /// Returns a word of a memory. `memory` is the position in [`Netlist::memories`].
    ///
    /// # Panics
    /// If the memory or the word does not exist.
    pub fn memory_word(&self, memory: usize, address: usize) -> BigUint {
        limbs::load(self.state.word(memory, address))
    }

    /// Settles all nets after inputs have changed.
    pub fn settle(&mut self) {
        if !self.settled {
            let memories = &self.state.memories;
            self.tape.run(&mut self.values, &self.slots, memories);
            self.settled = true;
        }
    }

    /// Performs the rising edge of the clock. The nets settle, all registers and memories change at
    /// once, and the nets settle again.
    pub fn clock(&mut self) {
        self.settle();
        self.state.clock(&mut self.values);
        self.settled = false;
        self.settle();
    }

    fn input_width(&self, input: NetId) -> u32 {
        let net = self.netlist.net(input);
        assert!(
            matches!(net.op, NetOp::Input(_)),
            "{} is not an input, only inputs can be set",
            self.describe(input),
        );
        net.width
    }

    /// Returns a name of the net if it has one.
    fn describe(&self, id: NetId) -> String {
        match self.netlist.names.iter().find(|name| name.net == id) {
            Some(name) => name.path.clone(),
            None => format!("(net {})", id.0),
        }
    }
}

/// Position of each net's value in the list of limbs. Values have the order of the nets, so operands
/// come before their users.
#[derive(Debug)]
struct LimbPositions {
    /// First limb of each net, and the end of the last one.
    starts: Vec<u32>,
}

impl LimbPositions {
    pub fn new(netlist: &Netlist) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for net in &netlist.nets {
            end += limbs::count(net.width) as u32;
            starts.push(end);
        }
        LimbPositions { starts }
    }

    /// Returns the limbs of a net.
    pub fn range(&self, id: NetId) -> Range<usize> {
        self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize
    }

    /// Returns the number of limbs.
    pub fn len(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }
}

// State of a netlist, and its change at the clock edge.

/// Registers and memories. Register values and read data are stored with the values of the nets.
/// The words of memories are stored here.
#[derive(Clone, Debug)]
struct EvalState {
    /// Limbs that the edge copies, from `d` to `q` of the registers.
    copies: Vec<(usize, usize)>,
    memories: Vec<EvalMemory>,
    /// Values read before the edge, first for `copies`, then for `memories`.
    next: Vec<u64>,
}

/// Words of a memory, one after the other, and the positions of its pins.
#[derive(Clone, Debug)]
struct EvalMemory {
    limbs: Vec<u64>,
    /// Number of limbs in a word.
    size: usize,
    read_address: usize,
    read_data: Range<usize>,
    asynchronous: bool,
    write: Option<Write>,
}

#[derive(Clone, Debug)]
struct Write {
    address: usize,
    data: Range<usize>,
    enable: usize,
    disjoint: bool,
}

impl EvalState {
    pub fn new(netlist: &Netlist, slots: &LimbPositions) -> Self {
        let copies = netlist.registers.iter().flat_map(|r| slots.range(r.d).zip(slots.range(r.q)));
        let memories = netlist.memories.iter();
        let memories = memories.map(|m| EvalMemory::new(netlist, m, slots));
        EvalState { copies: copies.collect(), memories: memories.collect(), next: vec![] }
    }

    pub fn reset(&mut self, netlist: &Netlist, slots: &LimbPositions, values: &mut [u64]) {
        for register in &netlist.registers {
            limbs::store(&mut values[slots.range(register.q)], &register.init);
        }
        for (words, memory) in self.memories.iter_mut().zip(&netlist.memories) {
            values[words.read_data.clone()].fill(0);
            words.limbs.fill(0);
            for (word, init) in words.limbs.chunks_mut(words.size).zip(&memory.init) {
                limbs::store(word, init);
            }
        }
    }

    /// Returns the limbs of a word.
    pub fn word(&self, memory: usize, address: usize) -> &[u64] {
        self.memories[memory].word(address)
    }

    /// Performs the rising edge. Everything is read before anything changes.
    ///
    /// # Panics
    /// If a memory declared `disjoint` reads the word that it writes.
    pub fn clock(&mut self, values: &mut [u64]) {
        self.next.clear();
        self.next.extend(self.copies.iter().map(|&(d, _)| values[d]));
        let clocked = || self.memories.iter().filter(|m| !m.asynchronous);
        for words in clocked() {
            let address = values[words.read_address] as usize;
            self.next.extend_from_slice(words.word(address));
        }
        for words in &mut self.memories {
            words.write(values);
        }
        let qs = self.copies.iter().map(|&(_, q)| q);
        let clocked = self.memories.iter().filter(|m| !m.asynchronous);
        let read_data = clocked.flat_map(|m| m.read_data.clone());
        for (limb, &next) in qs.chain(read_data).zip(&self.next) {
            values[limb] = next;
        }
    }
}

impl EvalMemory {
    fn new(netlist: &Netlist, memory: &NetlistMemory, slots: &LimbPositions) -> Self {
        let read_data = slots.range(memory.read_data);
        // Addresses and the enable have few bits, so each is one limb.
        let limb = |id: NetId| slots.range(id).start;
        EvalMemory {
            limbs: vec![0; memory.words * read_data.len()],
            size: read_data.len(),
            read_address: limb(memory.read_address),
            read_data,
            asynchronous: memory.is_asynchronous(netlist),
            write: memory.write.map(|write| Write {
                address: limb(write.address),
                data: slots.range(write.data),
                enable: limb(write.enable),
                disjoint: write.disjoint,
            }),
        }
    }

    fn word(&self, address: usize) -> &[u64] {
        &self.limbs[address * self.size..][..self.size]
    }

    fn write(&mut self, values: &[u64]) {
        if let Some(write) = &self.write {
            if values[write.enable] == 1 {
                let address = values[write.address] as usize;
                assert!(
                    !write.disjoint || values[self.read_address] as usize != address,
                    "a memory whose reads and writes are disjoint: word {address} is read \
                     and written in one clock cycle"
                );
                self.limbs[address * self.size..][..self.size]
                    .copy_from_slice(&values[write.data.clone()]);
            }
        }
    }
}
