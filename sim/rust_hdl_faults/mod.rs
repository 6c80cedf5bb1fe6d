//! `rust-hdl` 0.46 prints or parses some legal kernels wrongly. Each such fault is reproduced, and
//! each kernel is lowered correctly here or rejected. The list follows the notes on `rust-hdl`. The
//! printer's faults are in [`printer`] and [`structure`], the losses of its syntax tree in
//! [`tree`], [`names`] and [`order`].
//!
//! A kernel is written once, in a macro. The macro is instantiated under `#[kernel]` as `BuiltIn` and
//! under `#[hdl_gen]` as `Theirs`. Verilator and yosys determine what Verilog means.

mod names;
mod order;
mod printer;
mod source;
mod structure;
mod tree;
