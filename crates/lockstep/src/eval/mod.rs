//! Reference evaluator: computes every net in order, clock cycle by clock cycle.
//!
//! The evaluator is small and simple because it is the reference for faster engines. Settling
//! computes all nets, or none if no input has changed. The evaluator uses one thread. Nets of up to
//! 64 bits are computed in one machine word (`tape`). Wider nets are computed limb by limb
//! (`limbs`).

mod limbs;
mod slots;
mod state;
mod tape;
mod wide;

use crate::netlist::{NetId, NetOp, Netlist};
use num_bigint::BigUint;
use slots::LimbPositions;
use state::EvalState;
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
        self.state
            .reset(&self.netlist, &self.slots, &mut self.values);
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
        let (low, high) = self.values[self.slots.range(input)]
            .split_first_mut()
            .expect("a net has a limb");
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
            self.tape.run(&mut self.values, &self.slots);
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
