//! Code outside the subset of kernels causes an error and is never lowered wrongly. Errors occur at
//! compile time with a span ([`compile_time`], the blocks in `cases/`), or in `lower` with file,
//! line, block and construct (the other modules, by subject). Accepted code that is easily lowered
//! wrongly agrees with the reference ([`accepted`], [`slips`]).

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
