//! What is shown: pictures of the wire, tables of what circuits cost.

mod agreed_run;
mod analyser;
mod blocks;
mod capture;
mod cells;
mod cost;
mod frame_picture;
mod on_board;
mod probe;

pub use agreed_run::{AgreedRun, AgreedRunError, EngineRun};
pub use analyser::{decode, WireByte};
pub use blocks::{Block, BLOCKS, WHOLE};
pub use capture::Capture;
pub use cost::{Cost, CostError, CostTable, BLOCK_RAMS, DEVICE, LOGIC_CELLS};
pub use frame_picture::draw;
pub use probe::Probe;
