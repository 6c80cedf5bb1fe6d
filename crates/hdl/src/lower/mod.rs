//! From `rust-hdl` blocks to circuits with exactly the meaning that Rust gives them.
//!
//! `rust-hdl` lets a block be written as a Rust struct and simulates it by
//! calling its `update` until nothing changes. What `update` means is what Rust
//! says it means. The syntax tree that `#[hdl_gen]` keeps of it is lossy and the
//! Verilog printed from that tree can mean something else, so this module takes
//! another way: `#[kernel]` leaves `update` as it is and writes a second copy of
//! it into `hdl` in which `.val()` gives a [`Sym`], a word whose value is an
//! expression. Rust's compiler types the copy as it types the original;
//! [`lower`] runs it, once for every block of a tree, and builds a
//! [`Design`] from what was recorded.
//!
//! ```
//! use hdl::lower::{kernel, lower, Circuit};
//! use hdl::cells::Reg;
//! use rust_hdl::prelude::*;
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
//! | statements | assignment to `.next` of a signal or of a field of a struct, `let name = ..`, with a type or without, `if`, `match` (variants, constants, literals, pipes between them, guards, `_`), `for` over a range known at generation, `clock!` and `dff_setup!` |
//! | words | `Bits<N>` of any width, `bool`, enums and structs under `#[word]` |
//! | arrays of words | `[a, b, c]` and `[a; 4]` in a `let`; `.len()`; an element at a number or at `.index()` of a word, which is then a choice between all |
//! | operators | `+ - & \| ^ ! << >> == != < <= > >= && \|\|`, `if` as a value |
//! | methods | `get_bit`, `get_bits`, `replace_bit`, `all`, `any`, `xor`, `index` (to pick a bit, or compared), `into` (a number to `Bits<N>`, a word to its own type or to its bits), `to_bits`, [`resized`](Resize); the function `bit_cast` |
//! | known at generation | integers, const generics, loop indices, constants, [`Parameter`](crate::cells::Parameter)s (positions, comparisons and `match` also know what operators make of them), functions of these (which must be pure), the length of a list or array; an `if` or `match` over them takes only the branch that Rust takes |
//!
//! A function takes and gives words if `#[kernel]` stands on it, too: a plain `fn`
//! or an associated one (`Header::of(..)`), or a method, with `self` by value
//! (`header.length()`), also of a trait; with const generics, over words and
//! what is known at generation. It has `let`, `let mut` and assignments to it,
//! `for`, and its value at the end; it calls other such functions.
//!
//! ```
//! use hdl::lower::kernel;
//! use rust_hdl::prelude::*;
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
//! Refused by `#[kernel]` at the span: everything else that it can see.
//! Refused by the compiler: what symbolic words cannot do, such as `as`. Refused
//! by [`lower`], with file and line:
//! numbers that do not fit their word, bit positions that could lie beyond
//! it and indices beyond an array (Rust would panic), what keeps its old value on some path (a latch), a
//! `Local` read before it is written, inputs of a child that are read or not
//! driven, blocks without a kernel, words given to a function that is not marked
//! (it is called with stand-ins to find that out), signed words, `InOut`, a second clock.
//!
//! State lives in the cells of [`crate::cells`].
//!
//! # Wiring
//!
//! Ports that belong together are a [`Bundle`], which shows an example. In a kernel
//!
//! * `clock!(self, clock, a, b[i]);` gives a clock to children or elements of lists of
//!   them, and `dff_setup!(self, clock, a, b[i]);` to registers, which keep their words
//!   unless they are told others;
//! * `link!(self, child, a, b[i], c => d);` hands ports of the block through to a child:
//!   `a` to its `a`, `b[i]` to its `b`, `c` to its `d`. Inputs go in, outputs come out, a
//!   bundle or a list does so as a whole; `link!(self.bundle, child, a);` hands through
//!   members of a bundle, and `child.bundle` may stand in the place of `child`;
//! * `join!(self, one, other, a, b => c);` connects ports of two children, outputs to
//!   inputs, a bundle to its other end.
//!
//! They may stand wherever an assignment may.
//!
//! What is trusted: that a [`Word`] is implemented by [`word`](macro@word) alone, that a
//! block's `Block` comes from `rust-hdl`'s derive, and that functions called with values
//! known at generation are pure (each kernel is read twice and must come out the same).

mod array;
mod body;
mod build;
mod bundle;
mod call;
mod circuit;
mod clocked;
mod compare;
mod control;
mod description;
mod error;
mod known;
mod ops;
mod place;
mod record;
mod resize;
mod sym;
mod turns;
mod types;
mod walk;
mod word;

pub use bundle::{Bundle, Joined, Linked};
pub use circuit::Circuit;
pub use description::{Description, FieldDescription};
pub use error::{LowerError, LowerErrors};
pub use ops::{Into, Position};
pub use phasecube_kernel::{kernel, word, Bundle, Circuit};
pub use resize::Resize;
pub use sym::{Index, Lift, Readable, Sym};
pub use word::Word;

// What the proc macros write.
#[doc(hidden)]
pub use {
    array::{Element, Held, PlainElement, WordElement},
    bundle::{Flip, Member, PeekInside, PeekNothing, PokeInside, PokeNothing},
    call::{
        Argument, Arguments, Call, Parameter, PlainArgument, PlainParameter, WordArgument,
        WordParameter, WordsArgument,
    },
    circuit::{element, peek, told, type_name, Poke, PokeOther, PokeWord},
    clocked::{DriveInside, DriveNothing, Inside},
    compare::{eq, ge, gt, le, lt, ne, Comparable, Ordered},
    control::{and, or, Arms, Branch, Guarded, Select, Subject},
    known::{known, own, val, Own, OwnMethods, Plain},
    lockstep::design::Origin,
    num_bigint::BigUint,
    ops::{bit_cast, into},
    record::{answer_bundle, dry_run, record, Taken},
    rust_hdl::prelude::{Block, In, Logic, LogicState, LogicStruct, Out, Probe, Verilog},
    sym::{assign, assign_field, bind, field, len, lift, of_type, Bind, List},
    word::{field_of, variant_of},
};

pub(crate) use record::{answer_cell, bits_of, Address, CellRecord};

use lockstep::design::check::{self, Fault};
use lockstep::design::Design;

/// Lowers a block and everything in it.
///
/// # Errors
/// All the places where the blocks leave the subset.
pub fn lower(block: &dyn Block) -> Result<Design, LowerErrors> {
    let (top, errors) = walk::walk(block);
    let (design, descriptions) = build::Builder::new(errors)
        .build(top)
        .map_err(LowerErrors)?;
    check::check(&design).map_err(|faults| {
        let located = |mut fault: Fault| {
            let mut modules = design.modules.iter().zip(&descriptions);
            let block = modules.find(|(module, _)| module.name == fault.module);
            let name = fault.signal.as_deref().unwrap_or_default();
            fault.origin = (fault.origin).or_else(|| block.and_then(|(_, d)| d.place_of(name)));
            LowerError {
                origin: fault.origin.take(),
                message: fault.to_string(),
            }
        };
        LowerErrors(faults.into_iter().map(located).collect())
    })?;
    Ok(design)
}
