//! Positions where `#[word]` is not allowed.
use hdl::prelude::*;

#[word(encoding)] //~ `#[word]` takes no arguments
pub enum Coded {
    A,
    B,
}

#[word]
pub union Either { //~ a word is an enum without fields or a struct of words
    a: u8,
    b: u8,
}
