//! Bundles of ports, and `link!`, which connects ports of a block and its children.

use super::record::{here, with_recording};
use super::sym::{assign, Readable};
use super::word::Word;
use crate::rust_hdl::{Block, In, Logic, Out, Signal};
use num_bigint::BigUint;

/// Group of ports in one field of a block. Each port has its own direction.
///
/// The trait is derived for a struct of ports, of lists of ports and of other bundles:
///
/// ```
/// use hdl::prelude::*;
///
/// /// A byte is handed over in a clock cycle in which `valid` and `ready` are high.
/// #[derive(Bundle, Default)]
/// #[bundle(flipped = ByteSource)]
/// pub struct ByteSink {
///     /// There is a byte,
///     pub valid: Signal<In, Bit>,
///     /// this one.
///     pub data: Signal<In, Bits<8>>,
///     /// It would be taken.
///     pub ready: Signal<Out, Bit>,
/// }
///
/// /// Changes the case of letters.
/// #[derive(LogicBlock, Circuit, Default)]
/// pub struct Swap {
///     pub input: ByteSink,
///     pub output: ByteSource,
/// }
///
/// impl Logic for Swap {
///     #[kernel]
///     fn update(&mut self) {
///         self.output.valid.next = self.input.valid.val();
///         self.output.data.next = self.input.data.val() ^ 0x20;
///         self.input.ready.next = self.output.ready.val();
///     }
/// }
///
/// /// Changes it twice.
/// #[derive(LogicBlock, Circuit, Default)]
/// pub struct Twice {
///     pub input: ByteSink,
///     pub output: ByteSource,
///     first: Swap,
///     second: Swap,
/// }
///
/// impl Logic for Twice {
///     #[kernel]
///     fn update(&mut self) {
///         link!(self <-> first: input);
///         link!(first <-> second: output <-> input);
///         link!(second <-> self: output);
///     }
/// }
///
/// let design = lower(&Twice::default()).unwrap();
/// let ports: Vec<&str> = design.top().ports().map(|(_, port)| &port.name[..]).collect();
/// assert_eq!(ports[..3], ["input_valid", "input_data", "input_ready"]);
/// ```
///
/// The members are ports of the block with the name `field_member`, or `field_member[3]` in a list
/// of bundles. With `#[bundle(flat)]` a port has the name `member`, regardless of the field's name.
pub trait Bundle: Block + Linked {
    /// Whether the names of the ports omit the name of the field that holds the bundle.
    const FLAT: bool;

    /// Like [`Circuit::poke`](super::Circuit::poke), with a member's name.
    fn poke(&mut self, port: &str, value: &BigUint) -> bool;

    /// Like [`Circuit::peek`](super::Circuit::peek), with a member's name.
    fn peek(&self, port: &str) -> Option<BigUint>;
}

impl<B: Bundle, const N: usize> Bundle for [B; N] {
    const FLAT: bool = B::FLAT;

    fn poke(&mut self, port: &str, value: &BigUint) -> bool {
        poke_element(self, port, value)
    }

    fn peek(&self, port: &str) -> Option<BigUint> {
        peek_element(self, port)
    }
}

impl<B: Bundle> Bundle for Vec<B> {
    const FLAT: bool = B::FLAT;

    fn poke(&mut self, port: &str, value: &BigUint) -> bool {
        poke_element(self, port, value)
    }

    fn peek(&self, port: &str) -> Option<BigUint> {
        peek_element(self, port)
    }
}

fn poke_element<B: Bundle>(list: &mut [B], port: &str, value: &BigUint) -> bool {
    let Some((index, port)) = first_index(port) else {
        return false;
    };
    list.get_mut(index).is_some_and(|b| b.poke(&port, value))
}

fn peek_element<B: Bundle>(list: &[B], port: &str) -> Option<BigUint> {
    let (index, port) = first_index(port)?;
    list.get(index)?.peek(&port)
}

/// Splits `word[3][1]` into number 3 and `word[1]`.
fn first_index(port: &str) -> Option<(usize, String)> {
    let (name, indices) = port.split_once('[')?;
    let (first, rest) = indices.split_once(']')?;
    Some((first.parse().ok()?, format!("{name}{rest}")))
}

/// Returns the full name of a member called `name` in the bundle `space`. The indices of both are
/// at the end, and the bundle's indices come first.
pub(super) fn flat_name(space: &str, flat: bool, name: &str) -> String {
    let parts = |name: &str| {
        let at = name.find('[').unwrap_or(name.len());
        (name[..at].to_string(), name[at..].to_string())
    };
    let ((space, of_space), (name, of_name)) = (parts(space), parts(name));
    match flat {
        true => format!("{name}{of_space}{of_name}"),
        false => format!("{space}_{name}{of_space}{of_name}"),
    }
}

/// Returns the name of a port within a bundle, if the port may belong to the bundle in this field.
fn inside<'a>(field: &str, flat: bool, port: &'a str) -> Option<&'a str> {
    match flat {
        true => Some(port),
        false => port.strip_prefix(field)?.strip_prefix('_'),
    }
}

/// Field that may be a bundle. If it is, [`PokeInside`] and [`PeekInside`] apply. Otherwise one
/// more automatic reference leads to [`PokeNothing`] and [`PeekNothing`].
#[doc(hidden)]
pub struct Member<M>(pub M);

#[doc(hidden)]
pub trait PokeInside {
    fn poke_inside(self, field: &str, port: &str, value: &BigUint) -> Option<bool>;
}

impl<B: Bundle> PokeInside for &mut Member<&mut B> {
    fn poke_inside(self, field: &str, port: &str, value: &BigUint) -> Option<bool> {
        let port = inside(field, B::FLAT, port)?;
        self.0.poke(port, value).then_some(true)
    }
}

#[doc(hidden)]
pub trait PokeNothing {
    fn poke_inside(self, field: &str, port: &str, value: &BigUint) -> Option<bool>;
}

impl<T> PokeNothing for &mut &mut Member<&mut T> {
    fn poke_inside(self, _: &str, _: &str, _: &BigUint) -> Option<bool> {
        None
    }
}

#[doc(hidden)]
pub trait PeekInside {
    fn peek_inside(self, field: &str, port: &str) -> Option<BigUint>;
}

impl<B: Bundle> PeekInside for &mut Member<&B> {
    fn peek_inside(self, field: &str, port: &str) -> Option<BigUint> {
        self.0.peek(inside(field, B::FLAT, port)?)
    }
}

#[doc(hidden)]
pub trait PeekNothing {
    fn peek_inside(self, field: &str, port: &str) -> Option<BigUint>;
}

impl<T> PeekNothing for &mut &mut Member<&T> {
    fn peek_inside(self, _: &str, _: &str) -> Option<BigUint> {
        None
    }
}

/// Port or bundle that a block can connect to the same port of a child: `link!` with `self` in a kernel.
///
/// Inputs are driven in the child, outputs in the block itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a port, so it can neither be linked nor be a member of a bundle",
    label = "neither an `In` or `Out` signal, a bundle nor a list of these"
)]
pub trait Linked {
    /// Directions of the ports: [`Inputs`], [`Outputs`] or [`BothDirections`].
    type Directions: Directions;

    /// Connects the ports in `rust-hdl`'s simulator.
    fn link(&mut self, inner: &mut Self);

    /// Marks the driven signals for `rust-hdl`'s own checks.
    fn connect(&mut self, inner: &mut Self);

    /// Records the connection for the lowering.
    #[track_caller]
    fn record(&self, inner: &Self);
}

impl<T: Word> Linked for Signal<In, T> {
    type Directions = Inputs;

    fn link(&mut self, inner: &mut Self) {
        inner.next = self.val();
    }

    fn connect(&mut self, inner: &mut Self) {
        Logic::connect(inner);
    }

    #[track_caller]
    fn record(&self, inner: &Self) {
        assign(inner, self.read());
    }
}

impl<T: Word> Linked for Signal<Out, T> {
    type Directions = Outputs;

    fn link(&mut self, inner: &mut Self) {
        self.next = inner.val();
    }

    fn connect(&mut self, _: &mut Self) {
        Logic::connect(self);
    }

    #[track_caller]
    fn record(&self, inner: &Self) {
        assign(self, inner.read());
    }
}

/// Port or bundle that can be connected to its counterpart at another child: `link!` between children in
/// a kernel.
///
/// Each output of one end drives an input of the other end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be linked to `{Other}`",
    label = "link an `Out` and an `In` signal of the same word, or a bundle and its other end (`#[bundle(flipped = ..)]`)",
    note = "`#[bundle(flipped = Name)]` writes the struct `Name`; a struct that is written out by hand is no other end"
)]
pub trait Joined<Other>: Linked {
    /// Connects the ports in `rust-hdl`'s simulator.
    fn join(&mut self, other: &mut Other);

    /// Marks the driven signals for `rust-hdl`'s own checks.
    fn connect(&mut self, other: &mut Other);

    /// Records the connection for the lowering.
    #[track_caller]
    fn record(&self, other: &Other);
}

impl<T: Word> Joined<Signal<In, T>> for Signal<Out, T> {
    fn join(&mut self, other: &mut Signal<In, T>) {
        other.next = self.val();
    }

    fn connect(&mut self, other: &mut Signal<In, T>) {
        Logic::connect(other);
    }

    #[track_caller]
    fn record(&self, other: &Signal<In, T>) {
        assign(other, self.read());
    }
}

impl<T: Word> Joined<Signal<Out, T>> for Signal<In, T> {
    fn join(&mut self, other: &mut Signal<Out, T>) {
        Joined::join(other, self);
    }

    fn connect(&mut self, other: &mut Signal<Out, T>) {
        Joined::connect(other, self);
    }

    #[track_caller]
    fn record(&self, other: &Signal<Out, T>) {
        Joined::record(other, self);
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $first:ty, $second:ty;)*) => {$(
        impl<A: Linked, $($generics)*> Linked for $first {
            type Directions = A::Directions;

            fn link(&mut self, inner: &mut Self) {
                same_length(self.len(), inner.len());
                for (one, other) in self.iter_mut().zip(inner) {
                    Linked::link(one, other);
                }
            }

            fn connect(&mut self, inner: &mut Self) {
                for (one, other) in self.iter_mut().zip(inner) {
                    Linked::connect(one, other);
                }
            }

            #[track_caller]
            fn record(&self, inner: &Self) {
                check_length(self.len(), inner.len());
                for (one, other) in self.iter().zip(inner) {
                    Linked::record(one, other);
                }
            }
        }

        impl<A: Joined<B>, B, $($generics)*> Joined<$second> for $first {
            fn join(&mut self, other: &mut $second) {
                same_length(self.len(), other.len());
                for (one, other) in self.iter_mut().zip(other) {
                    Joined::join(one, other);
                }
            }

            fn connect(&mut self, other: &mut $second) {
                for (one, other) in self.iter_mut().zip(other) {
                    Joined::connect(one, other);
                }
            }

            #[track_caller]
            fn record(&self, other: &$second) {
                check_length(self.len(), other.len());
                for (one, other) in self.iter().zip(other) {
                    Joined::record(one, other);
                }
            }
        }
    )*};
}

lists! {
    [const N: usize] [A; N], [B; N];
    [] Vec<A>, Vec<B>;
}

fn same_length(one: usize, other: usize) {
    assert_eq!(one, other, "the lengths of lists that are connected");
}

#[track_caller]
fn check_length(one: usize, other: usize) {
    if one != other {
        let message = format!("a list of {one} cannot be connected to one of {other}");
        let origin = here();
        with_recording(|r| r.refuse(origin, message));
    }
}

/// Directions of the ports of a signal, bundle or list, as a type.
#[doc(hidden)]
pub trait Directions {
    /// Directions of these ports and other ports together.
    type And<D: Directions>: Directions;
    type AndInputs: Directions;
    type AndOutputs: Directions;
}

macro_rules! directions {
    ($($doc:literal $name:ident<$d:ident>: $and:ty, $inputs:ty, $outputs:ty;)*) => {$(
        #[doc = $doc]
        #[doc(hidden)]
        pub struct $name;

        impl Directions for $name {
            type And<$d: Directions> = $and;
            type AndInputs = $inputs;
            type AndOutputs = $outputs;
        }
    )*};
}

directions! {
    "Inputs only." Inputs<D>: D::AndInputs, Inputs, BothDirections;
    "Outputs only." Outputs<D>: D::AndOutputs, BothDirections, Outputs;
    "Inputs and outputs." BothDirections<D>: BothDirections, BothDirections, BothDirections;
}

macro_rules! arrows {
    ($($doc:literal $check:ident, $trait:ident, $directions:ty, $message:literal;)*) => {$(
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "these are `{Self}`",
            note = "`self -> child` links inputs, `child -> self` and `one -> other` link outputs of the first child, `<->` links bundles with both"
        )]
        pub trait $trait: Directions {}

        impl $trait for $directions {}

        #[doc = $doc]
        #[doc(hidden)]
        pub fn $check<P: Linked>(_: &P)
        where
            P::Directions: $trait,
        {
        }
    )*};
}

arrows! {
    "Checks the direction of `self -> child`." drives_child, AllInputs, Inputs,
        "wrong direction: the arrow leads into a child, so all ports must be inputs";
    "Checks the direction of `child -> self` and `one -> other`." driven_by_child, AllOutputs, Outputs,
        "wrong direction: the arrow leads out of a child, so all ports must be outputs";
    "Checks that `<->` is needed." both_directions, InputsAndOutputs, BothDirections,
        "wrong arrow: `<->` is for a bundle with inputs and outputs";
}

/// Bundle with an opposite end: a [`Bundle`] with `#[bundle(flipped = ..)]`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the bundle `{Self}` has no other end",
    label = "give it one with `#[bundle(flipped = ..)]`"
)]
pub trait FlipBundle {
    type Flipped;
}

#[cfg(test)]
mod tests {
    use super::{first_index, flat_name};

    #[test]
    fn names_are_flat() {
        assert_eq!(flat_name("host", false, "valid"), "host_valid");
        assert_eq!(flat_name("host", true, "valid"), "valid");
        assert_eq!(flat_name("links[2]", false, "valid"), "links_valid[2]");
        assert_eq!(flat_name("links[2]", false, "word[1]"), "links_word[2][1]");
        assert_eq!(flat_name("links[2]", true, "word[1]"), "word[2][1]");
    }

    #[test]
    fn an_element_is_found_by_its_first_index() {
        assert_eq!(first_index("valid[2]"), Some((2, "valid".into())));
        assert_eq!(first_index("word[2][1]"), Some((2, "word[1]".into())));
        assert_eq!(first_index("word"), None);
        assert_eq!(first_index("word[x]"), None);
    }
}
