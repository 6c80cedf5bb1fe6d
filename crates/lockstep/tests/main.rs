//! Tests netlist, evaluator and lockstep engine against each other and against arithmetic.

mod builder;
mod common;
mod faults;
mod flow;
mod hierarchy;
mod lanes;
mod lanes_helper;
mod lanes_host;
mod ops;
mod reads;
mod state;
mod statements;
