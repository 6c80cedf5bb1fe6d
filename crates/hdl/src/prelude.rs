//! Names that a file with blocks needs: `use hdl::prelude::*;`.
//!
//! The prelude consists of `rust-hdl`'s signals and words, the cells, and the lowering of kernels.
//! Blocks import nothing from `rust-hdl` themselves.

pub use crate::cells::{
    time_multiplexed, Assertion, AsyncMemory, Cover, Memory, Parameter, Reg, Rom,
};
pub use crate::lower::{kernel, lower, signed, word, Bundle, Circuit, LowerErrors};
pub use crate::lower::{Multiply, Resize, Signed, ToSigned};
pub use crate::rust_hdl::prelude::*;
