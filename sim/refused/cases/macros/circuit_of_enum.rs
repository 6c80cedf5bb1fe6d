//! `#[derive(Circuit)]` is for blocks.
use hdl::prelude::*;

#[derive(Circuit)]
pub enum Block { //~ only a struct can be a circuit
    One,
}
