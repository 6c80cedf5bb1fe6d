//! Helpers for several areas.

pub mod array_runs;
pub mod browser;
pub mod byte_runs;
pub mod cm1_bus;
pub mod cube_runs;
pub mod lockstep_vs_evaluator;
pub mod pictures;
pub mod programs;
pub mod scratch;
pub mod starc;
pub mod whole_runs;
