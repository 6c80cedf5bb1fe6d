//! Trait that `#[derive(Circuit)]` implements for a block.

use super::record::bits_of;
use super::{Description, Word};
use num_bigint::BigUint;
use rust_hdl::prelude::{Block, In, Signal, Synth};

/// Block with a description and with access to its ports by name.
///
/// `#[derive(Circuit)]` implements the trait, next to `#[derive(LogicBlock)]`.
pub trait Circuit: Block {
    fn description() -> Description
    where
        Self: Sized;

    /// Sets the clock of the block and of all its parts.
    fn drive_clock(&mut self, level: bool);

    /// Sets an input port. Returns false if no input of this name has a [`Word`](super::Word) type.
    ///
    /// # Panics
    /// If the type of the port has no such value.
    fn poke(&mut self, port: &str, value: &BigUint) -> bool;

    /// Returns the value of a port.
    fn peek(&self, port: &str) -> Option<BigUint>;
}

/// Splits `name[3]` into name and index.
#[doc(hidden)]
pub fn element(port: &str) -> Option<(&str, usize)> {
    let (list, index) = port.strip_suffix(']')?.split_once('[')?;
    Some((list, index.parse().ok()?))
}

/// Returns the parameters to report. `#[derive(Circuit)]` passes `None` for parameters that have
/// their default.
#[doc(hidden)]
pub fn reported_params(params: Vec<Option<(&'static str, String)>>) -> Vec<(&'static str, String)> {
    params.into_iter().flatten().collect()
}

#[doc(hidden)]
pub fn type_name<T: ?Sized>() -> String {
    std::any::type_name::<T>().to_string()
}

#[doc(hidden)]
pub fn peek<T: Synth>(value: T) -> BigUint {
    bits_of(value)
}

/// Port to set, and its name. [`PokeWord`] applies if its type allows it. Otherwise one more
/// automatic reference leads to [`PokeOther`].
#[doc(hidden)]
pub struct Poke<'a, T: Synth>(pub &'a mut Signal<In, T>, pub &'a str);

#[doc(hidden)]
pub trait PokeWord {
    fn poke(self, value: &BigUint) -> bool;
}

#[doc(hidden)]
pub trait PokeOther {
    fn poke(self, value: &BigUint) -> bool;
}

impl<T: Word> PokeWord for &mut Poke<'_, T> {
    fn poke(self, value: &BigUint) -> bool {
        let Some(word) = T::of_bits(value) else {
            panic!(
                "`{}`: {value} is not a value of {}",
                self.1,
                T::descriptor().name
            );
        };
        self.0.next = word;
        true
    }
}

impl<T: Synth> PokeOther for &mut &mut Poke<'_, T> {
    fn poke(self, _: &BigUint) -> bool {
        false
    }
}
