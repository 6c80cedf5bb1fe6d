//! The plain evaluator: every net in turn, clock cycle by clock cycle.
//!
//! Small and obvious, so that it can be the yardstick for faster engines; it
//! computes all nets or, where no input has changed, none, and runs nothing in parallel.
//! Nets of up to 64 bits are computed in one machine word (`tape`), wider ones
//! limb by limb (`limbs`).

mod limbs;
mod slots;
mod state;
mod tape;
mod wide;

use crate::netlist::{NetId, Netlist, Op};
use num_bigint::BigUint;
use slots::Slots;
use state::State;
use std::sync::Arc;
use tape::Tape;

/// Runs a netlist.
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
    slots: Arc<Slots>,
    tape: Arc<Tape>,
    state: State,
    /// The values of all nets, one after the other ([`Slots`]).
    values: Vec<u64>,
    /// All nets are what their operands make them.
    settled: bool,
}

impl Evaluator {
    /// All inputs are zero, registers and memories are as they start, and the
    /// nets have settled.
    pub fn new(netlist: impl Into<Arc<Netlist>>) -> Self {
        let netlist = netlist.into();
        let slots = Slots::new(&netlist);
        let mut evaluator = Evaluator {
            tape: Arc::new(Tape::new(&netlist, &slots)),
            state: State::new(&netlist, &slots),
            values: vec![0; slots.len()],
            slots: Arc::new(slots),
            netlist,
            settled: false,
        };
        for (id, net) in evaluator.netlist.iter() {
            if let Op::Const(value) = &net.op {
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

    /// Puts registers and memories back to how they start, leaves the inputs as
    /// they are and settles.
    pub fn reset(&mut self) {
        self.state
            .reset(&self.netlist, &self.slots, &mut self.values);
        self.settled = false;
        self.settle();
    }

    /// Sets an input. What depends on it follows with the next [`settle`](Self::settle)
    /// or [`clock`](Self::clock).
    ///
    /// # Panics
    /// If the net isn't an input or too narrow for the value.
    pub fn set(&mut self, input: NetId, value: u64) {
        let width = self.input_width(input);
        assert!(
            width >= 64 || value >> width == 0,
            "{value:#x} doesn't fit the input {}, which has {width} bits",
            self.describe(input),
        );
        let (low, high) = self.values[self.slots.range(input)]
            .split_first_mut()
            .expect("a net has a limb");
        if *low != value || high.iter().any(|&limb| limb != 0) {
            *low = value;
            high.fill(0);
            self.settled = false;
        }
    }

    /// Like [`set`](Self::set), for inputs of any width.
    ///
    /// # Panics
    /// If the net isn't an input or too narrow for the value.
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

    /// The value of a net of up to 64 bits, as of the last [`settle`](Self::settle)
    /// or [`clock`](Self::clock).
    ///
    /// # Panics
    /// If the net is wider.
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

    /// The value of a net of any width, as of the last [`settle`](Self::settle)
    /// or [`clock`](Self::clock).
    pub fn get_big(&self, net: NetId) -> BigUint {
        limbs::load(&self.values[self.slots.range(net)])
    }

    /// A word in a memory; `memory` is the position in [`Netlist::memories`].
    ///
    /// # Panics
    /// If there is no such memory or word.
    pub fn memory_word(&self, memory: usize, address: usize) -> BigUint {
        limbs::load(self.state.word(memory, address))
    }

    /// Lets all nets follow the inputs.
    pub fn settle(&mut self) {
        if !self.settled {
            self.tape.run(&mut self.values, &self.slots);
            self.settled = true;
        }
    }

    /// The rising edge of the clock: settles, then all registers and memories
    /// change at once, then settles again.
    pub fn clock(&mut self) {
        self.settle();
        self.state.clock(&mut self.values);
        self.settled = false;
        self.settle();
    }

    fn input_width(&self, input: NetId) -> u32 {
        let net = self.netlist.net(input);
        assert!(
            matches!(net.op, Op::Input(_)),
            "{} is not an input, only inputs can be set",
            self.describe(input),
        );
        net.width
    }

    /// A name of the net if it has one.
    fn describe(&self, id: NetId) -> String {
        match self.netlist.names.iter().find(|name| name.net == id) {
            Some(name) => name.path.clone(),
            None => format!("(net {})", id.0),
        }
    }
}
