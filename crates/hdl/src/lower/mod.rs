//! Lowers `rust-hdl` blocks to circuits with exactly the semantics of Rust.
//!
//! In `rust-hdl` a block is a Rust struct, simulated by calling its `update` until nothing changes.
//! Rust defines the semantics of `update`. The syntax tree that `#[hdl_gen]` keeps is lossy, and
//! the Verilog printed from that tree can have different semantics. This module therefore uses
//! another method. `#[kernel]` keeps `update` unchanged and writes a second copy into `hdl`. In
//! this copy `.val()` returns a [`Sym`], a word whose value is an expression. Rust's compiler
//! infers the same types for the copy as for the original. [`lower`] runs the copy once for every
//! block of a tree and builds a [`Design`] from the recorded statements.
//!
//! ```
//! use hdl::prelude::*;
//!
//! /// Counts clock cycles in which `enable` is high, modulo 16.
//! #[derive(LogicBlock, Circuit, Default)]
//! pub struct Counter {
//!     pub clock: Signal<In, Clock>,
//!     /// Count this clock cycle.
//!     pub enable: Signal<In, Bit>,
//!     /// Clock cycles counted so far.
//!     pub count: Signal<Out, Bits<4>>,
//!     state: Reg<Bits<4>>,
//! }
//!
//! impl Logic for Counter {
//!     #[kernel]
//!     fn update(&mut self) {
//!         dff_setup!(self, clock, state);
//!         if self.enable.val() {
//!             self.state.d.next = self.state.q.val() + 1;
//!         }
//!         self.count.next = self.state.q.val();
//!     }
//! }
//!
//! let design = lower(&Counter::default()).unwrap();
//! assert_eq!(design.top().name, "counter");
//! let verilog = hdl::verilog::emit(&design).to_string();
//! assert!(verilog.contains("module counter"));
//! ```
//!
//! # The subset
//!
//! | | |
//! | --- | --- |
//! | functions of words | a `fn` under `#[kernel]`, see below |
//! | statements | assignment to `.next` of a signal or of a field of a struct, `let name = ..`, with a type or without, `let mut name = ..` and `name = ..`, `if`, `match` (variants, constants, literals, pipes between them, guards, `_`), `for` over a range known at generation, `clock!`, `dff_setup!` and `reset!` |
//! | words | `Bits<N>` of any width, [`Signed<N>`](Signed), `bool`, enums and structs under `#[word]` |
//! | arrays of words | `[a, b, c]` and `[a; 4]` in a `let`; `.len()`; an element at a number, or at `.index()` of a word, which selects among all elements |
//! | signed words | [`Signed<N>`](Signed): `+ - << >> == != < <= > >=`, `-x`, `resized`, `times`, `to_unsigned`; `to_signed` of a `Bits<N>`; numbers `signed::<8>(-3)` |
//! | operators | `+ - & \| ^ ! << >> == != < <= > >= && \|\|`, `if` as a value |
//! | methods | `get_bit`, `get_bits`, `replace_bit`, `all`, `any`, `xor`, `index` (to pick a bit, or compared), `into` (a number to `Bits<N>`, a word to its own type or to its bits), `to_bits`, [`resized`](Resize), [`times`](Multiply) (a product of a stated width); the function `bit_cast` |
//! | known at generation | integers, const generics, loop indices, constants, [`Parameter`](crate::cells::Parameter)s (positions, comparisons and `match` also evaluate operators on them), functions of these (which must be pure), the length of a list or array; an `if` or `match` over them takes only the branch that Rust takes |
//!
//! A function with `#[kernel]` takes and returns words. It is a plain `fn`, an associated one
//! (`Header::of(..)`), or a method with `self` by value (`header.length()`), including methods of
//! traits. It may have const generics, and parameters that are words or known at generation. Its
//! body has `let`, `let mut` with assignments, `for`, calls of other such functions, and its value
//! at the end.
//!
//! ```
//! use hdl::prelude::*;
//!
//! /// The number of which this is the Gray code.
//! #[kernel]
//! fn from_gray<const N: usize>(code: Bits<N>) -> Bits<N> {
//!     let mut number = code;
//!     for shift in 1..N {
//!         number = number ^ (code >> shift as u64);
//!     }
//!     number
//! }
//! assert_eq!(from_gray(bits::<4>(0b1000)), bits(0b1111));
//! ```
//!
//! `#[kernel]` rejects all other syntax that it can see, at its span. The compiler rejects
//! operations that symbolic words lack, such as `as`. [`lower`] rejects the following cases with
//! file and line:
//!
//! * numbers that do not fit their word
//! * bit positions that could exceed a word, and indices that could exceed an array, on which Rust
//!   would panic
//! * signals that keep their old value on some path (a latch)
//! * a `Local` that is read before it is written
//! * inputs of a child that are read, or not driven
//! * blocks without a kernel
//! * words passed to a function without `#[kernel]`, detected by calling it with stand-ins
//! * `InOut`, `rust-hdl`'s own `Signed`, and a second clock
//!
//! Only the cells of [`crate::cells`] hold state.
//!
//! A block with many const parameters lists them once: [`with_parameters`] adds them to its `impl`s.
//!
//! # Wiring
//!
//! A [`Bundle`] groups related ports. Its documentation has an example. A kernel can use these
//! macros:
//!
//! * `clock!(self, clock, a, b[i]);` connects a clock to children or to elements of lists of
//!   children. `dff_setup!(self, clock, a, b[i]);` connects it to registers, which keep their
//!   values unless they are assigned others.
//! * `reset!(self, reset, a, b[i]);` is a synchronous reset: while the input `reset` is high, the
//!   next values of these registers are their initial values. It is placed after the other
//!   assignments, because the last assignment wins. `self.a.initial()` is the initial value alone.
//! * `link!(self -> child: a, b[i], c -> d);` connects ports of the block to inputs of a child: `a`
//!   drives its `a`, `b[i]` its `b`, `c` its `d`. `link!(child -> self: a);` connects outputs of a
//!   child to outputs of the block. `link!(one -> other: a, b -> c);` connects outputs of a child to
//!   inputs of another child. The arrow points from the driving port to the driven port, which the
//!   compiler checks. `<->` connects bundles with inputs and outputs.
//!   `link!(self.bundle -> child: a);` connects members of a bundle. `child.bundle` can replace
//!   `child`.
//! * `display!("{} of {total:x}", self.count.q.val());` prints a line in simulation, at each clock
//!   edge before which the kernel reaches it. `{}` prints a decimal number, `{:x}` and `{:b}` a
//!   hexadecimal and a binary one. Test benches print the line with its clock cycle and lane. In
//!   Verilog it is a `$display`, without the macro `SYNTHESIS`. `rust-hdl`'s own simulator prints
//!   nothing.
//!
//! These macros are allowed wherever an assignment is.
//!
//! The lowering relies on three assumptions. Only [`word`](macro@word) implements [`Word`]. A
//! block's `Block` comes from `rust-hdl`'s derive. Functions called with values known at generation
//! are pure, because each kernel is read twice and must give the same result.

mod body;
mod build;
mod bundle;
mod call;
mod circuit;
mod control;
mod mismatch;
mod ops;
mod print;
mod record;
mod signed;
mod sym;
mod walk;
mod word;

use crate::rust_hdl::Block;
#[doc(hidden)]
pub use bundle::{
    both_directions, driven_by_child, drives_child, BothDirections, Directions, FlipBundle, Inputs,
    Member, Outputs, PeekInside, PeekNothing, PokeInside, PokeNothing,
};
pub use bundle::{Bundle, Joined, Linked};
#[doc(hidden)]
pub use call::{
    known, own, val, Argument, Arguments, Call, CallParameter, IntoReceiver, OwnMethod, OwnMethods,
    PlainArgument, PlainParameter, WordArgument, WordParameter, WordsArgument,
};
#[doc(hidden)]
pub use circuit::{
    element, peek, reported_params, type_name, DriveInside, DriveNothing, Inside, Poke, PokeOther,
    PokeWord,
};
pub use circuit::{Circuit, Description, FieldDescription};
#[doc(hidden)]
pub use control::{and, or, Arms, Branch, Guarded, MatchSubject, Select};
use lockstep::design::check::{self, DesignFault};
use lockstep::design::Design;
#[doc(hidden)]
pub use lockstep::design::SourceLocation;
#[doc(hidden)]
pub use mismatch::{
    AnyOperands, AssignMismatch, AssignWord, Assignment, FieldAssignment, Operands, OtherWidth,
    SameWidth, VariableAssignment,
};
#[doc(hidden)]
pub use num_bigint::BigUint;
#[doc(hidden)]
pub use ops::{bit_cast, eq, ge, gt, into, le, lt, ne, Comparable, Ordered};
pub use ops::{BitPosition, Into};
#[doc(hidden)]
pub use phasecube_kernel::impl_with_parameters;
pub use phasecube_kernel::{kernel, with_parameters, word, Bundle, Circuit};
#[doc(hidden)]
pub use print::{print, Notation, Printable, Printed, PrintedWord};
#[doc(hidden)]
pub use record::{answer_bundle, dry_run, record};
pub(crate) use record::{answer_cell, CellRecord};
pub use signed::{signed, Signed, ToSigned};
use std::fmt;
#[doc(hidden)]
pub use sym::{
    bind, field, initial, len, lift, of_type, variable, BindLet, Element, FoundWord, KernelList,
    PlainElement, WordElement,
};
pub use sym::{Index, Lift, Readable, Sym};
#[doc(hidden)]
pub use word::{field_of, variant_of};
pub use word::{Multiply, Resize, Word};

/// Lowers a block and everything in it.
///
/// # Errors
/// All places where the blocks leave the subset.
pub fn lower(block: &dyn Block) -> Result<Design, LowerErrors> {
    let (top, errors) = walk::walk(block);
    let (design, descriptions) =
        build::DesignLowering::new(errors).build(top).map_err(LowerErrors)?;
    check::check(&design).map_err(|faults| {
        let located = |mut fault: DesignFault| {
            let mut modules = design.modules.iter().zip(&descriptions);
            let block = modules.find(|(module, _)| module.name == fault.module);
            let name = fault.signal.as_deref().unwrap_or_default();
            fault.origin = (fault.origin).or_else(|| block.and_then(|(_, d)| d.origin_of(name)));
            if fault.what == check::UNDRIVEN {
                let cell = name.rsplit_once('.').map_or("", |(cell, _)| cell);
                let mut cells = block.iter().flat_map(|(module, _)| &module.cells);
                let place = match cells.find(|known| known.name == cell) {
                    Some(_) => format!("write `self.{name}.next = ..`"),
                    None => "assign its `.next`".to_owned(),
                };
                fault.what += &format!("; {place}, any value if it does not matter");
            }
            LowerError { origin: fault.origin.take(), message: fault.to_string() }
        };
        LowerErrors(faults.into_iter().map(located).collect())
    })?;
    Ok(design)
}

/// Reason in one sentence why a block cannot be lowered, with the location if there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct LowerError {
    pub origin: Option<SourceLocation>,
    pub message: String,
}

impl LowerError {
    pub(crate) fn new(message: String) -> Self {
        LowerError { origin: None, message }
    }

    pub(crate) fn at(origin: SourceLocation, message: String) -> Self {
        LowerError { origin: Some(origin), message }
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Prints the same text as `Display`, so that `unwrap` and a `main` with `?` print it too.
impl fmt::Debug for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// All errors found in a block tree.
#[derive(Clone, PartialEq, Eq)]
pub struct LowerErrors(pub Vec<LowerError>);

impl fmt::Display for LowerErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

/// Prints the same text as `Display`, so that `unwrap` and a `main` with `?` print it too.
impl fmt::Debug for LowerErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LowerErrors {}
