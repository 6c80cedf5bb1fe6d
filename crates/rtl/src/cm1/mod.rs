//! The router of the CM-1 (`cm1-message-router`; docs/cm1.md): adaptive,
//! bit-serial, pipelined.
//!
//! A clock cycle is a bit-time. A chip has rows and, for each dimension, a
//! column; messages move along the rows, in each column at most one of them
//! across the cube wire to the neighbour. What is left after the last column is
//! at home, and is ejected, or is buffered for the next petit cycle.
//!
//! Any number of dimensions up to 16, of rows (2 to [`ROWS_MAX`]) and of
//! processors (1 to [`PROCESSORS_MAX`], a power of two) can be had: lists are as
//! long as they are made. VP-ADDRESS and DATA
//! have any length; only the [`PetitControl`] knows it.

mod bit_delay;
mod board;
mod chip;
mod chip_bundles;
mod crossing_choice;
mod eject_mode;
mod ejector;
mod ejector_row;
mod first_column;
mod heart;
mod heart_column;
mod heart_site;
mod injector;
mod injector_row;
pub mod machine;
mod message_buffer;
mod petit_control;
mod petit_window;
mod pipeline;
mod plan;
mod router;
mod strobe_delay;

use super::list;
pub use bit_delay::BitDelay;
pub use board::{
    Cm1Board, LoneChip, LoneEjector, LoneInjector, Mailbox, PetitStrobes, PetitTable, RowBuffer,
    BOARD_CHIPS, BOARD_DIMS,
};
pub use chip::Chip;
pub use chip_bundles::{ProcessorLines, StrobeSource, Strobes};
pub use crossing_choice::CrossingChoice;
pub use eject_mode::EjectMode;
pub use ejector::Ejector;
pub use ejector_row::EjectorRow;
pub use first_column::FirstColumn;
pub use heart::Heart;
pub use heart_column::HeartColumn;
pub use heart_site::HeartSite;
pub use injector::Injector;
pub use injector_row::InjectorRow;
pub use message_buffer::MessageBuffer;
pub use petit_control::PetitControl;
pub use petit_window::PetitWindow;
pub use pipeline::{ColumnTimes, Pipeline};
pub use plan::{MessageFormat, PetitPlan};
pub use router::Router;
pub use strobe_delay::StrobeDelay;

/// Most rows that a chip can have: a word of its buffer has 16 bits.
pub const ROWS_MAX: usize = 16;

/// Most processors that a chip can have, as the paper's: a word of its port.
pub const PROCESSORS_MAX: usize = 16;

/// Width of the number of a bit-time in a petit cycle.
pub const TIME_BITS: usize = 16;

/// Most bits of VP-ADDRESS, and so width of the number of a bank of virtual processors.
pub const BANK_BITS: usize = 16;

/// Width of a place in the buffer.
pub const POINTER_BITS: usize = 12;
