//! What holds state. The lowering knows these three and nothing else; they take
//! the place of `DFF`, `RAM` and `SyncROM` of `rust-hdl`.

mod memory;
mod parameter;
mod reg;
mod rom;

pub use memory::Memory;
pub use parameter::Parameter;
pub use reg::Reg;
pub use rom::Rom;
