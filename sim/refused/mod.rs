//! Claim: what is outside the subset of kernels has no wrong meaning, it has an
//! error. Either at compile time and at its span ([`compile_time`], the blocks
//! in `cases/`), or from `lower`, with file, line, block and construct (the
//! other modules, by what the errors are about). And what looks as if it could
//! have a wrong meaning but is accepted, agrees with the reference ([`accepted`], [`slips`]).

#[macro_use]
mod blocks;

mod accepted;
mod bundles;
mod clocks;
mod compile_time;
mod flow;
mod functions;
mod hierarchy;
mod numbers;
mod page;
mod ported;
mod purity;
mod renamed;
mod slips;
mod types;
