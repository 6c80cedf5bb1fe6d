//! The circuits: one small block per file, a folder per subsystem.

pub mod catalog;
pub mod cells;
pub mod cm1;
pub mod core;
pub mod tdma;
pub mod uart;
