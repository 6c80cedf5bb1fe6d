//! Programs for the soft core: what a compiler made, ready for a memory.

mod elf;

pub use elf::{DoesNotFit, ElfError, Image, Segment};
