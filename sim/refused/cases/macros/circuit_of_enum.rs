//! `#[derive(Circuit)]` is for blocks.

use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

#[derive(Circuit)]
pub enum Block { //~ only a struct can be a circuit
    One,
}
