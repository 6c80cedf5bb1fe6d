//! What holds state: [`Reg`], [`Memory`] and [`Rom`] take the place of `DFF`, `RAM` and
//! `SyncROM` of `rust-hdl`, and the lowering knows no others. And what a block is told
//! when it is made: [`Parameter`].

mod memory;
mod parameter;
mod reg;
mod rom;

pub use memory::Memory;
pub use parameter::Parameter;
pub use reg::Reg;
pub use rom::Rom;
