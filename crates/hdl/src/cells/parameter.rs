//! Constant word that is set when a block is created.

use crate::lower::{Readable, Sym, Word};
use rust_hdl::prelude::*;

/// Constant word of a block. In the emitted Verilog it is a `localparam`.
///
/// It wraps `rust-hdl`'s `Constant` and adds the default zero, so that a constructor names only the
/// parameters that it sets.
#[derive(Copy, Clone, Debug)]
pub struct Parameter<T: Synth>(Constant<T>);

impl<T: Synth> Parameter<T> {
    pub fn new(value: T) -> Self {
        Parameter(Constant::new(value))
    }

    /// Returns the value.
    pub fn val(&self) -> T {
        self.0.val()
    }
}

impl<T: Synth> Default for Parameter<T> {
    fn default() -> Self {
        Parameter::new(T::default())
    }
}

impl<T: Word> Readable for Parameter<T> {
    type Word = T;

    #[track_caller]
    fn read(&self) -> Sym<T> {
        self.0.read()
    }
}

impl<T: Synth> Logic for Parameter<T> {
    fn update(&mut self) {}
}

impl<T: Synth> Block for Parameter<T> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
