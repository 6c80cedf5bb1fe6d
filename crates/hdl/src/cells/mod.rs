//! Cells that hold state, and parameters of blocks. [`Reg`], [`Memory`] and [`Rom`] replace `DFF`,
//! `RAM` and `SyncROM` of `rust-hdl`. The lowering accepts only these cells with state. A
//! [`Parameter`] is set when a block is created. Made [`time_multiplexed`], a cell holds the state of
//! several time-multiplexed circuits that share the same logic.

mod memory;
mod parameter;
mod reg;
mod rom;
mod time_multiplexed;

pub use memory::Memory;
pub use parameter::Parameter;
pub use reg::Reg;
pub use rom::Rom;
pub use time_multiplexed::time_multiplexed;
