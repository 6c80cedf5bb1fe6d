//! What holds state: [`Reg`], [`Memory`] and [`Rom`] take the place of `DFF`, `RAM` and
//! `SyncROM` of `rust-hdl`, and the lowering knows no others. And what a block is told
//! when it is made: [`Parameter`]. What holds state may do so for several circuits that
//! are one and the same logic [`in_turns`].

mod memory;
mod parameter;
mod reg;
mod rom;
mod turns;

pub use memory::Memory;
pub use parameter::Parameter;
pub use reg::Reg;
pub use rom::Rom;
pub use turns::in_turns;
