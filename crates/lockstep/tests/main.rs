//! Tests netlist, evaluator and lockstep engine against each other and against arithmetic.

#[cfg(not(target_arch = "aarch64"))]
mod aarch64;
mod builder;
mod common;
mod delay_memories;
mod faults;
mod flow;
mod hierarchy;
mod lanes;
mod lanes_helper;
mod lanes_host;
mod lanes_parts;
mod ops;
mod reads;
mod state;
mod statements;
