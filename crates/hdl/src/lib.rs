//! Circuits as Rust structs with exactly the semantics of Rust.
//!
//! A block is a struct of `rust-hdl` signals, of [`cells`] that hold state, and of other blocks.
//! Its `update` describes its behaviour in ordinary Rust under [`#[kernel]`](lower::kernel).
//! `rust-hdl`'s simulator calls `update` unchanged. [`lower`] converts the same tokens to a
//! circuit, a [`Design`](lockstep::design::Design). `lockstep` runs one copy of the circuit or
//! thousands, and [`verilog`] prints it.
//!
//! * [`lower`]: the accepted subset of Rust, and the lowering of a block to a circuit
//! * [`cells`]: registers, memories and parameters
//! * [`prelude`]: the names that a file with blocks needs
//! * [`verilog`]: readable Verilog of a circuit

// The proc macros write paths that begin with `::hdl`, in this crate and in a user's crate.
extern crate self as hdl;

pub mod cells;
mod fold;
pub mod lower;
#[doc(hidden)]
pub mod rust_hdl;
pub mod verilog;

/// Names that a file with blocks needs: `use hdl::prelude::*;`.
///
/// The prelude consists of `rust-hdl`'s signals and words, the cells, and the lowering of kernels.
/// Blocks import nothing from `rust-hdl` themselves.
pub mod prelude {
    pub use crate::cells::{
        time_multiplexed, Assertion, AsyncMemory, Cover, Memory, Parameter, Reg, Rom,
    };
    pub use crate::lower::{
        kernel, lower, signed, with_parameters, word, Bundle, Circuit, LowerErrors,
    };
    pub use crate::lower::{Multiply, Resize, Signed, ToSigned};
    pub use crate::rust_hdl::prelude::*;
}

/// Compiles and runs the code in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
