//! Boards: what can run on one, and getting it there.

mod blocks;
mod boards;
mod build;
mod design;
mod designs;
pub mod image;
pub mod manifest;
mod paths;
mod pins;
mod pll;
mod top;
pub mod virtual_board;

pub use blocks::{BlockCost, BlockTable};
pub use boards::{Board, UsbId};
pub use build::{build, BuildError, Built};
pub use design::{BoardDesign, WrongPorts};
pub use designs::{BoardDesignError, BoardDesignName};
