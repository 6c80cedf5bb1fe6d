//! Boards: supported boards, their designs and images, and the host port.

mod block_rams;
mod boards;
mod build;
mod cube_table;
mod design;
pub mod expected;
pub mod flash;
pub mod flow;
pub mod host;
pub mod lines;
pub mod manifest;
mod placed;
pub mod port;
mod session;
mod transcript;
pub mod usb;
pub mod virtual_board;

pub use boards::{Board, Usb, BOARDS};
pub use build::{build, chip_verilog, source_sha256, BuildError, BuiltImage, Top, DEFAULT_SEED};
pub use cube_table::{CubeRow, CubeTable};
pub use design::{BoardDesign, BoardDesignError, BoardDesignName, WrongPorts};
pub use flash::Programmer;
pub use placed::{BlockCost, BlockTable};
pub use session::{Session, Timeouts};
pub use transcript::{Cm1Pass, RecordedRun, RunCounters, Transcript};
pub use usb::Attached;
