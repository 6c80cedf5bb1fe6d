//! Claim: each way in which `rust-hdl` 0.46 prints or parses a legal kernel
//! wrongly is there, and each of these kernels is lowered rightly here, or
//! refused. The table is the one of the notes on `rust-hdl`: the printer's
//! faults in [`printer`] and [`structure`], the losses of its syntax tree in
//! [`tree`], [`names`] and [`order`].
//!
//! A kernel is written once, in a macro, and instantiated under `#[kernel]` as
//! `Ours` and under `#[hdl_gen]` as `Theirs`. What Verilog means is not argued:
//! Verilator and yosys say it.

mod names;
mod order;
mod printer;
mod source;
mod structure;
mod tree;
