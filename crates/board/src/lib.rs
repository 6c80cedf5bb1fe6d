//! Boards: supported boards, their designs and images, and the host port.

pub mod address;
mod attached;
mod blocks;
mod boards;
mod build;
mod design;
mod designs;
pub mod expected;
pub mod flash;
pub mod flow;
pub mod host;
pub mod lines;
pub mod manifest;
mod paths;
pub mod port;
mod programmer;
mod session;
pub mod sha256;
mod top;
mod transcript;
pub mod usb;
pub mod virtual_board;

pub use attached::Attached;
pub use blocks::{BlockCost, BlockTable};
pub use boards::{Board, Usb, BOARDS};
pub use build::{build, chip_verilog, source_sha256, BuildError, BuiltImage};
pub use design::{BoardDesign, WrongPorts};
pub use designs::{BoardDesignError, BoardDesignName};
pub use programmer::Programmer;
pub use session::{Session, Timeouts};
pub use top::Top;
pub use transcript::{Cm1Pass, RecordedRun, RunCounters, Transcript};
