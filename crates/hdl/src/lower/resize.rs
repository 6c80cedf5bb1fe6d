//! Conversion of words to another width.

use super::kernel;
use rust_hdl::prelude::{bit_cast, Bits};

/// Changes the width of a word, inside and outside kernels.
///
/// In contrast to `rust-hdl`'s `bit_cast`, the caller does not name the current width of the word.
/// The new width can be omitted where Rust can infer it.
///
/// ```
/// use hdl::lower::Resize;
/// use rust_hdl::prelude::*;
///
/// let word = bits::<8>(0xA5);
/// assert_eq!(word.resized::<12>(), bits(0x0A5));
/// let low: Bits<4> = word.resized();
/// assert_eq!(low, bits(0x5));
/// assert_eq!(true.resized::<4>(), bits(1));
/// ```
pub trait Resize {
    /// Returns the word with zeros above it, or its low `M` bits. A `bool` is a word of one bit.
    fn resized<const M: usize>(self) -> Bits<M>;
}

impl<const N: usize> Resize for Bits<N> {
    #[kernel]
    fn resized<const M: usize>(self) -> Bits<M> {
        bit_cast::<M, N>(self)
    }
}

impl Resize for bool {
    #[kernel]
    fn resized<const M: usize>(self) -> Bits<M> {
        bit_cast::<M, 1>(self.into())
    }
}
