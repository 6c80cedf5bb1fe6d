//! Trait that `#[derive(Circuit)]` implements for a block.

use super::Word;
use crate::cells::{Assertion, AsyncMemory, Cover, Memory, Reg, Rom};
use crate::rust_hdl::types::bits_of;
use crate::rust_hdl::{set_clock_level, Block, Clock, In, Signal, Synth};
use lockstep::design::SourceLocation;
use num_bigint::BigUint;

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
            panic!("`{}`: {value} is not a value of {}", self.1, T::descriptor().name);
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

/// Documentation of a block: names, doc comments, parameters and locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Name of the struct.
    pub name: &'static str,
    /// Path of the struct: `crate::module::Name`.
    pub path: &'static str,
    /// File and line of the declaration; `None` for a block without a source.
    pub place: Option<SourceLocation>,
    /// Doc comment of the struct.
    pub doc: &'static str,
    /// Generic parameters and their values, without those that have their default.
    pub params: Vec<(&'static str, String)>,
    /// Fields of the struct.
    pub fields: &'static [FieldDescription],
}

/// A field of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDescription {
    pub name: &'static str,
    /// Doc comment of the field.
    pub doc: &'static str,
    /// File and line of the field.
    pub place: SourceLocation,
}

impl Description {
    fn field(&self, name: &str) -> Option<&FieldDescription> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the doc comment of a field. The text is empty if there is none.
    pub(crate) fn field_doc(&self, field: &str) -> &'static str {
        self.field(field).map_or("", |field| field.doc)
    }

    /// Returns the location of the field that a signal or block belongs to (`o`, `state.d`,
    /// `list[3].line`, `bundle_member`). If there is no such field, returns the location of the
    /// struct.
    pub(crate) fn origin_of(&self, name: &str) -> Option<SourceLocation> {
        let name = name.split(['.', '[']).next().unwrap_or(name);
        let holds = |field: &&FieldDescription| {
            let member = name.strip_prefix(field.name);
            member.is_some_and(|member| member.starts_with('_'))
        };
        let bundles = self.fields.iter().filter(holds);
        let field = self.field(name).or(bundles.max_by_key(|f| f.name.len()));
        field.map(|field| field.place).or(self.place)
    }
}

// Sets the clock in all parts of a block at once.
//
// Kernels pass their clock to their parts. In `rust-hdl`'s simulator the clock level needs one
// round per level of the hierarchy, and each round evaluates the whole block. The lowering ensures
// that there is one clock, which every kernel passes on unconditionally. All parts can therefore
// receive the level at once.

/// Signal, block or list with a clock.
#[doc(hidden)]
pub trait Clocked {
    /// Sets the clock in all parts.
    fn set_clock(&mut self, level: bool);
}

impl Clocked for Signal<In, Clock> {
    fn set_clock(&mut self, level: bool) {
        set_clock_level(self, level);
    }
}

impl<C: Circuit> Clocked for C {
    fn set_clock(&mut self, level: bool) {
        self.drive_clock(level);
    }
}

impl<T: Word> Clocked for Reg<T> {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl Clocked for Assertion {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl Clocked for Cover {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl<T: Word, const ADDRESS_BITS: usize> Clocked for Memory<T, ADDRESS_BITS> {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl<T: Word, const ADDRESS_BITS: usize> Clocked for AsyncMemory<T, ADDRESS_BITS> {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl<T: Word, const ADDRESS_BITS: usize> Clocked for Rom<T, ADDRESS_BITS> {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl<C: Clocked, const N: usize> Clocked for [C; N] {
    fn set_clock(&mut self, level: bool) {
        self.iter_mut().for_each(|c| c.set_clock(level));
    }
}

impl<C: Clocked> Clocked for Vec<C> {
    fn set_clock(&mut self, level: bool) {
        self.iter_mut().for_each(|c| c.set_clock(level));
    }
}

/// Field of a block. If it is [`Clocked`], [`DriveInside`] applies. Otherwise one more automatic
/// reference leads to [`DriveNothing`], and the field gets its clock from the kernel.
#[doc(hidden)]
pub struct Inside<'a, T>(pub &'a mut T);

#[doc(hidden)]
pub trait DriveInside {
    fn drive_inside(self, level: bool);
}

impl<C: Clocked> DriveInside for &mut Inside<'_, C> {
    fn drive_inside(self, level: bool) {
        self.0.set_clock(level);
    }
}

#[doc(hidden)]
pub trait DriveNothing {
    fn drive_inside(self, level: bool);
}

impl<T> DriveNothing for &mut &mut Inside<'_, T> {
    fn drive_inside(self, _: bool) {}
}
