//! The tests of the circuits, one module per area: every block in all engines, and the soft core
//! against an independent simulator.

mod agreement;
mod soft_core;
